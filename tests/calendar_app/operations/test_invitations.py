"""Invitations make, move and cancel events, and only their organizer may."""

import itertools
from datetime import UTC, datetime

import pytest

from agents.models import Receipt
from calendar_app.models import Calendar, Event
from calendar_app.operations.invitations import take_invitations
from inbox.background import jobs
from inbox.models import Activity, Message, Submission
from inbox.operations.mail.incoming import receive_message
from tests.factories import make_inbox

OFFICE = "office@lantern.example"
numbers = itertools.count(1)


@pytest.fixture
def inbox(inbox):
    inbox.account.authserv_id = "mx.lantern.example"
    inbox.account.save()
    return inbox


def invitation(
    *,
    sender: str = "ada@customer.example",
    organizer: str = "ada@customer.example",
    method: str = "REQUEST",
    verdict: str = "pass",
    uid: str = "tea@customer.example",
    start: str = "20260310T100000Z",
    end: str = "20260310T110000Z",
    sequence: int = 0,
    stamp: str = "20260301T080000Z",
    lines: str = "",
) -> bytes:
    """Return a message with an invitation from Ada to the office."""
    number = next(numbers)
    times = f"DTSTART:{start}\nDTEND:{end}\n" if start else ""
    return f"""\
Received: from x by mx.lantern.example; Mon, 02 Mar 2026 08:{number % 60:02d}:00 +0000
Authentication-Results: mx.lantern.example; spf={verdict}; dmarc={verdict} header.from=customer.example
From: Ada <{sender}>
To: {OFFICE}
Subject: Tea {number}
Date: Mon, 02 Mar 2026 08:00:00 +0000
Message-ID: <tea-{number}@customer.example>
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain

Come to tea.
--b
Content-Type: text/calendar; charset=utf-8; method={method}

BEGIN:VCALENDAR
VERSION:2.0
METHOD:{method}
BEGIN:VEVENT
UID:{uid}
DTSTAMP:{stamp}
SEQUENCE:{sequence}
ORGANIZER:mailto:{organizer}
ATTENDEE;CN=The office:mailto:{OFFICE}
{times}SUMMARY:Tea
{lines}END:VEVENT
END:VCALENDAR
--b--
""".encode()


def at(day: int, hour: int) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=UTC)


def receive(inbox, **what) -> Message:
    message = receive_message(inbox=inbox, raw=invitation(**what))
    jobs.run_due()
    message.refresh_from_db()
    return message


def event() -> Event:
    return Event.objects.get()


def test_an_invitation_makes_a_tentative_event_in_the_default_calendar(inbox):
    message = receive(inbox)
    assert event().status == "tentative"
    assert (event().dtstart, event().dtend) == (at(10, 10), at(10, 11))
    assert event().organizer == "ada@customer.example"
    assert event().message == message
    assert event().calendar == Calendar.objects.get(account=inbox.account, is_default=True)
    assert [one.email for one in event().attendees.all()] == [OFFICE]


def test_nothing_is_answered_by_itself(inbox):
    receive(inbox)
    assert not Submission.objects.exists()


def test_the_activity_gets_the_times_of_the_invitation(inbox):
    receive(inbox)
    activity = Activity.objects.get()
    assert (activity.starts_at, activity.ends_at) == (at(10, 10), at(10, 11))


@pytest.mark.parametrize("first", ["calendar.take_invitations", "agents.classify"])
def test_the_order_of_calendar_and_classification_does_not_matter(inbox, first):
    receive_message(inbox=inbox, raw=invitation())
    jobs.Job.objects.filter(kind=first).update(priority=2)
    jobs.run_due()
    assert Activity.objects.get().starts_at == at(10, 10)


def test_taking_it_again_changes_nothing(inbox):
    message = receive(inbox)
    before = event().updated_at
    take_invitations(message_ids=[message.pk])
    assert event().updated_at == before


def test_an_update_moves_the_event(inbox):
    receive(inbox)
    receive(inbox, sequence=1, start="20260311T100000Z", end="20260311T113000Z")
    assert (event().sequence, event().dtstart) == (1, at(11, 10))


def test_an_update_of_the_same_sequence_counts_by_its_stamp(inbox):
    receive(inbox)
    receive(inbox, stamp="20260301T090000Z", lines="LOCATION:Garden\n")
    assert event().location == "Garden"


def test_an_older_word_changes_nothing(inbox):
    receive(inbox, sequence=2)
    receive(inbox, sequence=1, start="20260311T100000Z", end="20260311T110000Z")
    assert event().dtstart == at(10, 10)


def test_an_accepted_event_that_moves_is_tentative_again(inbox):
    receive(inbox)
    Event.objects.update(status="confirmed")
    receive(inbox, sequence=1, lines="LOCATION:Garden\n")
    assert event().status == "confirmed"
    receive(inbox, sequence=2, start="20260310T090000Z")
    assert event().status == "tentative"


def test_a_cancellation_cancels(inbox):
    receive(inbox)
    receive(inbox, method="CANCEL", sequence=1, start="")
    assert event().status == "cancelled"
    assert event().dtstart == at(10, 10)


def test_a_cancellation_that_came_first_still_counts(inbox):
    receive(inbox, method="CANCEL", sequence=1)
    receive(inbox, sequence=0)
    assert event().status == "cancelled"


def test_one_instance_of_a_series_can_be_cancelled(inbox):
    receive(inbox, lines="RRULE:FREQ=WEEKLY;COUNT=4\n")
    receive(
        inbox, method="CANCEL", sequence=1, start="20260317T100000Z", end="20260317T110000Z",
        lines="RECURRENCE-ID:20260317T100000Z\n",
    )  # fmt: skip
    states = dict(Event.objects.values_list("recurrence_id", "status"))
    assert states == {"": "tentative", "20260317T100000Z": "cancelled"}


def test_cancelling_a_series_cancels_its_instances(inbox):
    receive(inbox, lines="RRULE:FREQ=WEEKLY;COUNT=4\n")
    receive(
        inbox, sequence=1, start="20260317T120000Z", end="20260317T130000Z",
        lines="RECURRENCE-ID:20260317T100000Z\n",
    )  # fmt: skip
    receive(inbox, method="CANCEL", sequence=2, start="")
    assert set(Event.objects.values_list("status", flat=True)) == {"cancelled"}


@pytest.mark.parametrize("method", ["REQUEST", "CANCEL"])
@pytest.mark.parametrize(
    "forged",
    [
        {"sender": "mallory@evil.example"},
        {"sender": "mallory@evil.example", "organizer": "mallory@evil.example"},
        {"verdict": "fail"},
        {"verdict": "none"},
    ],
)
def test_nobody_else_changes_an_event(inbox, method, forged):
    receive(inbox)
    before = Event.objects.values().get()
    message = receive(inbox, method=method, sequence=9, start="20260320T100000Z",
                      end="20260320T110000Z", **forged)  # fmt: skip
    assert Event.objects.values().get() == before
    assert "invitation_not_from_organizer" in message.anomalies


def test_what_is_not_from_the_organizer_is_put_before_a_person(inbox):
    receive(inbox)
    message = receive(inbox, method="CANCEL", sequence=1, sender="bo@customer.example")
    activity = Activity.objects.get(message=message)
    assert activity.status not in {"processed", "archived", "pending"}


def test_putting_it_before_a_person_leaves_a_receipt(inbox):
    receive(inbox)
    message = receive_message(
        inbox=inbox, raw=invitation(method="CANCEL", sequence=1, sender="bo@customer.example")
    )
    jobs.Job.objects.filter(kind="calendar.take_invitations", state="queued").delete()
    jobs.run_due()
    Activity.objects.filter(message=message).update(status="processed")
    take_invitations(message_ids=[message.pk])
    jobs.run_due()
    assert Activity.objects.get(message=message).status == "needs_review"
    receipt = Receipt.objects.get(actor_name="Calendar")
    assert "not from the event's organizer" in receipt.reason


def test_a_forged_invitation_makes_no_event(inbox):
    receive(inbox, verdict="fail")
    receive(inbox, sender="mallory@evil.example", uid="two@customer.example")
    assert not Event.objects.exists()


def test_mail_without_a_verdict_may_invite(inbox):
    receive(inbox, verdict="none")
    assert event().status == "tentative"


def test_what_is_no_invitation_makes_no_event(inbox):
    receive(inbox, method="PUBLISH")
    receive(inbox, method="REPLY")
    assert not Event.objects.exists()


def test_an_invitation_that_cannot_be_read_is_noted(inbox):
    message = receive(inbox, lines="RRULE:FREQ=SECONDLY\n")
    assert "invitation_unreadable" in message.anomalies
    assert not Event.objects.exists()


def test_our_own_copies_make_no_events(inbox):
    receive(inbox, sender=OFFICE, organizer=OFFICE)
    assert not Event.objects.exists()


def test_inviting_two_accounts_makes_an_event_in_each(inbox, workspace):
    other = make_inbox(workspace, "yard@lantern.example")
    receive(inbox)
    receive(other)
    assert Event.objects.count() == 2


def test_the_first_invitation_waits_for_nobody_once_it_is_called_off(inbox):
    first = receive(inbox)
    Activity.objects.filter(message=first).update(status="needs_review")
    receive(inbox, method="CANCEL", sequence=1, start="")
    activity = Activity.objects.get(message=first)
    assert activity.status == "processed"
    assert activity.reasoning.endswith("The organizer canceled it.")
    assert Receipt.objects.get(actor_name="Calendar").reason == "The organizer canceled it."


def test_what_a_person_was_shown_as_urgent_stays(inbox):
    first = receive(inbox)
    Activity.objects.filter(message=first).update(status="surfaced")
    receive(inbox, method="CANCEL", sequence=1, start="")
    assert Activity.objects.get(message=first).status == "surfaced"


def test_a_series_takes_one_more_instance(inbox):
    receive(inbox, lines="RRULE:FREQ=WEEKLY;COUNT=2\n")
    receive(inbox, method="ADD", sequence=1, start="20260401T100000Z", end="20260401T110000Z")
    assert event().rdate == ["20260401T100000Z"]


@pytest.mark.parametrize("method", ["COUNTER", "REFRESH"])
def test_what_an_attendee_asks_is_put_before_a_person(inbox, method):
    message = receive(inbox, method=method)
    assert not Event.objects.exists()
    assert Activity.objects.get(message=message).status not in {"processed", "archived"}


def test_what_was_taken_off_comes_back_with_a_later_word(inbox):
    receive(inbox)
    Event.objects.update(deleted_at=at(9, 0))
    receive(inbox)
    assert event().deleted_at is not None
    receive(inbox, sequence=1)
    assert event().deleted_at is None


def test_our_own_answer_is_kept_unless_it_moves(inbox):
    receive(inbox)
    Event.objects.update(partstat="accepted", status="confirmed")
    receive(inbox, sequence=1, lines="LOCATION:Garden\n")
    assert event().partstat == "accepted"
    receive(inbox, sequence=2, start="20260310T090000Z")
    assert (event().partstat, event().status) == ("needs-action", "tentative")
