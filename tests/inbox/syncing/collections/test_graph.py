"""Calendars, contacts and to-dos of an account at Microsoft: both ways, and without an echo."""

from datetime import timedelta

import pytest

from calendar_app.models import Calendar, Event, Todo
from calendar_app.operations.events import EventValues, plan_event
from calendar_app.operations.sent import apply
from calendar_app.operations.todos import create_todo, update_todo
from inbox.models import Person, RemoteItem
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import create_contact, delete_contact, update_contact
from tests.factories import NOON, make_person_user, person_actor
from tests.inbox.providers.graph.stages import CalendarStage, ContactStage, TodoStage
from tests.inbox.syncing.collections.sources import connect, sync
from tests.machines.graph.server import graph_server

pytestmark = pytest.mark.django_db


class There:
    """A collection at the stand-in, and our source of it alone."""

    def __init__(self, account, server, stage):
        self.server, self.stage = server, stage(server)
        settings, token = {"api_url": server.url}, server.sign_in()
        only = {self.stage.collection.id}
        self.source = sync(connect(account, "graph", settings, token, only=only))

    def sync(self):
        self.source = sync(self.source)
        assert self.source.failures == 0, (self.source.words, self.source.reply)
        problems = RemoteItem.objects.exclude(problem="").values_list("problem", flat=True)
        assert not list(problems)

    def check_no_echo(self, calls):
        """Nothing is told again, and a look costs what it may."""
        self.sync()
        self.server.calls.clear()
        self.sync()
        assert all(call.method == "GET" for call in self.server.calls)
        assert self.source.calls <= calls


@pytest.fixture
def there(inbox, request):
    with graph_server() as server:
        server.add_account()
        found = There(inbox.account, server, request.param)
        yield found
        found.stage.close()


@pytest.fixture
def owner(inbox):
    return person_actor(make_person_user(inbox.workspace))


@pytest.mark.parametrize("there", [ContactStage], indirect=True)
def test_contacts_go_both_ways(there, owner, inbox):
    id_ = there.stage.make({"displayName": "Mo Lantern", "givenName": "Mo", "surname": "Lantern",
                            "spouseName": "Ada"})  # fmt: skip
    there.sync()
    person = Person.objects.get(fn="Mo Lantern")
    emails = [CardEmail("mo@lantern.example", kind="work")]
    update_contact(actor=owner, person=person, changes=CardChanges(org="Light", emails=emails))
    changes = CardChanges(
        given_name="Ada", family_name="Wick", emails=[CardEmail("ada@wick.example")]
    )
    made = create_contact(actor=owner, account=inbox.account, changes=changes)
    there.sync()
    kept = there.stage.get(id_)
    assert (kept["companyName"], kept["spouseName"]) == ("Light", "Ada")
    assert [one["address"] for one in kept["emailAddresses"]] == ["mo@lantern.example"]
    folder = there.stage.box.folders[there.stage.collection.id]
    assert {one.fields["displayName"] for one in folder.contacts.values()} == {
        "Mo Lantern", "Ada Wick",
    }  # fmt: skip
    there.check_no_echo(calls=1)
    assert Person.objects.get(pk=person.pk).emails.get().kind == "work"
    delete_contact(actor=owner, person=made)
    there.sync()
    assert list(folder.contacts) == [id_]


@pytest.mark.parametrize("there", [TodoStage], indirect=True)
def test_to_dos_go_both_ways(there, owner):
    id_ = there.stage.make({"title": "Trim the wick", "importance": "high"})
    there.sync()
    todo = Todo.objects.get(summary="Trim the wick")
    assert todo.starred
    update_todo(todo=todo, changes={"status": "completed"})
    made = create_todo(actor=owner, todo_list=todo.list, summary="Buy oil", due=NOON)
    there.sync()
    assert there.stage.get(id_)["status"] == "completed"
    tasks = there.stage.box.lists[there.stage.collection.id].tasks
    assert {one.fields["title"] for one in tasks.values()} == {"Trim the wick", "Buy oil"}
    there.check_no_echo(calls=1)
    made.refresh_from_db()
    assert made.due == NOON
    there.stage.client.delete(there.stage.at(id_))
    there.sync()
    todo.refresh_from_db()
    assert todo.deleted_at is not None


@pytest.mark.parametrize("there", [CalendarStage], indirect=True)
def test_an_event_with_guests_is_made_there_and_nobody_is_written_to(there):
    there.stage.make({"subject": "Watch"})
    there.sync()
    assert Event.objects.filter(summary="Watch", deleted_at=None).exists()
    calendar = Calendar.objects.select_related("account").get(remote__isnull=False)
    wanted = EventValues(
        summary="Lamps", start=NOON, end=NOON + timedelta(hours=1),
        attendees=("otto@shore.example",),
    )  # fmt: skip
    invitation = plan_event(calendar=calendar, wanted=wanted)
    apply(account=calendar.account, message=invitation.message, calendar=calendar)
    there.sync()
    place = there.stage.box.calendars[there.stage.collection.id]
    made = next(it for it in place.events.values() if it.fields["subject"] == "Lamps")
    assert made.attendees == []
    there.check_no_echo(calls=2)
    event = Event.objects.get(summary="Lamps")
    assert [one.email for one in event.attendees.all()] == ["otto@shore.example"]
    assert there.stage.box.sent == []
