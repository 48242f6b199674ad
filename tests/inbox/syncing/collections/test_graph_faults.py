"""At each request to Graph something goes wrong, in each way: nothing is lost, nothing is doubled.

`HTTP_FAULTS=all` spoils every request, else some of them.
"""

from datetime import timedelta

import pytest
from django.utils import timezone

from calendar_app.models import Calendar, Event, Todo
from calendar_app.operations.deletions import delete_event
from calendar_app.operations.events import EventValues, plan_event, plan_update
from calendar_app.operations.occurrences import Occurrence
from calendar_app.operations.sent import apply
from calendar_app.operations.todos import create_todo, delete_todo, update_todo
from inbox.models import Person, RemoteItem, RemoteSource, SyncConflict
from inbox.operations.contacts.cards import CardChanges
from inbox.operations.contacts.contacts import create_contact, delete_contact, update_contact
from inbox.syncing.collections.session import sync_source
from tests.factories import NOON, make_person_user, person_actor
from tests.http_faults import some_of
from tests.inbox.providers.graph.stages import CalendarStage, ContactStage, TodoStage
from tests.inbox.syncing.collections.sources import connect, run_jobs_but_syncs, sync
from tests.machines.graph.server import graph_server

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
WAYS = ["drop", "lose", "half", 429, 500, 503]
EXPECTED = ["Ours, changed", "Ours, new", "Theirs, changed", "Theirs, new"]


class CalendarScene:
    """A calendar changed on both sides: of a series an instance here, and another there."""

    stage_type = CalendarStage

    def __init__(self, inbox, actor):
        del inbox, actor

    def change(self, stage):
        calendar = Calendar.objects.select_related("account").get(remote__isnull=False)
        rows = Event.objects.filter(calendar=calendar).select_related("calendar__account")
        ours = rows.get(summary="Theirs 2")
        wanted = EventValues(summary="Ours, changed")
        planned = plan_update(occurrence=Occurrence(ours, ours.dtstart, ours.dtend), wanted=wanted)
        apply(account=calendar.account, message=planned.message)
        series = rows.get(summary="Ours, changed")
        first = series.dtstart + timedelta(days=1)
        instance = Occurrence(series, first, first + timedelta(hours=1), series, first)
        delete_event(occurrence=instance)
        second = series.dtstart + timedelta(days=2)
        later = Occurrence(series, second, second + timedelta(hours=1), series, second)
        planned = plan_update(occurrence=later, wanted=EventValues(location="Tower"))
        apply(account=calendar.account, message=planned.message)
        gone = rows.get(summary="Theirs 3")
        delete_event(occurrence=Occurrence(gone, gone.dtstart, gone.dtend))
        made = EventValues(summary="Ours, new", start=NOON, end=NOON + timedelta(hours=1))
        planned = plan_event(calendar=calendar, wanted=made)
        apply(account=calendar.account, message=planned.message, calendar=calendar)

    def fields(self, number):
        pattern = {"type": "daily", "interval": 1}
        span = {"type": "numbered", "startDate": "2026-01-10", "numberOfOccurrences": 5}
        more = {"recurrence": {"pattern": pattern, "range": span}} if number == 2 else {}
        return {"subject": f"Theirs {number}", **more}

    def titles_here(self):
        rows = Event.objects.kept().filter(recurrence_id="")
        return sorted(rows.values_list("summary", flat=True))

    def titles_there(self, stage):
        events = stage.box.calendars[stage.collection.id].events.values()
        [series] = [one for one in events if one.recurrence]
        assert len(series.cancelled) == 1
        assert [one.location["displayName"] for one in series.exceptions.values()] == ["Tower"]
        return sorted(one.fields["subject"] for one in events)


class ContactScene:
    """A folder of contacts changed on both sides."""

    stage_type = ContactStage

    def __init__(self, inbox, actor):
        self.account, self.actor = inbox.account, actor

    def change(self, stage):
        del stage
        names = {"actor": self.actor}
        person = Person.objects.get(fn="Theirs 2")
        update_contact(person=person, changes=CardChanges(fn="Ours, changed"), **names)
        delete_contact(person=Person.objects.get(fn="Theirs 3"), **names)
        changes = CardChanges(fn="Ours, new", given_name="Ours")
        create_contact(account=self.account, changes=changes, **names)

    def fields(self, number):
        return {"displayName": f"Theirs {number}", "givenName": "Mo"}

    def titles_here(self):
        rows = Person.objects.filter(deleted_at=None, fn__contains="rs")
        return sorted(rows.values_list("fn", flat=True))

    def titles_there(self, stage):
        contacts = stage.box.folders[stage.collection.id].contacts.values()
        return sorted(one.fields["displayName"] for one in contacts)


class TodoScene:
    """A list of to-dos changed on both sides."""

    stage_type = TodoStage

    def __init__(self, inbox, actor):
        del inbox
        self.actor = actor

    def change(self, stage):
        del stage
        todo = Todo.objects.get(summary="Theirs 2")
        due = NOON + timedelta(hours=1)
        update_todo(todo=todo, changes={"summary": "Ours, changed", "due": due})
        delete_todo(todo=Todo.objects.get(summary="Theirs 3"))
        create_todo(actor=self.actor, todo_list=todo.list, summary="Ours, new", due=due)

    def fields(self, number):
        return {"title": f"Theirs {number}"}

    def titles_here(self):
        return sorted(Todo.objects.filter(deleted_at=None).values_list("summary", flat=True))

    def titles_there(self, stage):
        tasks = stage.box.lists[stage.collection.id].tasks.values()
        return sorted(one.fields["title"] for one in tasks)


class Played:
    """A scene at a server of its own, changed on both sides and not synced."""

    def __init__(self, inbox, actor, server, scene_type):
        server.add_account()
        self.server, self.scene = server, scene_type(inbox, actor)
        self.stage = stage = scene_type.stage_type(server)
        settings, token = {"api_url": server.url}, server.sign_in()
        source = connect(inbox.account, "graph", settings, token, only={stage.collection.id})
        ids = [stage.make(self.scene.fields(number)) for number in range(4)]
        self.source = sync(source)
        assert self.source.failures == 0, (self.source.words, self.source.reply)
        field = next(iter(self.scene.fields(0)))
        stage.patch(ids[0], {field: "Theirs, changed"})
        path = f"/me/events/{ids[1]}" if scene_type is CalendarScene else stage.at(ids[1])
        assert stage.client.delete(path).is_success
        stage.make({field: "Theirs, new"})
        self.scene.change(stage)
        server.calls.clear()

    def sync_once(self):
        run_jobs_but_syncs()
        RemoteSource.objects.filter(pk=self.source.pk).update(next_at=timezone.now())
        sync_source(self.source.pk)

    def check(self):
        self.source = sync(RemoteSource.objects.get(pk=self.source.pk))
        assert self.source.failures == 0, (self.source.words, self.source.reply)
        assert self.scene.titles_there(self.stage) == EXPECTED
        assert self.scene.titles_here() == EXPECTED
        assert not SyncConflict.objects.exists()
        assert not RemoteItem.objects.exclude(problem="").exists()
        assert not RemoteItem.objects.filter(dirty=True).exists()
        self.server.calls.clear()
        sync(self.source)
        assert all(call.method == "GET" for call in self.server.calls)
        assert self.stage.box.sent == []

    def clear(self):
        self.stage.close()
        RemoteSource.objects.all().delete()
        for model in (Event, Todo, Person):
            model.objects.all().delete()
        Calendar.objects.filter(remote__isnull=False).delete()


@pytest.fixture
def owner(inbox):
    return person_actor(make_person_user(inbox.workspace))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scene_type", [CalendarScene, ContactScene, TodoScene])
def test_whatever_goes_wrong_with_a_request_both_sides_agree(inbox, owner, scene_type, way):
    with graph_server() as server:
        played = Played(inbox, owner, server, scene_type)
        played.sync_once()
        count = len(server.calls)
        played.check()
        played.clear()
    assert count >= 8
    for number in some_of(range(count), 2):
        with graph_server() as server:
            played = Played(inbox, owner, server, scene_type)
            server.order(way, after=number, retry_after="1" if way == 429 else "")
            played.sync_once()
            server.faults.clear()
            played.check()
            played.clear()


@pytest.mark.parametrize("scene_type", [ContactScene, TodoScene])
def test_positions_that_are_forgotten_lose_nothing(inbox, owner, scene_type):
    with graph_server() as server:
        played = Played(inbox, owner, server, scene_type)
        server.forget_changes()
        played.sync_once()
        played.check()
        played.clear()


@pytest.mark.parametrize("scene_type", [CalendarScene, ContactScene, TodoScene])
def test_an_etag_that_changed_on_the_way_is_read_and_settled(inbox, owner, scene_type):
    with graph_server() as server:
        played = Played(inbox, owner, server, scene_type)
        server.order(412, "^PATCH ", times=3)
        played.sync_once()
        server.faults.clear()
        played.check()
        played.clear()
