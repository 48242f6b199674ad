"""What an account has at Google and what it has here, both ways: to-dos, contacts, killed syncs."""

import random
from datetime import UTC, datetime

import pytest

from calendar_app.models import Todo, TodoList
from calendar_app.operations.todos import create_todo, delete_todo, update_todo
from inbox.models import Person, RemoteItem
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import create_contact, delete_contact, update_contact
from tests.cases import made_up
from tests.factories import make_person_user, person_actor
from tests.inbox.providers.google.stages import PeopleStage, TaskStage, good
from tests.inbox.syncing.collections.sources import connect, run_jobs_but_syncs, sync
from tests.machines.google.everything import google_server

pytestmark = pytest.mark.django_db
DUE = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def google():
    with google_server() as server:
        yield server
    assert server.violations == []


@pytest.fixture
def owner(inbox):
    return person_actor(make_person_user(inbox.workspace))


class There:
    """A collection at Google, another client of it, and our source."""

    def __init__(self, account, stage):
        self.stage = stage
        settings, token = {"api_url": stage.server.url}, stage.server.token()
        only = {stage.collection.id}
        self.source = sync(connect(account, "google", settings, token, only=only))

    def sync(self):
        self.source = sync(self.source)
        assert self.source.failures == 0, (self.source.words, self.source.reply)


@pytest.fixture
def todos(inbox, google):
    there = There(inbox.account, TaskStage(google))
    yield there
    there.stage.close()


@pytest.fixture
def people(inbox, google):
    there = There(inbox.account, PeopleStage(google))
    yield there
    there.stage.close()


def calls_of(todos):
    return [f"{call.method} {call.path}" for call in todos.stage.server.calls]


def made_there(todos):
    return {it["title"]: it for it in todos.stage.list.tasks.values() if not it.get("deleted")}


def test_to_dos_with_their_parts_are_made_here_and_stand_there_the_same(todos, owner):
    todo_list = TodoList.objects.get()
    whole = create_todo(actor=owner, todo_list=todo_list, summary="Move house", due=DUE)
    create_todo(actor=owner, todo_list=todo_list, summary="Pack", parent=whole)
    todos.sync()
    there = made_there(todos)
    assert there["Pack"]["parent"] == there["Move house"]["id"]
    assert there["Move house"]["due"] == "2026-03-02T00:00:00.000Z"
    assert "notes" not in there["Move house"]
    # Another part comes from there, below what was made here.
    good(todos.stage.client.post(
        todos.stage.path, params={"parent": there["Move house"]["id"]}, json={"title": "Call"}
    ))  # fmt: skip
    todos.sync()
    whole.refresh_from_db()
    assert Todo.objects.get(summary="Call").parent == whole
    assert whole.due == DUE
    update_todo(todo=whole, changes={"status": "completed"})
    delete_todo(todo=Todo.objects.get(summary="Pack"))
    todos.sync()
    there = made_there(todos)
    assert sorted(there) == ["Call", "Move house"]
    assert there["Move house"]["status"] == "completed"


def test_a_to_do_whose_making_was_cut_off_is_one_on_both_sides(todos, owner):
    create_todo(actor=owner, todo_list=TodoList.objects.get(), summary="Pay")
    todos.stage.server.order("lose", "POST")
    todos.source = sync(todos.source)
    todos.sync()
    todos.sync()
    assert Todo.objects.count() == 1
    assert len(made_there(todos)) == 1
    assert sum(call.startswith("POST") for call in calls_of(todos)) == 1
    assert not RemoteItem.objects.filter(dirty=True).exists()


def test_contacts_go_both_ways_and_what_is_not_known_of_them_stays(people, owner, inbox):
    people.stage.put("ada", "Byron", userDefined=[{"key": "Tea", "value": "black"}])
    people.sync()
    person = Person.objects.get(fn="Byron")
    update_contact(actor=owner, person=person, changes=CardChanges(org="Lantern"))
    changes = CardChanges(
        given_name="Mo", family_name="Wick", emails=[CardEmail("mo@wick.example")]
    )
    made = create_contact(actor=owner, account=inbox.account, changes=changes)
    people.sync()
    there = {it["names"][0]["displayName"]: it for it in people.stage.people.contacts.values()}
    assert there["Byron"]["organizations"][0]["name"] == "Lantern"
    assert there["Byron"]["userDefined"][0]["value"] == "black"
    assert there["Mo Wick"]["emailAddresses"][0]["value"] == "mo@wick.example"
    people.sync()
    assert people.source.calls <= 2
    delete_contact(actor=owner, person=made)
    people.stage.remove("ada")
    people.sync()
    assert all(it["metadata"].get("deleted") for it in people.stage.people.contacts.values())
    assert Person.objects.get(fn="Byron").deleted_at is not None


@pytest.mark.parametrize("fault", ["drop", "lose", "half", 429, 503])
def test_whatever_breaks_in_between_nothing_is_twice_and_nothing_lost(todos, owner, fault):
    chance, todo_list = random.Random(str(fault)), TodoList.objects.get()
    rounds = made_up(16)
    for number in range(rounds):
        create_todo(actor=owner, todo_list=todo_list, summary=f"Ours {number}")
        # Another program meets no trouble.
        todos.stage.server.faults.clear()
        todos.stage.put(f"uid{number}", f"Theirs {number}")
        todos.stage.server.order(fault, after=chance.randrange(12), retry_after="1")
        run_jobs_but_syncs()
        todos.source = sync(todos.source)
    todos.stage.server.faults.clear()
    for _number in range(3):
        todos.source = sync(todos.source)
    expected = sorted(
        f"{whose} {number}" for whose in ("Ours", "Theirs") for number in range(rounds)
    )
    assert sorted(Todo.objects.values_list("summary", flat=True)) == expected
    tasks = todos.stage.list.tasks.values()
    assert sorted(it["title"] for it in tasks if not it.get("deleted")) == expected
