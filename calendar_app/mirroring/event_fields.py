"""An event with all of its changed instances, as fields that change by themselves. No Django.

The names of an instance's fields begin with what its series calls it by, such as
`20260302T120000Z/summary`. When it takes place is one field, for half of it means nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias

from calendar_app.icalendar import Invitee, ItipEvent

Fields: TypeAlias = Mapping[str, Any]
# Who is invited and what they answered, by their address.
_GUEST = "attendee:"
WHEN, SEQUENCE = "when", "sequence"


def fields_of(events: Iterable[ItipEvent]) -> dict[str, Any]:
    """Return the fields of the events of one UID."""
    return {
        f"{event.recurrence_id}/{name}" if event.recurrence_id else name: value
        for event in events
        for name, value in _fields(event)
    }


def _fields(event: ItipEvent) -> Iterable[tuple[str, Any]]:
    if event.start is None or event.end is None:
        return
    yield WHEN, [
        event.start.isoformat(), event.end.isoformat(), event.all_day, event.timezone, event.rrule,
    ]  # fmt: skip
    organizer = event.organizer
    rest = {
        "summary": event.summary, "description": event.description, "location": event.location,
        "status": event.status, "rdate": sorted(event.rdate), "exdate": sorted(event.exdate),
        "transparent": event.is_transparent, SEQUENCE: event.sequence,
        "organizer": organizer and [organizer.email, organizer.name],
    }  # fmt: skip
    yield from ((name, value) for name, value in rest.items() if value)
    for guest in event.attendees:
        yield f"{_GUEST}{guest.email}", [guest.name, guest.partstat, guest.role, guest.rsvp]


def events_of(uid: str, fields: Fields) -> list[ItipEvent]:
    """Return the events that the fields say, the series first; raises ValueError for none.

    What is left of an instance whose time one side took away is left out.
    """
    parts: dict[str, dict[str, Any]] = {}
    for name, value in fields.items():
        stamp, _, own = name.rpartition("/") if _is_of_instance(name) else ("", "", name)
        parts.setdefault(stamp, {})[own] = value
    events = [_event(uid, stamp, parts[stamp]) for stamp in sorted(parts) if WHEN in parts[stamp]]
    if not events:
        raise ValueError("the event has no time")
    return events


def _is_of_instance(name: str) -> bool:
    """Return True for a name that begins with a stamp; an address may hold a slash as well."""
    return name[:8].isdecimal() and "/" in name


def _event(uid: str, stamp: str, fields: Fields) -> ItipEvent:
    start, end, all_day, timezone, rrule = fields[WHEN]
    organizer = fields.get("organizer")
    return ItipEvent(
        uid=uid, sequence=fields.get(SEQUENCE, 0), recurrence_id=stamp, dtstamp=None,
        start=datetime.fromisoformat(start), end=datetime.fromisoformat(end), all_day=all_day,
        timezone=timezone, rrule=rrule, summary=fields.get("summary", ""),
        description=fields.get("description", ""), location=fields.get("location", ""),
        status=fields.get("status", ""),
        organizer=Invitee(organizer[0], organizer[1]) if organizer else None,
        attendees=tuple(_guests(fields)), rdate=tuple(fields.get("rdate", ())),
        exdate=tuple(fields.get("exdate", ())), is_transparent=fields.get("transparent", False),
    )  # fmt: skip


def _guests(fields: Fields) -> Iterable[Invitee]:
    for name, value in fields.items():
        if name.startswith(_GUEST):
            yield Invitee(name.removeprefix(_GUEST), *value)


def is_sequence(name: str) -> bool:
    """Return True for the sequence of an event or of an instance."""
    return (name.partition("/")[2] if _is_of_instance(name) else name) == SEQUENCE


def changed_of(stamp: str, changed: Iterable[str]) -> frozenset[str]:
    """Return which fields of one instance changed, by their own names; "" is the series."""
    if not stamp:
        return frozenset(name for name in changed if not _is_of_instance(name))
    prefix = f"{stamp}/"
    return frozenset(name.removeprefix(prefix) for name in changed if name.startswith(prefix))


def stamped(events: Sequence[ItipEvent], moment: datetime) -> tuple[ItipEvent, ...]:
    """Return the events as said at a time (RFC 5545 3.8.7.2)."""
    return tuple(replace(event, dtstamp=moment.replace(microsecond=0)) for event in events)
