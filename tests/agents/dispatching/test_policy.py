"""Who may do what: what an agent's tokens and grants amount to, and how a call is decided."""

from datetime import timedelta
from itertools import pairwise

import pytest
from django.utils import timezone

from agents.approval.plan import Plan
from agents.contracts import REGISTRY, Effect
from agents.contracts.fields import Closed
from agents.dispatching.actors import current_actor
from agents.dispatching.policy import Verdict, decide, decide_on_plan, may_act
from agents.dispatching.rows import (
    find_promised,
    get_inbox_of,
    get_message,
    get_thread_row,
    newest_messages,
    read_key,
)
from agents.errors import ToolError
from agents.models import Agent, AgentStatus, Decision, Grant, Token
from agents.operations.agents import create_token
from inbox import ids
from inbox.models import Inbox, Message, Thread
from tests import factories
from tests.sending_tools import propose

pytestmark = pytest.mark.django_db


class Nothing(Closed):
    """No arguments, and no answer."""


class Whim(Plan[Nothing]):
    """Asks for a person, who can give no other reason."""

    needs_person = "It lowers attention."


class Errand(Whim):
    """The same, and something leaves."""

    sends = True


ALLOWED = Verdict(Decision.ALLOW, "scope storage:write")


# -- what an agent may, by all of its tokens -------------------------------------------------------
def test_an_agent_may_what_its_tokens_allow_together_and_no_more(agent, inbox, workspace):
    Token.objects.all().delete()
    for scopes in (["inbox:read"], ["inbox:write", "inbox:read"]):
        create_token(agent=agent, scopes=scopes)
    other = factories.make_agent(workspace, "Scout", (factories.make_inbox(workspace),))
    create_token(agent=other, scopes=["memory:read"])
    actor = current_actor(agent)
    assert (actor.key, actor.name) == (f"agent:{agent.pk}", "Clerk")
    assert actor.workspace_ids == (workspace.pk,)
    assert actor.account_ids == {inbox.account_id}
    assert actor.scopes == {"inbox:read", "inbox:write"}


@pytest.mark.parametrize(
    ("fields", "counts"),
    [
        ({"revoked_at": timedelta(seconds=-1)}, False),
        ({"expires_at": timedelta(seconds=-1)}, False),
        ({"expires_at": timedelta(minutes=1)}, True),
        ({}, True),
    ],
    ids=["revoked", "expired", "expires later", "without an end"],
)
def test_a_token_counts_as_long_as_it_is_valid(agent, fields, counts):
    Token.objects.all().delete()
    create_token(agent=agent, scopes=["inbox:read"])
    Token.objects.update(**{name: timezone.now() + ago for name, ago in fields.items()})
    assert current_actor(agent).scopes == (frozenset({"inbox:read"}) if counts else frozenset())


def test_an_agent_without_a_grant_is_granted_nothing_rather_than_everything(agent):
    Grant.objects.all().delete()
    assert current_actor(agent).account_ids == frozenset()


# -- what is decided of a call ---------------------------------------------------------------------
def test_what_leaves_waits_for_a_person_whatever_the_scopes(actor):
    tool = REGISTRY.tool("send_reply")
    assert decide(tool, actor) == Verdict(Decision.HOLD, "Anything sent needs approval.")


def test_a_person_sends_nothing_by_a_call(reviewer):
    tool = REGISTRY.tool("send_reply")
    verdict = decide(tool, factories.person_actor(reviewer))
    assert (verdict.decision, verdict.reason) == (
        Decision.DENY, "Agents propose this; people decide.",
    )  # fmt: skip


def test_a_read_is_allowed_by_the_scope_that_it_names(actor, reviewer):
    tool = REGISTRY.tool("list_threads")
    assert decide(tool, actor) == Verdict(Decision.ALLOW, "scope inbox:read")
    assert may_act(tool, factories.person_actor(reviewer)) == ""
    looking = REGISTRY.tool("look_around")
    assert decide(looking, actor) == Verdict(Decision.ALLOW, "needs no scope")


def test_without_the_scope_or_active_standing_it_is_denied_with_the_reason(agent, actor):
    tool = REGISTRY.tool("list_threads")
    bare = factories.agent_actor(agent, frozenset({"memory:read"}))
    refused = Verdict(Decision.DENY, "The token lacks the scope inbox:read.")
    assert decide(tool, bare) == refused
    Agent.objects.update(status=AgentStatus.PAUSED)
    assert decide(tool, actor) == Verdict(Decision.DENY, "The agent Clerk is paused.")
    Agent.objects.all().delete()
    assert decide(tool, actor).decision == Decision.DENY


def test_every_tool_that_sends_is_denied_to_people_and_held_for_agents(actor, reviewer):
    person = factories.person_actor(reviewer)
    for tool in REGISTRY.tools:
        if tool.effect is Effect.SEND:
            assert decide(tool, actor).decision == Decision.HOLD, tool.name
            assert decide(tool, person).decision == Decision.DENY, tool.name


@pytest.mark.parametrize("plan", [Whim(), Errand()])
def test_what_a_plan_gives_a_reason_for_waits_where_an_agent_calls(actor, plan):
    assert decide_on_plan(ALLOWED, plan, actor) == Verdict(Decision.HOLD, "It lowers attention.")


def test_a_person_does_at_once_what_sends_nothing_and_nothing_that_sends(reviewer):
    person = factories.person_actor(reviewer)
    assert decide_on_plan(ALLOWED, Whim(), person) == ALLOWED
    assert decide_on_plan(ALLOWED, Errand(), person).decision == Decision.DENY


def test_a_plan_without_a_reason_changes_nothing_and_none_lets_go_what_is_held(actor):
    held = Verdict(Decision.HOLD, "Anything sent needs approval.")
    assert decide_on_plan(ALLOWED, Plan(), actor) == ALLOWED
    for plan in (Plan(), Whim(), Errand()):
        assert decide_on_plan(held, plan, actor) == held


# -- rows by the ids of a call ---------------------------------------------------------------------
def test_a_key_is_read_from_an_id_of_its_kind_alone():
    assert read_key(Thread, ids.encode("thr", 7), "thread", "/thread_id") == 7
    for wrong in ("thr_", ids.encode("msg", 7), ids.encode("thr", 7, 8)):
        with pytest.raises(ToolError) as caught:
            read_key(Thread, wrong, "thread", "/thread_id")
        assert (caught.value.code, caught.value.details["pointer"]) == ("not_found", "/thread_id")


def test_of_several_inboxes_the_one_of_the_account_s_own_address_comes_first(inbox):
    account = inbox.account
    assert get_inbox_of(account) == inbox
    second = Inbox.objects.create(
        workspace=inbox.workspace, account=account, address="second@lantern.example"
    )
    assert get_inbox_of(account) == inbox
    account.address = second.address
    assert get_inbox_of(account) == second
    Inbox.objects.filter(pk=second.pk).update(workspace=factories.make_workspace())
    assert get_inbox_of(account) == inbox
    bare = factories.make_inbox(inbox.workspace)
    Inbox.objects.filter(pk=bare.pk).delete()
    with pytest.raises(ToolError) as caught:
        get_inbox_of(bare.account)
    assert (caught.value.code, caught.value.details) == (
        "conflict", {"account_id": bare.account.public_id},
    )  # fmt: skip


def test_a_thread_that_was_joined_is_answered_by_the_whole(actor, inbox):
    threads = [factories.make_message(inbox).thread for _ in range(3)]
    for joined, whole in pairwise(threads):
        Thread.objects.filter(pk=joined.pk).update(merged_into=whole)
    assert get_thread_row(actor, threads[0].public_id) == threads[-1]


def test_a_joined_thread_of_another_s_account_is_not_followed(actor, inbox, workspace):
    joined = factories.make_message(inbox).thread
    elsewhere = factories.make_message(factories.make_inbox(workspace)).thread
    Thread.objects.filter(pk=joined.pk).update(merged_into=elsewhere)
    with pytest.raises(ToolError) as caught:
        get_thread_row(actor, joined.public_id)
    assert caught.value.code == "not_found"


def test_what_was_promised_is_found_by_who_may_see_it(actor, inbox, workspace):
    submission = propose(actor, inbox)
    stranger = factories.agent_actor(factories.make_agent(workspace, "Stranger"))
    assert find_promised(actor, submission.message_public_id) == submission
    assert find_promised(stranger, submission.message_public_id) is None
    assert not Message.objects.exists()


def test_a_message_is_found_by_who_may_see_it_until_it_is_deleted(actor, inbox, workspace):
    message = factories.make_message(inbox)
    assert get_message(actor, message.public_id) == message
    stranger = factories.agent_actor(factories.make_agent(workspace, "Stranger"))
    for caller in (stranger, actor):
        with pytest.raises(ToolError) as caught:
            get_message(caller, message.public_id)
        assert caught.value.details["pointer"] == "/message_id"
        Message.objects.update(deleted_at=timezone.now())


def test_a_thread_is_read_oldest_first_and_nothing_of_another(actor, inbox):
    thread = factories.make_message(inbox, at=factories.NOON).thread
    for days in (2, 1):
        factories.make_message(inbox, thread=thread, at=factories.NOON + timedelta(days=days))
    factories.make_message(inbox)
    read = [it.received_at - factories.NOON for it in newest_messages(actor, thread)]
    assert read == [timedelta(0), timedelta(days=1), timedelta(days=2)]
