"""An agent's page: what it may do, what waits, what it did, and how its proposals were decided."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agents.admin.agent_queries import read_calls, read_decided
from agents.admin.agent_scopes import words_of
from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Agent, Receipt, Token
from agents.operations.agents import known_scopes
from agents.quotas.usage import read_usage
from inbox.models import Role
from tests import factories
from tests.agents.admin.desk import propose
from tests.agents.quotas.policies import save_policy

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\u202e"


def sign_in(workspace, role=Role.OWNER):
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


def place(agent, action="change"):
    return f"/admin/agents/agent/{agent.pk}/{action}/"


def text_of(client, agent, query=""):
    return client.get(place(agent) + query).content.decode()


def test_it_says_who_made_it_what_it_may_do_and_with_which_accounts(workspace, agent, reviewer):
    Agent.objects.update(created_by=reviewer, description=HOSTILE)
    text = text_of(sign_in(workspace), agent)
    assert "rhea" in text
    assert "Read and search mail in its accounts" in text
    assert "office@lantern.example" in text
    assert "&lt;script&gt;alert(1)" in text
    assert "U+202E" in text


def test_every_scope_there_is_has_words():
    assert [scope for scope in known_scopes() if words_of(scope) == scope] == []


def test_scopes_of_dead_tokens_are_not_what_it_may_do(workspace, agent):
    Token.objects.update(expires_at=timezone.now() - timedelta(days=1))
    text = text_of(sign_in(workspace), agent)
    assert "Nothing: it has no valid token." in text
    assert "expired" in text


def test_it_says_how_much_of_its_quotas_it_has_used(workspace, agent, actor, inbox):
    save_policy(workspace, "{what: proposals, most: 1, within: 1h}")
    for number in range(2):
        thread = factories.make_message(inbox, subject=f"Number {number}").thread
        call("get_thread", {"thread_id": thread.public_id}, actor)
        propose(actor, thread)
    viewer = factories.person_actor(factories.make_person_user(workspace))
    assert [tuple(one[:1] + one[2:]) for one in read_usage(viewer, agent)] == [
        ("proposals", 1, 1), ("reads", 10_000, 4), ("deletions", 5, 0),
    ]  # fmt: skip
    text = " ".join(text_of(sign_in(workspace), agent).split())
    assert "proposals within 60 minutes" in text
    assert "1 of 1 <span" in text
    assert "4 of 10,000" in text


def test_what_waits_leads_to_its_review(workspace, agent, actor, inbox):
    approval = propose(actor, factories.make_message(inbox, subject=HOSTILE).thread)
    text = text_of(sign_in(workspace, Role.VIEWER), agent)
    assert f"/admin/review/{approval.public_id}/" in text
    assert "<script>alert" not in text


def test_its_calls_stand_by_day_and_tool_with_what_came_of_them(agent, actor, inbox):
    propose(actor, factories.make_message(inbox).thread)
    for _ in range(2):
        call("list_approvals", {}, actor)
    with pytest.raises(ToolError):
        call("get_thread", {"thread_id": "thr_none"}, actor)
    days, older = read_calls(agent)
    tallies = {tally.tool: (tally.ok, tally.held, tally.failed) for tally in days[0].tallies}
    assert tallies == {
        "list_approvals": (2, 0, 0),
        "send_reply": (0, 1, 0),
        "get_thread": (0, 0, 1),
    }
    assert (len(days), older) == (1, "")


def test_older_calls_are_a_page_further_without_gap_or_repetition(workspace, agent, actor):
    for _ in range(30):
        call("list_approvals", {}, actor)
    first, older = read_calls(agent)
    second, end = read_calls(agent, older)
    seen = [receipt.pk for day in first + second for receipt in day.receipts]
    assert seen == sorted(Receipt.objects.values_list("pk", flat=True), reverse=True)
    assert end == ""
    assert f"?before={older}" in text_of(sign_in(workspace), agent)
    assert read_calls(agent, "nonsense")[0][0].receipts[0].pk == seen[0]


def test_how_its_proposals_were_decided_is_counted_once_each(agent, actor, inbox, reviewer):
    made = [
        propose(actor, factories.make_message(inbox, subject=f"Matter {n}").thread)
        for n in range(5)
    ]
    lifecycle.approve(approval=made[0], by=reviewer, sha256=made[0].sha256)
    lifecycle.reject(approval=made[1], by=reviewer, reason="No.")
    lifecycle.send_back(approval=made[2], by=reviewer, feedback="Shorter.")
    lifecycle.edit_and_approve(
        approval=made[3], by=reviewer, subject="Re: Matter 3", body="Dear Ada,\n\nno.",
        to=["ada@customer.example"], cc=[], bcc=[],
    )  # fmt: skip
    decided = read_decided(agent)
    assert (decided.approved, decided.edited, decided.rejected, decided.returned) == (1, 1, 1, 1)
    assert (decided.waiting, decided.total) == (1, 4)


def test_a_reviewer_pauses_it_and_takes_that_back_with_receipts(workspace, agent):
    client = sign_in(workspace, Role.REVIEWER)
    page = client.post(place(agent, "pause"), {"to": "paused"}, follow=True).content.decode()
    assert "Resume" in page
    client.post(place(agent, "pause"), {"to": "active"})
    agent.refresh_from_db()
    assert agent.status == "active"
    receipts = Receipt.objects.filter(actor__startswith="person:").values_list("tool", flat=True)
    assert sorted(receipts) == ["pause_agent", "resume_agent"]


def test_a_viewer_sees_no_action(workspace, agent):
    text = text_of(sign_in(workspace, Role.VIEWER), agent)
    for words in ("Pause", "Stop everything", "Revoke", "Create another token", "/settings/"):
        assert words not in text


def test_a_reviewer_sets_nothing_up(workspace, agent):
    client = sign_in(workspace, Role.REVIEWER)
    assert client.get(place(agent, "settings")).status_code == 403
    assert client.post(place(agent, "settings"), {"description": "x"}).status_code == 403
    assert "Create another token" not in text_of(client, agent)


def test_an_owner_changes_what_it_says_of_itself(workspace, agent, inbox):
    client = sign_in(workspace)
    assert client.get(place(agent, "settings")).status_code == 200
    client.post(
        place(agent, "settings"), {"description": "Writes.", "accounts": [inbox.account_id]}
    )
    agent.refresh_from_db()
    assert agent.description == "Writes."


def test_a_stranger_finds_no_agent(agent):
    client = sign_in(factories.make_workspace())
    assert client.get(place(agent)).status_code in {302, 404}
    assert client.get(place(agent, "settings")).status_code == 404


def test_the_page_asks_the_database_as_often_for_much_as_for_little(
    workspace, agent, actor, inbox, django_assert_max_num_queries
):
    client = sign_in(workspace)
    for number in range(12):
        propose(actor, factories.make_message(inbox, subject=f"Matter {number}").thread)
    with django_assert_max_num_queries(14):
        text_of(client, agent)


def test_the_list_leads_to_the_brake_those_who_decide(workspace, agent):
    for role, leads in ((Role.REVIEWER, True), (Role.VIEWER, False)):
        text = sign_in(workspace, role).get("/admin/agents/agent/").content.decode()
        assert (place(agent, "stop") in text) is leads


def test_days_and_expiry_are_in_the_reader_s_zone(workspace, agent, inbox):
    late = datetime(2026, 3, 4, 2, 30, tzinfo=UTC)
    Receipt.objects.create(
        workspace=workspace, actor=f"agent:{agent.pk}", tool="list_threads", decision="allow",
        opened_at=late,
    )  # fmt: skip
    client = sign_in(workspace)
    client.cookies["tz"] = "America/New_York"
    assert "Tuesday, 3 March 2026" in text_of(client, agent)
    wanted = {"scopes": "inbox:read", "expires_at": "2099-07-01T09:00"}
    client.post(place(agent, "tokens"), wanted)
    new = {
        "workspace": workspace.pk, "name": "Second", "inboxes": inbox.pk, "scopes": "inbox:read",
        "expires_at_0": "2099-07-01", "expires_at_1": "09:00",
    }  # fmt: skip
    add = "/admin/agents/agent/add/"
    assert "UTC" not in client.get(add).text
    client.post(add, new)
    nine = datetime(2099, 7, 1, 13, tzinfo=UTC)
    assert [one.expires_at for one in Token.objects.order_by("-pk")[:2]] == [nine, nine]
