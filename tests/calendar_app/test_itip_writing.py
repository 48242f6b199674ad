"""What is written can be read: by us, and by an independent reader."""

from dataclasses import replace
from datetime import UTC, datetime

import icalendar

from calendar_app.icalendar import Invitee, ItipEvent, ItipMessage, read_itip
from calendar_app.itip_writing import write_itip
from tests.cases import in_one_test

EVENT = ItipEvent(
    uid="lamps@lantern.example", sequence=3, recurrence_id="",
    dtstamp=datetime(2026, 3, 1, 8, tzinfo=UTC), start=datetime(2026, 3, 10, 9, tzinfo=UTC),
    end=datetime(2026, 3, 10, 10, tzinfo=UTC), all_day=False, timezone="Europe/Berlin",
    rrule="FREQ=WEEKLY;COUNT=5;BYDAY=TU", summary="Lamps; oil, and \\ wicks",
    description="One line\nand another", location="Yard", status="confirmed",
    organizer=Invitee("office@lantern.example", "The office"),
    attendees=(Invitee("ada@customer.example", "Ada: Byron", "accepted", rsvp=True),),
    rdate=("20260401T080000Z",), exdate=("20260317T090000Z", "20260331T080000Z"),
    is_transparent=True, comment="Soon",
)  # fmt: skip


@in_one_test(
    "event",
    [
        EVENT,
        replace(EVENT, timezone="", exdate=(), rdate=()),
        replace(EVENT, rrule="", rdate=(), exdate=(), recurrence_id="20260317T090000Z"),
        replace(
            EVENT, all_day=True, timezone="", start=datetime(2026, 3, 10, tzinfo=UTC),
            end=datetime(2026, 3, 11, tzinfo=UTC), rdate=("20260312",), exdate=("20260317",),
        ),
        replace(EVENT, attendees=(), organizer=None, rrule="", rdate=(), exdate=()),
    ],
)  # fmt: skip
def test_what_is_written_is_read_back_whole(event):
    written = write_itip(ItipMessage("REQUEST", (event,)))
    assert read_itip(written.encode()) == ItipMessage("REQUEST", (event,))
    assert written == write_itip(ItipMessage("REQUEST", (event,)))


def test_another_reader_finds_the_same_instants_by_the_zone_that_is_written_out():
    text = write_itip(ItipMessage("REQUEST", (EVENT,)))
    # Under a name that nobody knows, the definition alone counts.
    renamed = text.replace("Europe/Berlin", "Our/Town")
    event = icalendar.Calendar.from_ical(renamed).walk("VEVENT")[0]
    assert event["DTSTART"].dt.astimezone(UTC) == EVENT.start
    assert event["RDATE"].dts[0].dt.astimezone(UTC) == datetime(2026, 4, 1, 8, tzinfo=UTC)


def test_the_onsets_of_summer_time_stand_on_the_winter_clock():
    text = write_itip(ItipMessage("REQUEST", (EVENT,)))
    assert "DTSTART:20260329T020000" in text
    assert "DTSTART:20261025T030000" in text


def test_hostile_texts_make_no_lines_of_their_own():
    evil = "x\r\nATTENDEE:mailto:mallory@evil.example\u2028y\u202ez"
    said = replace(EVENT, summary=evil, location=evil, attendees=(Invitee("a@b.example", evil),))
    event = icalendar.Calendar.from_ical(write_itip(ItipMessage("REQUEST", (said,)))).walk(
        "VEVENT"
    )[0]
    assert str(event["ATTENDEE"]) == "mailto:a@b.example"
    assert "\n" not in str(event["SUMMARY"])
    assert "\u202e" not in str(event["LOCATION"])
