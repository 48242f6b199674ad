"""A calendar at a CalDAV server: what is changed here is there, and the other way round."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from calendar_app.models import Calendar, Event
from calendar_app.operations.deletions import delete_event, restore_event
from calendar_app.operations.events import EventValues, plan_event, plan_update
from calendar_app.operations.occurrences import Occurrence, find_occurrence
from calendar_app.operations.sent import apply
from inbox.models import RemoteItem, SyncConflict
from tests.dav_servers import PASSWORD
from tests.factories import NOON
from tests.inbox.providers.dav.stages import DavStage
from tests.inbox.syncing.collections.sources import connect, sync

pytestmark = pytest.mark.django_db
STANDUP = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Elsewhere//EN\r\nBEGIN:VEVENT\r\n"
    "UID:standup@there\r\nDTSTAMP:20260101T000000Z\r\n"
    "DTSTART;TZID=Europe/Berlin:20260302T090000\r\nDTEND;TZID=Europe/Berlin:20260302T091500\r\n"
    'RRULE:FREQ=WEEKLY;COUNT=10\r\nSUMMARY:Stand-up\r\nX-OWN-WORD;X-P="a:b":kept as it is\r\n'
    "BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT10M\r\nDESCRIPTION:Soon\r\nEND:VALARM\r\n"
    "END:VEVENT\r\nEND:VCALENDAR\r\n"
)


class There:
    """Another client of the same calendar, and our source."""

    def __init__(self, account, server):
        user = server.new_user()
        self.stage = DavStage(server, user, "calendar")
        settings = {"url": server.url, "username": user}
        self.source = connect(account, "dav", settings, PASSWORD)
        self.calendar = Calendar.objects.get(remote__isnull=False)

    def sync(self):
        self.source = sync(self.source)
        assert self.source.failures == 0, (self.source.words, self.source.reply)
        return self.source

    def put(self, name, raw):
        self.stage.put_raw(name, raw.encode())

    def texts(self):
        """What lies there, by its title."""
        store, collection = self.stage.reopened(), self.stage.collection
        ids = [entry.id for entry in store.changes(collection, "").present]
        raws = [item.raw.decode() for item in store.fetch(collection, ids)]
        return {re.search("SUMMARY:(.*)", raw)[1].strip(): raw for raw in raws}

    def requests_of(self, method):
        """How many of them the last sync made is not told by servers; the rows say what we did."""


@pytest.fixture
def there(inbox, radicale):
    there = There(inbox.account, radicale)
    yield there
    there.stage.close()


def make_event(calendar, summary="Lunch", **more):
    values = EventValues(summary=summary, start=NOON, end=NOON + timedelta(hours=1), **more)
    invitation = plan_event(calendar=calendar, wanted=values)
    apply(account=calendar.account, message=invitation.message, calendar=calendar, by_person=True)
    return Event.objects.get(uid=invitation.event.uid)


def change(event, **values):
    event = Event.objects.select_related("calendar__account").get(pk=event.pk)
    occurrence = Occurrence(event, event.dtstart, event.dtend)
    invitation = plan_update(occurrence=occurrence, wanted=EventValues(**values))
    apply(account=event.calendar.account, message=invitation.message)


def etags():
    return dict(RemoteItem.objects.values_list("key", "etag"))


def test_an_event_made_here_is_there_and_comes_back_as_no_news(there):
    event = make_event(there.calendar)
    there.sync()
    assert "UID:" + event.uid in there.texts()["Lunch"]
    version, known = Event.objects.get().version, etags()
    assert there.sync().calls <= 2
    assert (Event.objects.get().version, etags()) == (version, known)


def test_a_change_here_touches_nothing_else_of_what_is_there(there):
    there.put("standup", STANDUP)
    there.sync()
    event = Event.objects.get()
    change(event, summary="Daily")
    there.sync()
    raw = there.texts()["Daily"]
    for line in (
        'X-OWN-WORD;X-P="a:b":kept as it is',
        "TRIGGER:-PT10M",
        "RRULE:FREQ=WEEKLY;COUNT=10",
        "DTSTART;TZID=Europe/Berlin:20260302T090000",
    ):
        assert line in raw
    assert raw.count("SUMMARY:") == 1


def test_both_change_another_field_and_both_stand(there):
    there.put("standup", STANDUP)
    there.sync()
    change(Event.objects.get(), summary="Daily")
    there.put("standup", STANDUP.replace("SUMMARY:", "LOCATION:Bridge\r\nSUMMARY:"))
    there.sync()
    there.sync()
    event = Event.objects.get()
    assert (event.summary, event.location) == ("Daily", "Bridge")
    assert "LOCATION:Bridge" in there.texts()["Daily"]
    assert not SyncConflict.objects.exists()


def test_both_change_one_field_the_server_stands_and_ours_is_kept(there):
    there.put("standup", STANDUP)
    there.sync()
    change(Event.objects.get(), summary="Daily")
    there.put("standup", STANDUP.replace("SUMMARY:Stand-up", "SUMMARY:Weekly"))
    there.sync()
    assert Event.objects.get().summary == "Weekly"
    assert list(there.texts()) == ["Weekly"]
    conflict = SyncConflict.objects.get()
    assert (conflict.ours["summary"], conflict.theirs["summary"]) == ("Daily", "Weekly")


def test_deleted_here_is_gone_there_and_restored_is_there_again(there):
    event = make_event(there.calendar)
    there.sync()
    delete_event(occurrence=Occurrence(event, event.dtstart, event.dtend))
    there.sync()
    assert there.texts() == {}
    restore_event(event=Event.objects.select_related("calendar__account").get())
    there.sync()
    assert list(there.texts()) == ["Lunch"]


def test_deleted_there_is_deleted_here_softly(there):
    there.put("standup", STANDUP)
    there.sync()
    there.stage.remove("standup")
    there.sync()
    assert Event.objects.get().deleted_at is not None


def test_deleted_here_and_changed_there_comes_back(there):
    there.put("standup", STANDUP)
    there.sync()
    event = Event.objects.select_related("calendar__account").get()
    delete_event(occurrence=Occurrence(event, event.dtstart, event.dtend))
    there.put("standup", STANDUP.replace("SUMMARY:Stand-up", "SUMMARY:Weekly"))
    there.sync()
    assert Event.objects.kept().get().summary == "Weekly"
    assert SyncConflict.objects.get().ours == {"deleted": True}


def test_what_was_changed_and_deleted_here_comes_back_with_the_sequence_it_has_there(there):
    there.put("standup", STANDUP)
    there.sync()
    change(Event.objects.get(), location="Bridge")
    event = Event.objects.select_related("calendar__account").get()
    delete_event(occurrence=Occurrence(event, event.dtstart, event.dtend))
    there.put("standup", STANDUP.replace("SUMMARY:Stand-up", "SUMMARY:Weekly"))
    there.sync()
    event = Event.objects.kept().get()
    assert (event.sequence, event.location) == (0, "")
    before = there.texts()
    there.sync()
    assert there.texts() == before
    assert "SEQUENCE" not in before["Weekly"]


def test_a_program_there_takes_a_sequence_back_and_ours_go_on_from_the_highest(there):
    there.put("standup", STANDUP)
    there.sync()
    for place in ("Bridge", "Deck"):
        change(Event.objects.get(), location=place)
    there.sync()
    assert "SEQUENCE:2" in there.texts()["Stand-up"]
    there.put("standup", STANDUP)
    there.sync()
    assert (Event.objects.get().sequence, Event.objects.get().location) == (0, "")
    change(Event.objects.get(), location="Mast")
    there.sync()
    assert "SEQUENCE:3" in there.texts()["Stand-up"]
    assert not SyncConflict.objects.exists()


def test_that_both_count_their_changes_is_no_conflict(there):
    there.put("standup", STANDUP)
    there.sync()
    for place in ("Bridge", "Deck"):
        change(Event.objects.get(), location=place)
    there.put("standup", STANDUP.replace("SUMMARY:Stand-up", "SEQUENCE:1\r\nSUMMARY:Daily"))
    there.sync()
    event = Event.objects.get()
    assert (event.summary, event.location, event.latest_sequence) == ("Daily", "Deck", 2)
    assert "LOCATION:Deck" in there.texts()["Daily"]
    assert not SyncConflict.objects.exists()


def test_one_instance_moved_there_and_one_called_off_here(there):
    there.put("standup", STANDUP)
    there.sync()
    series = Event.objects.get()
    rows = Event.objects.select_related("calendar__account")
    second = find_occurrence(rows, series.public_id)
    assert second is not None
    moved = (
        "BEGIN:VEVENT\r\nUID:standup@there\r\nDTSTAMP:20260101T000000Z\r\n"
        "RECURRENCE-ID;TZID=Europe/Berlin:20260309T090000\r\n"
        "DTSTART;TZID=Europe/Berlin:20260309T110000\r\nDTEND;TZID=Europe/Berlin:20260309T111500\r\n"
        "SUMMARY:Later\r\nEND:VEVENT\r\nEND:VCALENDAR"
    )
    there.put("standup", STANDUP.replace("END:VCALENDAR", moved))
    there.sync()
    assert Event.objects.kept().get(recurrence_id="20260309T080000Z").summary == "Later"


def test_what_reached_guests_is_told_without_the_server_telling_them(there):
    make_event(there.calendar, attendees=["mo@elsewhere.example"])
    there.sync()
    raw = there.texts()["Lunch"].replace("\r\n ", "")
    assert "mailto:mo@elsewhere.example" in raw


def test_a_second_look_is_short(there):
    there.put("standup", STANDUP)
    there.sync()
    assert there.sync().calls <= 2
    assert there.source.current_at <= timezone.now()
