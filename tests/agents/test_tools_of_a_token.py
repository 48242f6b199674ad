"""Tokens that are for some tools alone, whichever way these are called."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.contracts import REGISTRY, RESOURCES
from agents.dispatching.actors import current_actor
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Schedule
from agents.operations.agents import authenticate, create_token
from agents.surfaces.mcp.listing import list_page
from agents.surfaces.mcp.profiles import find_profile
from inbox.background.jobs import run_due
from inbox.errors import DomainError
from inbox.models import Job, JobState
from tests.factories import EVERY_SCOPE

pytestmark = pytest.mark.django_db
# What tells of one's own proposals goes with any other tool.
PROPOSALS = {"list_approvals", "get_approval"}


@pytest.fixture
def limited(agent):
    """Make a token for some tools alone and return it with its actor."""

    def make(*tools, scopes=EVERY_SCOPE):
        known = {tool.scope for registry in (REGISTRY, RESOURCES) for tool in registry.tools}
        token, text = create_token(agent=agent, scopes=set(scopes) & known, tools=tools)
        return text, authenticate(text), token

    return make


def test_a_token_for_some_tools_calls_these_and_no_others(limited, message):
    _, actor, _ = limited("list_threads")
    found = call("list_threads", {"inbox_id": message.inbox.public_id}, actor).result
    assert found["threads"]
    for name, arguments in (
        ("search_inbox", {"inbox_id": message.inbox.public_id, "query": "x"}),
        ("list", {"resource": "emails", "parameters": {"account_id": "any"}}),
    ):
        with pytest.raises(ToolError) as refused:
            call(name, arguments, actor)
        assert refused.value.code == "permission_denied"
        assert "only for other tools" in refused.value.message
    with pytest.raises(ToolError) as refused:
        call("list_inboxes", {}, actor, None, RESOURCES)
    assert refused.value.code == "permission_denied"


def test_it_never_widens_the_scopes(limited, message):
    _, actor, _ = limited("send_reply", scopes={"inbox:read"})
    with pytest.raises(ToolError) as refused:
        call(
            "send_reply",
            {
                "thread_id": message.thread.public_id,
                "body_or_draft_id": "Hi",
                "idempotency_key": "k",
            },
            actor,
        )
    assert refused.value.code == "permission_denied"
    assert "scope" in refused.value.message


def test_a_verb_stands_for_its_operations_wherever_they_are_called(limited, inbox):
    account = inbox.account
    _, actor, token = limited("list")
    fold = REGISTRY.find("list")
    own = {branch.tool.name for branch in fold.branches.values()}
    assert token.tools == sorted(own | PROPOSALS)
    asked = {"account_id": account.public_id}
    assert call("list", {"resource": "emails", "parameters": asked}, actor).result == []
    assert call("email_list", asked, actor).result == []


def test_lists_show_only_these_tools_and_branches(limited, client):
    text, actor, _ = limited("email_list", "push_context")
    shown, _ = list_page(
        find_profile("unified"), actor.scopes, None, any_json=True, only=actor.tools
    )
    forms = {tool["name"]: tool for tool in shown}
    assert forms.keys() == {"list", "look_around", "list_approvals", "get_approval"}
    assert forms["list"]["inputSchema"]["properties"]["resource"]["enum"] == ["emails"]
    answer = client.get(
        "/api/tools?format=openai&profile=mesh", headers={"Authorization": f"Bearer {text}"}
    )
    names = {one["function"]["name"] for one in answer.json()["tools"]}
    assert names & {"push_context", "get_context", "send_agent_message"} == {"push_context"}


def test_it_is_told_who_it_is_and_for_which_tools(limited, client):
    text, actor, _ = limited("email_list")
    assert call("look_around", {}, actor).result["you"]["tools"] == sorted(
        {"email_list"} | PROPOSALS
    )
    me = client.get("/api/v1/me", headers={"Authorization": f"Bearer {text}"}).json()
    assert me["tools"] == sorted({"email_list"} | PROPOSALS)


def schedule(actor, account):
    payload = {"account_id": account.public_id}
    at = (timezone.now() + timedelta(hours=1)).isoformat()
    arguments = {"action": "create", "trigger_at": at, "type": "command",
                 "command": "email_list", "payload": payload}  # fmt: skip
    return call("internal_scheduler_service", arguments, actor)


def test_a_schedule_reaches_no_further_than_its_token(limited, agent, inbox):
    _, actor, _ = limited("internal_scheduler_service")
    with pytest.raises(ToolError) as refused:
        schedule(actor, inbox.account)
    assert refused.value.code == "permission_denied"
    assert not Schedule.objects.exists()


def test_what_comes_due_is_refused_once_no_token_is_for_it(limited, agent, inbox):
    _, actor, wide = limited("internal_scheduler_service", "email_list")
    schedule(actor, inbox.account)
    wide.revoked_at = timezone.now()
    wide.save()
    agent.tokens.exclude(pk=wide.pk).delete()
    limited("internal_scheduler_service")
    Schedule.objects.update(trigger_at=timezone.now())
    Job.objects.filter(state=JobState.QUEUED).update(run_at=timezone.now())
    run_due()
    assert Schedule.objects.get().state == "failed"


def test_of_several_tokens_the_widest_counts_for_what_comes_due(agent, limited):
    agent.tokens.all().delete()
    limited("email_list")
    limited("file_list")
    assert current_actor(agent).tools == {"email_list", "file_list"} | PROPOSALS
    create_token(agent=agent, scopes=["inbox:read"])
    assert current_actor(agent).tools == frozenset()


def test_a_tool_that_is_none_is_refused_by_name(agent):
    before = agent.tokens.count()
    with pytest.raises(DomainError) as refused:
        create_token(agent=agent, scopes=["inbox:read"], tools=["email_list", "rm"])
    assert "'rm' is not a tool" in str(refused.value.message)
    assert "email_list" in str(refused.value.accepted)
    assert agent.tokens.count() == before
