"""Calendars as .ics files: brought in, and given out."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from django.db import transaction

from calendar_app.icalendar import ItipEvent, ItipMessage, read_calendar
from calendar_app.itip_writing import write_itip
from calendar_app.models import Calendar, Event
from calendar_app.models.events import EventQuerySet
from calendar_app.operations.keeping import addresses_of, keep_ours, lock_uid, said_of
from inbox.errors import invalid
from inbox.operations.mirror_entries import touched
from inbox.reasons import of_error
from inbox.reasons import phrase as _

MOST_EXPORTED = 20_000


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file: how many events it has, how many are new or changed, and problems."""

    total: int
    stored: int
    problems: tuple[str, ...]


def import_calendar(*, calendar: Calendar, content: bytes) -> Imported:
    """Bring the events of a file into a calendar; nobody is told, and again changes nothing.

    An event that is there already changes only by a later word. Raises DomainError where the file
    is no calendar.
    """
    try:
        events, problems = read_calendar(content)
    except ValueError as error:
        raise invalid(
            "content",
            _("It cannot be read: %(error)s.", error=of_error(error)),
            _("an iCalendar file"),
        ) from error
    own = addresses_of(calendar.account)
    stored = 0
    for uid, said in groupby(sorted(events, key=_by_uid), key=lambda event: event.uid):
        with transaction.atomic():
            rows = lock_uid(calendar, uid)
            before = {row.pk: row.version for row in rows}
            for event in said:
                kept = keep_ours(calendar, event, rows, by_person=True)
                _note_our_answer(kept, event, own)
                stored += before.get(kept.pk) != kept.version
    touched(account=calendar.account, resources=("event_list", "event"))
    return Imported(len(events) + len(problems), stored, tuple(problems))


def _by_uid(event: ItipEvent) -> tuple[str, str]:
    return event.uid, event.recurrence_id


def _note_our_answer(event: Event, said: ItipEvent, own: frozenset[str]) -> None:
    me = next((one for one in said.attendees if one.email in own), None)
    if me is not None and not event.partstat:
        event.partstat = me.partstat
        event.save(update_fields=["partstat"])


def export_events(*, rows: EventQuerySet) -> str:
    """Return events as an iCalendar file; series with their exceptions, the deleted left out."""
    found = rows.kept().order_by("uid", "recurrence_id", "pk").prefetch_related("attendees")
    return write_itip(ItipMessage("", tuple(_said(found))))


def _said(rows: EventQuerySet) -> Iterator[ItipEvent]:
    for event in rows[:MOST_EXPORTED]:
        yield replace(said_of(event), dtstamp=event.dtstamp or event.updated_at)
