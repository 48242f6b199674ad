"""Answers to invitations, where the event has other sequences than the one that is answered."""

from datetime import UTC, datetime

import icalendar
import pytest

from calendar_app.models import Event
from calendar_app.operations.occurrences import instance_id
from calendar_app.operations.sent import find_calendar_drift
from tests.agents.tools.calendars import ADA, desk, event_of

__all__ = ["desk"]
pytestmark = pytest.mark.django_db


def part(uid, *lines, sequence=0):
    return "\r\n".join([
        "BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20260301T080000Z", f"SEQUENCE:{sequence}",
        f"ORGANIZER:mailto:{ADA}", "ATTENDEE;RSVP=TRUE:mailto:office@lantern.example",
        "SUMMARY:Rounds", *lines, "END:VEVENT",
    ])  # fmt: skip


def request(*parts):
    head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Their program//EN\r\nMETHOD:REQUEST\r\n"
    text = head + "\r\n".join(parts) + "\r\nEND:VCALENDAR\r\n"
    return icalendar.Calendar.from_ical(text)


def test_an_occurrence_is_answered_whatever_became_of_another(desk):
    first = ("DTSTART:20991201T090000Z", "DTEND:20991201T093000Z", "RRULE:FREQ=DAILY;COUNT=3")
    third = (
        "RECURRENCE-ID:20991203T090000Z", "DTSTART:20991203T110000Z", "DTEND:20991203T113000Z",
    )  # fmt: skip
    desk.receive(request(part("rounds@x", *first), part("rounds@x", *third, sequence=4)))
    series = Event.objects.get(recurrence_id="")
    second = instance_id(series, datetime(2099, 12, 2, 9, tzinfo=UTC))
    desk.ask("calendar_respond_event", event_id=second, response="accept")
    assert find_calendar_drift(desk.waiting()[-1].submission) == []
    assert event_of(desk.leave())["SEQUENCE"] == 0


def test_an_answer_names_the_highest_sequence_that_was_said(desk):
    once = ("DTSTART:20991201T090000Z", "DTEND:20991201T093000Z")
    desk.receive(request(part("rounds@x", *once, sequence=3)))
    event = Event.objects.get()
    # As it is when a calendar that is kept in step with a server lost it there.
    event.sequence, event.highest_sequence = 0, 3
    event.save()
    desk.ask("calendar_respond_event", event_id=event.public_id, response="decline")
    assert find_calendar_drift(desk.waiting()[-1].submission) == []
    assert event_of(desk.leave())["SEQUENCE"] == 3


def test_an_answer_to_what_changed_meanwhile_says_so(desk):
    once = ("DTSTART:20991201T090000Z", "DTEND:20991201T093000Z")
    desk.receive(request(part("rounds@x", *once)))
    event_id = Event.objects.get().public_id
    desk.ask("calendar_respond_event", event_id=event_id, response="accept")
    desk.receive(request(part("rounds@x", *once, sequence=1)))
    (told,) = find_calendar_drift(desk.waiting()[-1].submission)
    assert "revision 1" in str(told)
