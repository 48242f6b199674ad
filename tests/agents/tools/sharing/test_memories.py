"""The memory service: saved once, found again, deleted and brought back by people."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Memory, Receipt
from agents.operations.sharing.memories import delete_memories, purge_memories, restore_memories
from tests import factories

pytestmark = pytest.mark.django_db


def service(actor, action, **more):
    return call("internal_memory_service", {"action": action, **more}, actor).result


def save(actor, content="Ada prefers a window seat."):
    return service(actor, "save", content=content)["data"]


def search(actor, query="window seat", **more):
    return service(actor, "search", query=query, **more)["data"]


@pytest.fixture
def person(reviewer):
    return factories.person_actor(reviewer)


def test_what_was_saved_is_found_in_the_envelope_of_the_services(actor):
    saved = service(actor, "save", content="Ada prefers a window seat.")
    assert (saved["status"], saved["message"], saved["data"]["is_new"]) == ("success", None, True)
    found = service(actor, "search", query="prefers windows seats")
    memory = Memory.objects.get()
    assert found["data"] == {
        "memories": [
            {
                "memory_id": memory.public_id, "content": "Ada prefers a window seat.", "score": 1.0,
                "created_at": memory.created_at.isoformat().replace("+00:00", "Z"),
            }
        ],
        "count": 1,
    }  # fmt: skip
    assert saved["data"]["memory_id"] == memory.public_id


def test_nothing_relevant_is_nothing_returned(actor):
    save(actor)
    assert search(actor, "quarterly revenue") == {"memories": [], "count": 0}


def test_five_come_unless_asked_for_otherwise(actor):
    for number in range(8):
        save(actor, f"Window seat {number}")
    assert search(actor)["count"] == 5
    assert search(actor, limit=7)["count"] == 7


@pytest.mark.parametrize("limit", [0, 51, "5", 2.5])
def test_a_limit_is_a_whole_number_up_to_50(actor, limit):
    with pytest.raises(ToolError) as caught:
        search(actor, limit=limit)
    assert caught.value.details["errors"][0]["pointer"] == "/limit"


@pytest.mark.parametrize("content", ["", "  \n", "x" * 20_001, None, 5])
def test_a_memory_is_a_text_of_some_length(actor, content):
    with pytest.raises(ToolError) as caught:
        save(actor, content)
    assert caught.value.details["errors"][0]["pointer"] == "/content"


def test_the_same_text_again_is_the_same_memory(actor, workspace):
    first, again = save(actor), save(actor)
    assert (again["memory_id"], again["is_new"]) == (first["memory_id"], False)
    scout = factories.agent_actor(factories.make_agent(workspace, "Scout"))
    assert save(scout)["is_new"]
    assert Memory.objects.count() == 2


def test_the_receipt_says_which_memory_was_made(actor):
    saved = save(actor)
    receipt = Receipt.objects.get(tool="internal_memory_service.save")
    assert receipt.actor == actor.key
    assert receipt.result["data"]["memory_id"] == saved["memory_id"]


def test_a_person_deletes_a_memory_and_brings_it_back(actor, person):
    save(actor)
    assert delete_memories(actor=person, memories=Memory.objects.all()) == 1
    assert search(actor)["count"] == 0
    assert Memory.objects.visible_to(person).count() == 1
    assert restore_memories(actor=person, memories=Memory.objects.all()) == 1
    assert search(actor)["count"] == 1
    tools = set(Receipt.objects.filter(actor=person.key).values_list("tool", flat=True))
    assert tools == {"delete_memory", "restore_memory"}


def test_what_a_person_deleted_may_be_saved_anew_and_then_stays_deleted(actor, person):
    first = save(actor)
    delete_memories(actor=person, memories=Memory.objects.all())
    second = save(actor)
    assert second["is_new"]
    assert second["memory_id"] != first["memory_id"]
    assert restore_memories(actor=person, memories=Memory.objects.all()) == 0
    assert Memory.objects.kept().count() == 1


def test_nobody_deletes_what_they_may_not_see(actor, workspace):
    save(actor)
    stranger = factories.person_actor(factories.make_person_user(factories.make_workspace()))
    assert delete_memories(actor=stranger, memories=Memory.objects.all()) == 0
    assert Memory.objects.kept().count() == 1


def test_what_was_deleted_is_purged_after_thirty_days(actor, person):
    save(actor)
    delete_memories(actor=person, memories=Memory.objects.all())
    assert purge_memories() == 0
    assert purge_memories(timezone.now() + timedelta(days=31)) == 1
    assert not Memory.objects.exists()


def test_people_save_no_memories(person):
    with pytest.raises(ToolError) as caught:
        save(person)
    assert caught.value.code == "permission_denied"
