"""Our rows of events, made to say what a server does: many at once, and nobody is told by mail."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.utils import timezone

from calendar_app.icalendar import ItipEvent
from calendar_app.models import Attendee, Calendar, Event, EventStatus
from calendar_app.operations.keeping import (
    addresses_of,
    fill_event,
    keep_instances,
    save_event,
    tell,
)
from inbox.bulk_insert import insert
from inbox.syncing.collections.keepers import UnfitItemError

_ANSWERED = ("name", "partstat", "role", "rsvp")


def rows_of(calendar: Calendar, uids: Sequence[str]) -> Iterable[Event]:
    """Return the rows of some UIDs, deleted ones too, with their attendees."""
    rows = Event.objects.filter(calendar=calendar, uid__in=uids)
    return rows.order_by("uid", "recurrence_id", "pk").prefetch_related("attendees")


def keep_events(
    calendar: Calendar, said: Mapping[str, Sequence[ItipEvent]], *, is_own: bool, tells: bool
) -> None:
    """Have the rows of each UID say what its events do; what they do not name is dropped.

    `is_own`: what its owner organises there is their word. `tells`: who listens hears of what is
    new as well (`event.changed`). Raises UnfitItemError.
    """
    own = addresses_of(calendar.account)
    rows: dict[str, dict[str, Event]] = defaultdict(dict)
    for row in rows_of(calendar, list(said)):
        rows[row.uid][row.recurrence_id] = row
    new: list[tuple[Event, ItipEvent]] = []
    for uid, events in said.items():
        for event in events:
            known = event.recurrence_id in rows[uid]
            row = rows[uid].pop(
                event.recurrence_id,
                Event(calendar=calendar, workspace_id=calendar.workspace_id, uid=uid),
            )
            _fill(row, event, own, is_own=is_own)
            if known:
                save_event(row, "updated")
                _write_guests(row, event)
            else:
                new.append((row, event))
    _create(new, tells=tells)
    _drop(row for left in rows.values() for row in left.values())


def _fill(row: Event, said: ItipEvent, own: frozenset[str], *, is_own: bool) -> None:
    highest, dtstamp = row.latest_sequence, row.dtstamp
    try:
        fill_event(row, said)
    except ValueError as error:
        raise UnfitItemError(str(error)) from error
    row.highest_sequence = highest
    row.dtstamp = dtstamp or timezone.now()
    row.status = EventStatus(said.status) if said.status else EventStatus.CONFIRMED
    row.deleted_at = None
    organized_here = said.organizer is None or said.organizer.email in own
    row.by_person = row.by_person or (is_own and organized_here)
    me = next((one for one in said.attendees if one.email in own), None)
    row.partstat = me.partstat if me else row.partstat


def _create(new: Sequence[tuple[Event, ItipEvent]], *, tells: bool) -> None:
    made = insert(row for row, _said in new)
    insert(
        Attendee(
            event=row, email=one.email, name=one.name, partstat=one.partstat, role=one.role,
            rsvp=one.rsvp,
        )
        for row, said in new
        for one in said.attendees
    )  # fmt: skip
    keep_instances(made)
    if tells:
        for row, _said in new:
            tell(row, "created")


def _write_guests(row: Event, said: ItipEvent) -> None:
    """Have the attendees be those that are said; when they answered stays with them."""
    wanted = {one.email: one for one in said.attendees}
    there = {one.email: one for one in row.attendees.all()}
    row.attendees.filter(email__in=there.keys() - wanted.keys()).delete()
    written = []
    for email, one in wanted.items():
        guest = there.get(email) or Attendee(event=row, email=email)
        now = (one.name, one.partstat, one.role, one.rsvp)
        if guest.pk is None or now != tuple(getattr(guest, name) for name in _ANSWERED):
            guest.name, guest.partstat, guest.role, guest.rsvp = now
            written.append(guest)
    Attendee.objects.bulk_create(
        written, update_conflicts=True, unique_fields=["event", "email"],
        update_fields=[*_ANSWERED],
    )  # fmt: skip


def _drop(rows: Iterable[Event]) -> None:
    """Delete, softly, the instances that a series does not change any more."""
    for row in rows:
        if row.deleted_at is None:
            row.deleted_at = timezone.now()
            save_event(row, "deleted")
