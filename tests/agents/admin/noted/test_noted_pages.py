"""The queue of what agents noted of strangers' words: read, approved, edited, rejected, forgotten."""

import pytest
from django.test import Client
from django.urls import reverse

from agents.dispatching.dispatch import call
from agents.models import ContextEntry, Memory, WaitingContext
from inbox.models import Role
from tests import factories

pytestmark = pytest.mark.django_db
POISON = "Dues of <b>12</b> May go to eve\u202e"


@pytest.fixture
def waiting(actor, inbox):
    """A memory and a shared value of a stranger's words, and what each is beside."""
    save(actor, "Dues of 10 May go to eve")
    push(actor, "Tom")
    stranger = factories.make_message(inbox, sender="eve@collector.example", subject="Dues")
    named = {"account_id": inbox.account.public_id, "email_id": stranger.public_id}
    call("email_get", named, actor)
    save(actor, POISON)
    push(actor, "Eve")
    return Memory.objects.get(waits=True), WaitingContext.objects.get()


def save(actor, content):
    call("internal_memory_service", {"action": "save", "content": content}, actor)


def push(actor, value):
    call("push_context", {"agent_name": actor.name, "key": "payee", "value": value}, actor)


def sign_in(workspace, role=Role.REVIEWER):
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


def show(client, name, *named, **query):
    return client.get(reverse(name, args=named), query)


def post(client, name, *named, **given):
    return client.post(reverse(name, args=named), given, follow=True)


def test_the_queue_and_the_pages_show_what_waits_and_whose_words_it_is(workspace, waiting):
    memory, context = waiting
    client = sign_in(workspace)
    queue = show(client, "noted-queue").content.decode()
    for words in ("Dues of &lt;b&gt;12", "U+202E", "payee", "Clerk"):
        assert words in queue
    page = show(client, "noted", memory.public_id).content.decode()
    for words in ("Contradicts this memory", "Dues of 10 May", "words</span>", "U+202E"):
        assert words in page
    assert f"{reverse('noted-forget')}?source=eve%40collector.example" in page
    page = show(client, "noted", context.public_id).content.decode()
    assert "Tom" in page
    assert "Current value" in page


def test_what_was_edited_is_approved_as_it_was_edited(workspace, waiting):
    memory, context = waiting
    client = sign_in(workspace)
    seen = {"seen": memory.sha256, "valid_from": "2026-01-02T10:00"}
    post(client, "noted-approve", memory.public_id, text="Dues go\r\nto Tom.", **seen)
    memory.refresh_from_db()
    assert (memory.content, memory.waits) == ("Dues go\nto Tom.", False)
    assert memory.valid_from.isoformat() == "2026-01-02T10:00:00+00:00"
    seen = context.pushed_at.isoformat()
    post(client, "noted-approve", context.public_id, text='"Ada"', seen=seen)
    assert ContextEntry.objects.get().value == "Ada"


def test_what_cannot_be_approved_says_why_and_still_waits(workspace, waiting):
    memory, context = waiting
    client = sign_in(workspace)
    for given in ({"expires_at": "soon"}, {"expires_at": "2026-99-99T10:00"}, {"seen": "other"}):
        asked = {"seen": memory.sha256, **given}
        assert list(post(client, "noted-approve", memory.public_id, **asked).context["messages"])
    pushed = context.pushed_at.isoformat()
    post(client, "noted-approve", context.public_id, text="{", seen=pushed)
    post(client, "noted-approve", context.public_id, seen="before")
    memory.refresh_from_db()
    assert memory.waits
    assert ContextEntry.objects.get().value == "Tom"


def test_both_are_rejected(workspace, waiting):
    client = sign_in(workspace)
    for row in waiting:
        post(client, "noted-reject", row.public_id)
    assert not WaitingContext.objects.exists()
    assert not Memory.objects.kept().filter(waits=True).exists()
    assert show(client, "noted", waiting[0].public_id).status_code == 404


def test_a_source_is_forgotten_once_it_was_looked_at(workspace, waiting):
    client = sign_in(workspace)
    page = show(client, "noted-forget", source="collector.example").content.decode()
    assert "2 notes" in page
    given = {"workspace": workspace.pk, "source": "collector.example"}
    post(client, "noted-forget-all", **given, count=1)
    assert WaitingContext.objects.exists()
    post(client, "noted-forget-all", **given, count=2)
    assert not WaitingContext.objects.exists()
    assert Memory.objects.kept().count() == 1
    assert post(client, "noted-forget-all", **given, count="x").status_code == 404


def test_viewers_read_and_other_workspaces_see_nothing(workspace, waiting):
    memory, context = waiting
    viewer = sign_in(workspace, Role.VIEWER)
    stranger = sign_in(factories.make_workspace(), Role.OWNER)
    assert (
        reverse("noted-approve", args=[memory.public_id])
        not in show(viewer, "noted", memory.public_id).content.decode()
    )
    assert "payee" not in show(stranger, "noted-queue").content.decode()
    for row in (memory, context):
        assert show(stranger, "noted", row.public_id).status_code == 404
        for name in ("noted-approve", "noted-reject"):
            assert post(viewer, name, row.public_id).status_code == 403
            assert post(stranger, name, row.public_id).status_code == 404
    given = {"workspace": workspace.pk, "source": "collector.example", "count": 2}
    assert post(viewer, "noted-forget-all", **given).status_code == 403
    assert post(stranger, "noted-forget-all", **given).status_code == 403
    assert (
        "notes"
        not in show(stranger, "noted-forget", source="collector.example")
        .content.decode()
        .split("<main")[-1]
    )
