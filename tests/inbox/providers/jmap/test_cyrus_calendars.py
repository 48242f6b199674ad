"""Calendars at a Cyrus, by the draft that it has: what every collection does, and what they say."""

import re
import time

import pytest

from calendar_app.icalendar import read_calendar
from calendar_app.mirroring.event_fields import fields_of
from inbox.providers.change_store import ItemRefusedError, Put, Remove
from tests.change_store_cases import ChangeStoreCases, only, rewrite
from tests.inbox.providers.jmap.stages import CalendarStage

pytestmark = pytest.mark.services
SERIES = {
    "title": "Oil", "description": "Bring wicks.\nAnd lamps.", "start": "2027-03-01T09:00:00",
    "timeZone": "Europe/Berlin", "duration": "PT90M", "status": "tentative", "priority": 3,
    "privacy": "private", "color": "red", "keywords": {"lamps": True},
    "locations": {"tower": {"@type": "Location", "name": "Tower", "coordinates": "geo:54,10"}},
    "alerts": {"bell": {
        "@type": "Alert", "action": "display",
        "trigger": {"@type": "OffsetTrigger", "offset": "-PT10M"},
    }},
    "recurrenceRule": {
        "@type": "RecurrenceRule", "frequency": "weekly", "interval": 2,
        "byDay": [{"day": "mo"}, {"day": "th"}], "until": "2027-06-01T09:00:00",
    },
    "recurrenceOverrides": {
        "2027-03-04T09:00:00": {"start": "2027-03-04T11:00:00", "title": "Oil, later",
                                "alerts": None},
        "2027-03-15T09:00:00": {"excluded": True},
        "2027-03-20T09:00:00": {},
    },
}  # fmt: skip


@pytest.fixture
def stage(calendar: CalendarStage) -> CalendarStage:
    return calendar


class TestCalendars(ChangeStoreCases):
    many = 40
    large = 60_000


def said(raw):
    """What an event says; a rule says the same in any order."""
    events, problems = read_calendar(raw)
    assert problems == []
    fields = fields_of(events)
    rule = ";".join(sorted(fields["when"][4].split(";")))
    return fields | {"when": [*fields["when"][:4], rule]}


@pytest.fixture
def series(stage):
    stage.ids["oil"] = stage.make(**SERIES)
    return only(stage)


def test_a_series_is_read_with_all_that_differs_in_it(series):
    fields = said(series.raw)
    assert fields["when"][:4] == [
        "2027-03-01T08:00:00+00:00", "2027-03-01T09:30:00+00:00", False, "Europe/Berlin",
    ]  # fmt: skip
    assert fields["when"][4] == "BYDAY=MO,TH;FREQ=WEEKLY;INTERVAL=2;UNTIL=20270601T070000Z"
    assert fields["exdate"] == ["20270315T080000Z"]
    assert fields["rdate"] == ["20270320T080000Z"]
    assert fields["20270304T080000Z/summary"] == "Oil, later"
    assert fields["20270304T080000Z/when"][0] == "2027-03-04T10:00:00+00:00"
    assert (fields["summary"], fields["location"]) == ("Oil", "Tower")
    assert fields["description"] == "Bring wicks.\nAnd lamps."


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("SUMMARY:Oil\r\n", "SUMMARY:Wicks\r\n", {"title"}),
        ("DESCRIPTION:Bring wicks.\\nAnd lamps.\r\n", "", {"description"}),
        ("STATUS:TENTATIVE", "STATUS:CONFIRMED", {"status"}),
        ("LOCATION:Tower", "LOCATION:Yard", {"locations"}),
        ("INTERVAL=2", "INTERVAL=3", {"recurrenceRule"}),
        ("SUMMARY:Oil\\, later", "SUMMARY:Oil\\, much later", {"recurrenceOverrides"}),
        ("EXDATE;TZID=Europe/Berlin:20270315T090000\r\n", "", {"recurrenceOverrides"}),
        ("STATUS:TENTATIVE\r\n", "STATUS:TENTATIVE\r\nTRANSP:TRANSPARENT\r\n", {"freeBusyStatus"}),
    ],
)  # fmt: skip
def test_only_what_changed_is_changed(stage, series, old, new, changed):
    before = stage.program.get("CalendarEvent", series.id)
    rewrite(stage, series, old, new)
    after = stage.program.get("CalendarEvent", series.id)
    of_server = {"updated", "sequence"}
    differing = {name for name in before if before[name] != after.get(name)} - of_server
    assert differing == changed
    assert after["alerts"] == before["alerts"]
    later = after["recurrenceOverrides"]["2027-03-04T09:00:00"]
    assert (later["start"], later["alerts"]) == ("2027-03-04T11:00:00", None)
    # What is read again is what was written.
    item = only(stage)
    mine = re.sub(r"(DTSTAMP|SEQUENCE):.*\r\n", "", series.raw.decode().replace(old, new))
    assert re.sub(r"(DTSTAMP|SEQUENCE):.*\r\n", "", item.raw.decode()) == mine


EVENTS = {
    "whole days": ("DTSTART;VALUE=DATE:20270401\nDTEND;VALUE=DATE:20270403\n", ""),
    "a yearly day": (
        "DTSTART;VALUE=DATE:20270401\nDTEND;VALUE=DATE:20270402\n"
        "RRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=1;UNTIL=20300401\nEXDATE;VALUE=DATE:20280401\n",
        "RECURRENCE-ID;VALUE=DATE:20290401\nDTSTART;VALUE=DATE:20290402\n"
        "DTEND;VALUE=DATE:20290403\nSUMMARY:A day late\n",
    ),
    "over a change of the clock": (
        "DTSTART;TZID=Europe/Berlin:20270327T230000\nDTEND;TZID=Europe/Berlin:20270328T050000\n", "",
    ),
    "two days by the clock": (
        "DTSTART;TZID=Europe/Berlin:20270327T100000\nDTEND;TZID=Europe/Berlin:20270329T100000\n", "",
    ),
    "the last working day of a month": (
        "DTSTART;TZID=America/New_York:20270129T170000\nDTEND;TZID=America/New_York:20270129T173000\n"
        "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=6\n",
        "RECURRENCE-ID;TZID=America/New_York:20270226T170000\n"
        "DTSTART;TZID=America/New_York:20270226T180000\nDTEND;TZID=America/New_York:20270226T190000\n"
        "SUMMARY:Later\nLOCATION:Tower\nDESCRIPTION:Once\nSTATUS:CANCELLED\nTRANSP:TRANSPARENT\n",
    ),
    "in UTC": ("DTSTART:20270301T090000Z\nDTEND:20270301T100000Z\nRRULE:FREQ=DAILY;COUNT=3\n", ""),
    "with guests": (
        "DTSTART:20270301T090000Z\nDTEND:20270301T100000Z\nRRULE:FREQ=DAILY;COUNT=3\n"
        "ORGANIZER;CN=Mira:mailto:office@lantern.example\n"
        "ATTENDEE;CN=Mira;PARTSTAT=ACCEPTED;ROLE=CHAIR:mailto:office@lantern.example\n"
        "ATTENDEE;CN=Ada;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:ada@x.example\n"
        "ATTENDEE;PARTSTAT=TENTATIVE;ROLE=OPT-PARTICIPANT:mailto:bo@x.example\n",
        "RECURRENCE-ID:20270302T090000Z\nDTSTART:20270302T090000Z\nDTEND:20270302T100000Z\n"
        "ORGANIZER;CN=Mira:mailto:office@lantern.example\n"
        "ATTENDEE;CN=Mira;PARTSTAT=ACCEPTED;ROLE=CHAIR:mailto:office@lantern.example\n"
        "ATTENDEE;CN=Ada;PARTSTAT=DECLINED:mailto:ada@x.example\n",
    ),
}  # fmt: skip


def calendar_of(parts):
    head = "BEGIN:VEVENT\nUID:made@lantern.example\nDTSTAMP:20260101T000000Z\n"
    events = [f"{head}{part}END:VEVENT\n" for part in parts if part]
    text = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//x//EN\n{''.join(events)}END:VCALENDAR\n"
    return text.replace("\n", "\r\n").encode()


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_what_is_made_here_is_read_again_as_it_was(stage, name):
    raw = calendar_of((f"SUMMARY:Made\n{EVENTS[name][0]}", EVENTS[name][1]))
    made = stage.store.apply(stage.collection, Put("", "made@lantern.example", raw), "")
    item = only(stage)
    before = {"status": "confirmed", **said(raw)}
    after = said(item.raw)
    stamps = {key.partition("/")[0] for key in before if "/" in key and ":" not in key}
    before = {**{f"{stamp}/status": "confirmed" for stamp in stamps}, **before}
    assert after == before
    # Nothing is left to be told.
    calls = stage.store.calls
    stage.store.apply(stage.collection, Put(made.id, "", item.raw, item.raw), item.etag)
    assert stage.store.calls - calls == 1


# -- whom the server writes to ---------------------------------------------------------------------
def meeting(stage, organizer, guests, title="Tide"):
    people = "".join(f"ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{one}\n" for one in guests)
    when = "DTSTART:20370301T090000Z\nDTEND:20370301T100000Z\n"
    return calendar_of((f"SUMMARY:{title}\n{when}ORGANIZER:mailto:{organizer}\n{people}",))


@pytest.fixture
def mail(stage):
    """What the server sends by itself, a moment later."""

    def sent():
        time.sleep(0.5)
        found = [taken.content for taken in stage.cyrus.outgoing.taken]
        stage.cyrus.outgoing.taken.clear()
        return found

    stage.cyrus.outgoing.taken.clear()
    return sent


def people_of(stage, inviting):
    own = f"{stage.user}@lantern.example"
    organizer, guest = (own, "ada@x.example") if inviting else ("ada@x.example", own)
    return {
        "replyTo": {"imip": f"mailto:{organizer}"},
        "participants": {
            "o": {"@type": "Participant", "sendTo": {"imip": f"mailto:{organizer}"},
                  "roles": {"owner": True, "attendee": True}, "participationStatus": "accepted"},
            "g": {"@type": "Participant", "sendTo": {"imip": f"mailto:{guest}"},
                  "roles": {"attendee": True}, "participationStatus": "needs-action"},
        },
    }  # fmt: skip


def test_another_program_that_does_not_ask_for_silence_has_the_server_write(stage, mail):
    """What the others are held against: this server does write."""
    stage.make(title="Tide", start="2037-03-01T09:00:00", **people_of(stage, inviting=True))
    assert len(mail()) == 1


@pytest.mark.parametrize("inviting", [True, False])
def test_the_server_writes_to_nobody_of_what_we_do(stage, mail, inviting):
    own = f"{stage.user}@lantern.example"
    organizer, guests = (own, [own, "ada@x.example"]) if inviting else ("ada@x.example", [own])
    raw = meeting(stage, organizer, guests)
    stage.store.apply(stage.collection, Put("", "made@lantern.example", raw), "")
    for old, new in (
        ("SUMMARY:Tide", "SUMMARY:Tides"), ("T090000Z", "T080000Z"),
        ("PARTSTAT=NEEDS-ACTION", "PARTSTAT=ACCEPTED"), ("RSVP=TRUE:mailto:ada", "RSVP=TRUE:mailto:bo"),
    ):  # fmt: skip
        item = only(stage)
        if old in item.raw.decode():
            rewrite(stage, item, old, new)
    item = only(stage)
    stage.store.apply(stage.collection, Remove(item.id), item.etag)
    assert mail() == []


@pytest.mark.parametrize("inviting", [True, False])
def test_what_another_program_had_guests_told_of_is_left_to_it(stage, mail, inviting):
    stage.make(title="Tide", start="2037-03-01T09:00:00", **people_of(stage, inviting))
    mail()
    item = only(stage)
    with pytest.raises(ItemRefusedError):
        rewrite(stage, item, "SUMMARY:Tide", "SUMMARY:Tides")
    with pytest.raises(ItemRefusedError):
        stage.store.apply(stage.collection, Remove(item.id), item.etag)
    assert stage.program.get("CalendarEvent", item.id)["title"] == "Tide"
    assert mail() == []


def test_guests_that_another_program_took_out_are_not_told_of_new_ones(stage, mail):
    made = stage.make(title="Tide", start="2037-03-01T09:00:00", **people_of(stage, inviting=True))
    stage.program.change("CalendarEvent", made, participants=None, replyTo=None, participantId=None)
    mail()
    item = only(stage)
    own = f"{stage.user}@lantern.example"
    people = f"ORGANIZER:mailto:{own}\r\nATTENDEE:mailto:{own}\r\nATTENDEE:mailto:bo@x.example\r\n"
    with pytest.raises(ItemRefusedError):
        rewrite(stage, item, "END:VEVENT", f"{people}END:VEVENT")
    assert mail() == []


def test_guests_come_to_an_event_of_ours_and_go_from_it(stage, mail):
    own = f"{stage.user}@lantern.example"
    raw = calendar_of(("SUMMARY:Tide\nDTSTART:20370301T090000Z\nDTEND:20370301T100000Z\n",))
    stage.store.apply(stage.collection, Put("", "made@lantern.example", raw), "")
    rewrite(stage, only(stage), "SUMMARY:Tide", "SUMMARY:Tides")
    people = f"ORGANIZER:mailto:{own}\r\nATTENDEE:mailto:{own}\r\nATTENDEE:mailto:bo@x.example\r\n"
    rewrite(stage, only(stage), "END:VEVENT", f"{people}END:VEVENT")
    assert {"attendee:bo@x.example", "organizer"} <= said(only(stage).raw).keys()
    item = only(stage)
    bare = re.sub(rb"(?:ORGANIZER|ATTENDEE)[:;].*\r\n(?: .*\r\n)*", b"", item.raw)
    stage.store.apply(stage.collection, Put(item.id, "", bare, item.raw), item.etag)
    assert "organizer" not in said(only(stage).raw)
    assert mail() == []
