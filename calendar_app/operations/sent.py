"""The calendar says what attendees were told: what was sent is applied, and nothing before it."""

from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from calendar_app.icalendar import ItipEvent, ItipMessage, read_itip
from calendar_app.models import Calendar, Event, EventStatus, Partstat
from calendar_app.operations.instances import make_instance
from calendar_app.operations.keeping import (
    addresses_of,
    default_calendar,
    is_newer,
    keep_ours,
    lock_uid,
    remove_instance,
    save_event,
)
from inbox.models import Account, Submission
from inbox.operations.mirror_entries import touched
from inbox.reasons import ReasonText, say
from inbox.rfc5322.parse import parse_message
from inbox.submission_states import SubmissionState

CALENDAR_TYPE = "text/calendar"


def sealed_itip(submission: Submission) -> ItipMessage | None:
    """Return the iTIP message that the sealed bytes are; None where they are none.

    A calendar file that is merely enclosed is somebody's file, and says nothing of our calendar.
    """
    if not submission.draft.calendar:
        return None
    for part in parse_message(submission.mime_bytes).attachments:
        if part.content_type == CALENDAR_TYPE:
            try:
                return read_itip(part.content)
            except ValueError:
                return None
    return None


def find_event_rows(account: Account, uid: str) -> list[Event]:
    """Return the account's rows of a UID, the series first."""
    rows = Event.objects.filter(calendar__account=account, calendar__deleted_at=None, uid=uid)
    ordered = rows.order_by("calendar_id", "recurrence_id", "pk")
    return list(ordered.select_related("calendar__account").prefetch_related("attendees"))


def find_calendar_drift(submission: Submission) -> list[ReasonText]:
    """Return what changed in the calendar since the message was sealed."""
    message = sealed_itip(submission)
    if message is None:
        return []
    said = message.events[0]
    rows = [row for row in find_event_rows(submission.account, said.uid) if not row.deleted_at]
    if not rows:
        is_new = message.method == "REQUEST" and said.sequence == 0
        return [] if is_new else [say("event_gone")]
    now = _sequence_now(message, rows)
    if said.sequence not in _expected(message, now):
        return [say("event_changed", now=now)]
    if any(row.status == EventStatus.CANCELLED and not row.recurrence_id for row in rows):
        return [say("event_called_off")]
    return []


def _sequence_now(message: ItipMessage, rows: list[Event]) -> int:
    """Return the sequence that a message goes by: of what it answers, or the highest of all."""
    stamp = message.events[0].recurrence_id
    about = [row for row in rows if row.recurrence_id == stamp]
    about = about or [row for row in rows if not row.recurrence_id]
    named = about if message.method == "REPLY" and about else rows
    return max(row.latest_sequence for row in named)


def _expected(message: ItipMessage, now: int) -> frozenset[int]:
    """Return the sequences that a message may have which fits the event as it stands."""
    if message.method == "REPLY":
        return frozenset({now})
    if message.method == "CANCEL" and message.events[0].status != "cancelled":
        # What belongs to it, the word to those who stay, may have left already or never.
        return frozenset({now, now + 1})
    return frozenset({now + 1})


def apply_sent(*, submission_id: int) -> None:
    """Bring the calendar up to what a message said that has left; again, it changes nothing."""
    rows = Submission.objects.select_related("account", "draft")
    submission = rows.filter(pk=submission_id).first()
    if submission is None or submission.state != SubmissionState.SENT:
        return
    message = sealed_itip(submission)
    if message is not None:
        apply(account=submission.account, message=message, by_person=True)


def apply(
    *,
    account: Account,
    message: ItipMessage,
    calendar: Calendar | None = None,
    by_person: bool = False,
) -> None:
    """Make the account's calendar say what the message says; `calendar` takes what is new.

    `by_person`: a person approved it, so its guests are known.
    A REQUEST puts events, a CANCEL calls off events or takes back invitations, a REPLY is our own
    answer. Later words than the message's stand.
    """
    uid = message.events[0].uid
    with transaction.atomic():
        known = Event.objects.filter(calendar__account=account, uid=uid)
        held = known.exclude(calendar__deleted_at__isnull=False).order_by("pk").first()
        home = held.calendar if held else calendar or default_calendar(account)
        rows = lock_uid(home, uid)
        for said in message.events:
            match message.method:
                case "REQUEST" | "PUBLISH" | "":
                    keep_ours(home, said, rows, by_person=by_person)
                case "CANCEL":
                    _cancel(said, rows)
                case "REPLY":
                    _answer(account, said, rows)
        if message.method == "REQUEST":
            _drop_replaced(message, rows)
        touched(account=account, resources=("event_list", "event"))


def _cancel(said: ItipEvent, rows: list[Event]) -> None:
    if said.status != "cancelled":
        _take_back(said, rows)
        return
    series = next((row for row in rows if not row.recurrence_id), None)
    if said.recurrence_id and series is not None:
        remove_instance(series, said.recurrence_id, rows, said)
        return
    for row in rows:
        if said.recurrence_id in {"", row.recurrence_id} and is_newer(said, row):
            row.status, row.deleted_at = EventStatus.CANCELLED, row.deleted_at or timezone.now()
            row.sequence, row.dtstamp = said.sequence, said.dtstamp
            save_event(row, "cancelled")


def _take_back(said: ItipEvent, rows: Iterable[Event]) -> None:
    """Take those off the list who were told that they are not invited any more."""
    named = {one.email for one in said.attendees}
    for row in rows:
        if said.recurrence_id in {"", row.recurrence_id}:
            removed, _ = row.attendees.filter(email__in=named).delete()
            if removed:
                save_event(row, "updated")


def _answer(account: Account, said: ItipEvent, rows: list[Event]) -> None:
    partstat = said.attendees[0].partstat if said.attendees else ""
    if partstat not in Partstat.values:
        return
    own = addresses_of(account)
    for row in _answered_rows(said, rows):
        row.partstat = partstat
        if row.status != EventStatus.CANCELLED:
            accepted = partstat == Partstat.ACCEPTED
            row.status = EventStatus.CONFIRMED if accepted else EventStatus.TENTATIVE
        save_event(row, "answered")
        row.attendees.filter(email__in=own).update(
            partstat=partstat, answered_at=said.dtstamp, answered_sequence=said.sequence
        )


def _answered_rows(said: ItipEvent, rows: list[Event]) -> list[Event]:
    """Return the rows that an answer is about; one instance gets a row to keep its own."""
    if not said.recurrence_id:
        return rows
    named = [row for row in rows if row.recurrence_id == said.recurrence_id]
    series = next((row for row in rows if not row.recurrence_id), None)
    if named or series is None:
        return named
    made = make_instance(series, said.recurrence_id)
    return [made] if made else []


def _drop_replaced(message: ItipMessage, rows: list[Event]) -> None:
    """Drop the instances that a series, told anew, does not have any more."""
    said = {one.recurrence_id: one for one in message.events}
    master = said.get("")
    if master is None or not (master.rrule or master.rdate):
        return
    for row in rows:
        if row.recurrence_id not in said and is_newer(master, row):
            row.delete()
