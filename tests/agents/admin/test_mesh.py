"""Contexts, agent messages, memories and schedules in the admin."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agents.dispatching.dispatch import call
from agents.models import AgentMessage, ContextEntry, Memory, Receipt, Schedule
from inbox.models import Role
from tests import factories

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\u202e"
MEMORIES = "/admin/agents/memory/"


@pytest.fixture
def made(workspace, actor):
    """A row of each kind whose every text is hostile."""
    factories.make_agent(workspace, "Scout")
    call(
        "push_context",
        {"agent_name": "Clerk", "key": HOSTILE, "value": [HOSTILE], "subscribers": ["Scout"],
         "ttl": 60},
        actor,
    )  # fmt: skip
    message = {"from_agent": "Clerk", "to_agent": "Scout", "message": HOSTILE}
    call("send_message_to_agent", message, actor)
    call("internal_memory_service", {"action": "save", "content": f"Note {HOSTILE}"}, actor)
    at = (timezone.now() + timedelta(days=1)).isoformat()
    schedule = {"action": "create", "command": HOSTILE, "trigger_at": at, "payload": {"a": HOSTILE}}
    call("internal_scheduler_service", schedule, actor)


def sign_in(workspace, role):
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


def pages(model):
    row = model.objects.get()
    place = f"/admin/agents/{model._meta.model_name}/"
    return [place, f"{place}{row.pk}/change/", f"{place}?q=Clerk"]


@pytest.mark.parametrize("model", [ContextEntry, AgentMessage, Memory, Schedule])
def test_what_agents_wrote_is_shown_and_does_nothing(workspace, made, model):
    client = sign_in(workspace, Role.VIEWER)
    for place in pages(model):
        page = client.get(place)
        assert page.status_code == 200
        shown = page.content.decode()
        assert "&lt;script&gt;alert(1)" in shown
        assert "<script>alert" not in shown
        assert "U+202E" in shown or "\\u202e" in shown or "\u202e" in shown


@pytest.mark.parametrize("model", [ContextEntry, AgentMessage, Memory, Schedule])
def test_a_stranger_sees_none_of_it(made, model):
    client = sign_in(factories.make_workspace(), Role.OWNER)
    place, change, _ = pages(model)
    assert "alert(1)" not in client.get(place).content.decode()
    assert client.get(change).status_code in {302, 404}


def choose(client, action, place=MEMORIES):
    chosen = [memory.pk for memory in Memory.objects.all()]
    return client.post(place, {"action": action, "_selected_action": chosen})


@pytest.mark.parametrize(("role", "kept"), [("owner", 0), ("reviewer", 0), ("viewer", 1)])
def test_those_who_decide_delete_memories_and_bring_them_back(workspace, made, role, kept):
    client = sign_in(workspace, role)
    choose(client, "delete_chosen")
    assert Memory.objects.kept().count() == kept
    if not kept:
        assert "Note" not in client.get(MEMORIES).content.decode()
        assert "Note" in client.get(f"{MEMORIES}?deleted=yes").content.decode()
        choose(client, "restore_chosen", f"{MEMORIES}?deleted=yes")
        assert Memory.objects.kept().count() == 1
        receipts = Receipt.objects.filter(tool__endswith="_memory").values_list("tool", flat=True)
        assert sorted(receipts) == ["delete_memory", "restore_memory"]


def test_a_stranger_deletes_nothing(made):
    choose(sign_in(factories.make_workspace(), Role.OWNER), "delete_chosen")
    assert Memory.objects.kept().count() == 1


def test_nothing_of_it_is_changed_by_hand(workspace, made):
    client = sign_in(workspace, Role.OWNER)
    for model in (ContextEntry, AgentMessage, Memory, Schedule):
        change = pages(model)[1]
        assert client.post(change, {"command": "other"}).status_code == 403
        assert client.get(change.replace("change", "delete")).status_code == 403
