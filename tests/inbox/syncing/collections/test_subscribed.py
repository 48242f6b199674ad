"""A calendar at an address, subscribed to: it comes in, follows, and is never written."""

import pytest

from agents.evidence.origins import find_origins
from agents.evidence.refs import Ref
from agents.models import Origin
from calendar_app.models import Calendar, Event
from calendar_app.operations.deletions import delete_event
from calendar_app.operations.events import EventValues, plan_update
from calendar_app.operations.occurrences import Occurrence
from inbox.errors import DomainError
from inbox.models import RemoteCollection, RemoteItem, SyncStatus
from inbox.operations.accounts.sources import disconnect_source
from inbox.providers.mail_store import StoreError
from tests.calendar_server import calendar, serving_calendar
from tests.factories import make_person_user, person_actor
from tests.inbox.syncing.collections.sources import connect, sync

pytestmark = pytest.mark.django_db

STANDUP = """
UID:standup@team
DTSTAMP:20260101T000000Z
DTSTART;TZID=Europe/Berlin:20260302T090000
DTEND;TZID=Europe/Berlin:20260302T091500
RRULE:FREQ=WEEKLY;COUNT=10
SUMMARY:Stand-up
"""
MOVED = """
UID:standup@team
RECURRENCE-ID;TZID=Europe/Berlin:20260309T090000
DTSTAMP:20260101T000000Z
DTSTART;TZID=Europe/Berlin:20260309T110000
DTEND;TZID=Europe/Berlin:20260309T111500
SUMMARY:Stand-up, later
"""
FAIR = "UID:fair@team\nDTSTAMP:20260101T000000Z\nDTSTART;VALUE=DATE:20260401\nSUMMARY:Fair\n"


@pytest.fixture
def server():
    with serving_calendar(calendar(STANDUP, MOVED, FAIR)) as server:
        yield server


@pytest.fixture
def source(inbox, server):
    return sync(connect(inbox.account, "ics", {"url": server.url}))


def said():
    rows = Event.objects.kept().order_by("uid", "recurrence_id")
    return [(row.uid, row.recurrence_id, row.summary) for row in rows]


def test_what_is_there_comes_in_with_its_name(source, server):
    assert (source.status, source.words) == (SyncStatus.CURRENT, "")
    assert Calendar.objects.get().name == "Team"
    assert said() == [
        ("fair@team", "", "Fair"),
        ("standup@team", "", "Stand-up"),
        ("standup@team", "20260309T080000Z", "Stand-up, later"),
    ]
    assert Event.objects.get(uid="fair@team").all_day


def test_a_look_with_nothing_new_is_one_request_and_no_file(source, server):
    before, whole = server.requests, server.whole
    assert sync(source).calls == 1
    assert (server.requests - before, server.whole - whole) == (1, 0)


def test_a_file_made_anew_that_says_the_same_changes_nothing(source, server):
    versions = list(Event.objects.order_by("pk").values_list("pk", "version"))
    server.content = server.content.replace(b"DTSTAMP:20260101", b"DTSTAMP:20260202")
    sync(source)
    assert list(Event.objects.order_by("pk").values_list("pk", "version")) == versions


def test_what_changes_and_goes_there_changes_and_goes_here(source, server):
    server.content = calendar(STANDUP.replace("SUMMARY:Stand-up", "SUMMARY:Daily"))
    sync(source)
    assert said() == [("standup@team", "", "Daily")]
    # Softly: a person can look at what was there.
    assert Event.objects.get(uid="fair@team").deleted_at is not None
    server.content = calendar(STANDUP, FAIR)
    sync(source)
    assert ("fair@team", "", "Fair") in said()


def test_an_event_that_cannot_be_read_is_named_and_the_others_come_in(inbox, server):
    server.content = calendar("UID:odd\nDTSTART:yesterday\nSUMMARY:Odd", FAIR)
    sync(connect(inbox.account, "ics", {"url": server.url}))
    assert said() == [("fair@team", "", "Fair")]
    assert "yesterday" in RemoteItem.objects.exclude(problem="").get().problem


def test_trouble_is_told_and_nothing_is_lost(source, server):
    server.status = 500
    source = sync(source)
    assert (source.status, source.failures) == (SyncStatus.WAITING, 1)
    assert "HTTP 500" in source.words
    assert len(said()) == 3
    server.status = 0
    assert sync(source).status == SyncStatus.CURRENT


def test_a_page_that_is_no_calendar_deletes_nothing(source, server):
    server.content = b"<html>Sign in to the hotel's network</html>"
    sync(source)
    assert "There is no calendar at this address" in RemoteCollection.objects.get().problem
    assert len(said()) == 3


def test_an_address_that_is_none_is_refused_by_name(inbox):
    with pytest.raises(StoreError, match="must begin with https"):
        connect(inbox.account, "ics", {"url": "http://calendar.example/team.ics"})
    with pytest.raises(DomainError) as caught:
        connect(inbox.account, "ics", {})
    assert caught.value.field == "url"


@pytest.mark.parametrize("keep", [True, False])
def test_what_others_wrote_goes_when_one_parts_from_it(source, keep):
    disconnect_source(source=source, keep=keep)
    assert said() == []
    assert not RemoteItem.objects.exists()


def test_nothing_in_it_is_changed_or_deleted_here(source):
    event = Event.objects.select_related("calendar__account", "calendar__remote__source").get(
        uid="fair@team"
    )
    occurrence = Occurrence(event, event.dtstart, event.dtend)
    for refused in (
        lambda: plan_update(occurrence=occurrence, wanted=EventValues(summary="Ours")),
        lambda: delete_event(occurrence=occurrence),
    ):
        with pytest.raises(DomainError, match="Team is read-only"):
            refused()


def test_what_it_says_is_a_stranger_s_word_though_nobody_organises_it(inbox, source):
    actor = person_actor(make_person_user(inbox.workspace))
    ref = Ref("evt", Event.objects.get(uid="fair@team").pk)
    [found] = find_origins(actor, [ref], lambda _emails: {})
    assert found.origin == Origin.STRANGER
