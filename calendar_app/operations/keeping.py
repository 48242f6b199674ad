"""What iCalendar says of an event, kept as rows: the one way in for mail, tools and files."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile

from django.utils import timezone

from calendar_app.icalendar import MAX_SPAN, Invitee, ItipEvent, read_stamp, write_stamp
from calendar_app.models import (
    Attendee,
    Calendar,
    Event,
    EventStatus,
    Expansion,
    Transparency,
)
from calendar_app.models.events import LONG
from calendar_app.packed_starts import pack
from calendar_app.recurrence import Budget, Series, find_last_start, find_starts
from inbox.background.jobs import publish
from inbox.bulk_insert import insert
from inbox.errors import DomainError
from inbox.models import Account, Identity, Inbox
from inbox.reasons import phrase as _
from inbox.rfc5322.text.short_texts import words_beside

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
# From so long ago until so far ahead. Nobody lists more than a year ahead, and a month later the
# list has to reach as far.
BEHIND, AHEAD = timedelta(days=100), timedelta(days=400)
RENEWED = timedelta(days=30)
# So many starts of a series at most, each in eight bytes.
MOST_STARTS = 5_000
# So many periods of one rule are looked at. One that takes more is left to each reading.
_MOST_STEPS = 20_000


def default_calendar(account: Account) -> Calendar:
    """Return the account's default calendar; make it if there is none."""
    calendar, _made = Calendar.objects.get_or_create(
        account=account,
        is_default=True,
        deleted_at=None,
        defaults={"workspace_id": account.workspace_id, "name": "Calendar"},
    )
    return calendar


def addresses_of(account: Account) -> frozenset[str]:
    """Return, in lower case, the addresses that are the account itself."""
    own = [
        account.address,
        *Identity.objects.filter(account=account).values_list("email", flat=True),
    ]
    own += Inbox.objects.filter(account=account).values_list("address", flat=True)
    return frozenset(address.lower() for address in own)


def refuse_read_only(calendar: Calendar) -> None:
    """Raise DomainError (`permission_denied`) for a calendar where nothing may be changed."""
    if calendar.remote is not None and not calendar.remote.may_write:
        words = _("The calendar %(name)s is read-only here. Change it at its source.",
                  name=calendar.name)  # fmt: skip
        raise DomainError(
            "permission_denied", words, field="calendar", accepted=_("another calendar")
        )


def lock_uid(calendar: Calendar, uid: str) -> list[Event]:
    """Return the rows of a UID, the series first, held until the transaction ends.

    Their calendar is held too: two workers with two states of one event take turns.
    """
    Calendar.objects.select_for_update().get(pk=calendar.pk)
    rows = Event.objects.filter(calendar=calendar, uid=uid).order_by("recurrence_id", "pk")
    return list(rows.select_related("calendar__account"))


def series_of(event: Event) -> Series:
    """Return when an event takes place."""
    return Series(
        start=event.dtstart,
        timezone=event.timezone,
        all_day=event.all_day,
        rrule=event.rrule,
        rdate=tuple(read_stamp(stamp) for stamp in event.rdate),
        # Only a series can leave something out (RFC 5545 3.8.5.1).
        exdate=tuple(read_stamp(stamp) for stamp in event.exdate) if event.recurs else (),
        # What may end later than its rule does is counted each time.
        is_counted=not event.rdate,
        ends=event.last_end - (event.dtend - event.dtstart) if event.last_end else None,
    )


def stamp_of(event: Event, start: datetime) -> str:
    """Return how a series names its instance that first started then."""
    return write_stamp(start, all_day=event.all_day)


def said_of(event: Event) -> ItipEvent:
    """Return the row as iCalendar says it; its attendees in one query unless they are at hand."""
    return replace(
        said_alone(event),
        organizer=Invitee(event.organizer, event.organizer_name) if event.organizer else None,
        attendees=tuple(
            Invitee(one.email, one.name, one.partstat, one.role, one.rsvp)
            for one in event.attendees.all()
        ),
    )


def said_alone(event: Event) -> ItipEvent:
    """Return the row as iCalendar says it, but for the people of it."""
    return ItipEvent(
        uid=event.uid, sequence=event.sequence, recurrence_id=event.recurrence_id,
        dtstamp=event.dtstamp, start=event.dtstart, end=event.dtend, all_day=event.all_day,
        timezone=event.timezone, rrule=event.rrule, summary=event.summary,
        description=event.description, location=event.location, status=event.status,
        organizer=None, attendees=(), rdate=tuple(event.rdate), exdate=tuple(event.exdate),
        is_transparent=event.transparency == Transparency.TRANSPARENT,
    )  # fmt: skip


# What is searched of an event, and how many names and addresses of the invited.
SEARCHED = ("summary", "location", "organizer_name", "description")
MOST_INVITED = 1000


def fill_event(event: Event, itip: ItipEvent) -> None:
    """Put what iCalendar says into a row, but for status and attendees; not yet saved."""
    if itip.start is None or itip.end is None:
        raise ValueError("an event without times cannot be stored")
    event.recurrence_id, event.sequence = itip.recurrence_id, itip.sequence
    event.dtstamp, event.dtstart, event.dtend = itip.dtstamp, itip.start, itip.end
    event.all_day, event.timezone, event.rrule = itip.all_day, itip.timezone, itip.rrule
    event.rdate, event.exdate = list(itip.rdate), list(itip.exdate)
    event.summary, event.description = itip.summary, itip.description
    event.location = itip.location
    event.transparency = Transparency.TRANSPARENT if itip.is_transparent else Transparency.OPAQUE
    event.organizer = itip.organizer.email if itip.organizer else ""
    event.organizer_name = itip.organizer.name if itip.organizer else ""
    invited = (text for one in itip.attendees for text in (one.name, one.email) if text)
    event.search_extra = words_beside(searched_text(event), islice(invited, MOST_INVITED))
    last = find_last_start(replace(series_of(event), is_counted=False, ends=None))
    event.last_end = last + (itip.end - itip.start) if last else None


def searched_text(event: Event) -> str:
    """Return what of an event's own columns is searched in other forms as well."""
    return "\n".join(str(getattr(event, name)) for name in SEARCHED)


def save_event(event: Event, change: str) -> None:
    """Save a changed row as its next version, and tell who listens (`event.changed`)."""
    if event.pk is not None:
        event.version += 1
    event.save()
    keep_instances([event])
    tell(event, change)


def tell(event: Event, change: str) -> None:
    """Publish `event.changed`: created, updated, cancelled, answered, deleted or restored."""
    publish(
        "event.changed",
        {"event_id": event.pk, "calendar_id": event.calendar_id, "change": change},
        workspace_id=event.workspace_id,
        priority=7,
    )


def is_moved(event: Event, itip: ItipEvent) -> bool:
    """Return True if an event would take place at other times, so that answers count no longer."""
    return (event.dtstart, event.dtend, event.rrule) != (itip.start, itip.end, itip.rrule)


def replace_attendees(event: Event, itip: ItipEvent, *, keep_answers: bool = False) -> None:
    """Make the attendees those of the message; `keep_answers`: what ours have answered stays."""
    answered = {one.email: one for one in event.attendees.all()} if keep_answers else {}
    event.attendees.all().delete()
    Attendee.objects.bulk_create(
        _attendee(event, invitee, answered.get(invitee.email)) for invitee in itip.attendees
    )


def _attendee(event: Event, invitee: Invitee, before: Attendee | None) -> Attendee:
    made = Attendee(
        event=event, email=invitee.email, name=invitee.name, partstat=invitee.partstat,
        role=invitee.role, rsvp=invitee.rsvp,
    )  # fmt: skip
    if before is not None:
        made.partstat = before.partstat
        made.answered_at, made.answered_sequence = before.answered_at, before.answered_sequence
    return made


def is_newer(itip: ItipEvent, event: Event) -> bool:
    """Return True if this is a later word than the stored one (RFC 5546 2.1.5)."""
    said = (itip.sequence, itip.dtstamp or LONG_AGO)
    return said > (event.latest_sequence, event.dtstamp or LONG_AGO)


def keep_ours(
    calendar: Calendar, itip: ItipEvent, rows: list[Event], *, by_person: bool = False
) -> Event:
    """Store an event that we organise as the message says it; doing so again changes nothing.

    In the caller's transaction, with `rows` of its UID locked. An older word changes nothing.
    `by_person`: a person brought it in, or approved it.
    """
    event = next((row for row in rows if row.recurrence_id == itip.recurrence_id), None)
    if event is not None and not is_newer(itip, event):
        return event
    keep_answers = event is not None and not is_moved(event, itip)
    change = "updated" if event else "created"
    event = event or Event(calendar=calendar, workspace_id=calendar.workspace_id, uid=itip.uid)
    fill_event(event, itip)
    event.status = EventStatus(itip.status) if itip.status else EventStatus.CONFIRMED
    event.deleted_at = None
    event.by_person = by_person or event.by_person
    save_event(event, change)
    replace_attendees(event, itip, keep_answers=keep_answers)
    return event


def remove_instance(series: Event, stamp: str, rows: list[Event], said: ItipEvent | None) -> None:
    """Leave one instance out of its series; `said` is the message that called it off, if any."""
    if said is not None:
        series.sequence = max(series.sequence, said.sequence)
        series.dtstamp = max(series.dtstamp or LONG_AGO, said.dtstamp or LONG_AGO)
    if stamp not in series.exdate:
        series.exdate = sorted([*series.exdate, stamp])
        save_event(series, "updated")
    for row in rows:
        if row.recurrence_id == stamp and row.deleted_at is None:
            row.deleted_at = timezone.now()
            save_event(row, "deleted")


# -- when a series takes place ---------------------------------------------------------------------


def work_out(series: Event, now: datetime) -> Expansion:
    """Return when a series takes place around now, not yet saved."""
    made = Expansion(event_id=series.pk, calendar_id=series.calendar_id, renew_at=now + RENEWED)
    lasts = series.dtend - series.dtstart
    if lasts > 2 * MAX_SPAN:
        return made
    since, until = now - BEHIND, now + AHEAD
    budget = Budget(_MOST_STEPS)
    try:
        found = find_starts(series_of(series), since, budget, until)
        starts = list(islice(takewhile(lambda it: it < until, found), MOST_STARTS + 1))
    except (ValueError, LookupError):
        # A rule or a zone that cannot be followed is told of where it is read.
        return made
    if budget.steps < 0:
        return made
    if len(starts) > MOST_STARTS:
        until = starts.pop()
    made.since, made.until, made.starts = since + lasts, until, pack(lasts, starts)
    return made


def keep_instances(events: Iterable[Event]) -> None:
    """Work out when those that are series take place, of some that were just saved, where unknown.

    In the transaction that saved them. Of what is no series the database has nothing to be filled.
    """
    series = {event.pk: event for event in events if _has_instances(event)}
    if not series:
        return
    now = timezone.now()
    empty = Expansion.objects.filter(pk__in=series, starts=None).values_list("pk", flat=True)
    insert(
        [work_out(series[key], now) for key in empty],
        unique_fields=("event",),
        update_fields=("since", "until", "starts", "renew_at"),
    )


def _has_instances(event: Event) -> bool:
    return not event.recurrence_id and (event.recurs or event.dtend - event.dtstart > LONG)
