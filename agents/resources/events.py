"""Events as they are stored: a series is one row, and a changed instance another."""

from collections.abc import Sequence
from typing import Any, Literal

from django_filters import BooleanFilter

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import (
    Filters,
    IdFilter,
    MessageIdFilter,
    OneOf,
    TextFilter,
    before,
    since,
)
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from calendar_app.models import Attendee, Calendar, Event, EventStatus, Partstat, Transparency
from inbox import ids
from inbox.actor import Actor
from inbox.models.base import VisibleQuerySet

# More attendees than these are counted, not named.
MOST_ATTENDEES = 200


class AttendeeShape(Closed):
    """Somebody invited (RFC 5545 3.8.4.1)."""

    email: str
    name: OrAbsent[str] = None
    partstat: Literal[tuple(Partstat.values)]  # type: ignore[valid-type]
    role: str


class EventRow(Closed):
    """An event, a series or a changed instance of one (RFC 5545 3.6.1)."""

    id: str
    calendar_id: str
    uid: str
    # Which instance of a series; left out of the series itself.
    recurrence_id: OrAbsent[str] = None
    sequence: int
    summary: str
    location: OrAbsent[str] = None
    dtstart: Moment
    dtend: Moment
    all_day: bool
    timezone: OrAbsent[str] = None
    rrule: OrAbsent[str] = None
    status: Literal[tuple(EventStatus.values)]  # type: ignore[valid-type]
    transparency: Literal[tuple(Transparency.values)]  # type: ignore[valid-type]
    organizer: OrAbsent[str] = None
    # What the account itself answered.
    partstat: OrAbsent[Literal[tuple(Partstat.values)]] = None  # type: ignore[valid-type]
    version: int
    created_at: Moment
    updated_at: Moment


class WholeEvent(EventRow):
    """An event with its description, its further and left out starts, and who is invited."""

    description: OrAbsent[str] = None
    rdate: list[str]
    exdate: list[str]
    attendees: list[AttendeeShape]


class EventFilters(Filters):
    """Events by calendar, UID, status and time; `ends_since` with `starts_before` is a span."""

    calendar_id = IdFilter(Calendar.ID_PREFIX, "calendar")
    message_id = MessageIdFilter("message")
    uid = TextFilter(lookup_expr="exact")
    status = OneOf(EventStatus.choices)
    all_day = BooleanFilter()
    starts_since = since("dtstart")
    starts_before = before("dtstart")
    ends_since = since("dtend")
    updated_since = since("updated_at")


def _listed(actor: Actor) -> VisibleQuerySet[Any]:
    rows = Event.objects.visible_to(actor).kept()
    return rows.defer("description", "rdate", "exdate")


def _whole_rows(actor: Actor) -> VisibleQuerySet[Any]:
    return Event.objects.visible_to(actor).kept()


def _shapes(rows: Sequence[Event]) -> list[EventRow]:
    return [EventRow(**_fields(row)) for row in rows]


def _whole(row: Event) -> WholeEvent:
    invited: Sequence[Attendee] = list(row.attendees.order_by("pk")[:MOST_ATTENDEES])
    attendees = [
        AttendeeShape(email=one.email, name=one.name or None, partstat=one.partstat, role=one.role)
        for one in invited
    ]
    return WholeEvent(
        **_fields(row), description=row.description or None, rdate=row.rdate, exdate=row.exdate,
        attendees=attendees,
    )  # fmt: skip


def _fields(row: Event) -> dict[str, Any]:
    same = (
        "uid", "sequence", "summary", "dtstart", "dtend", "all_day", "status", "transparency",
        "version", "created_at", "updated_at",
    )  # fmt: skip
    or_absent = ("recurrence_id", "location", "timezone", "rrule", "organizer", "partstat")
    return {
        "id": row.public_id,
        "calendar_id": ids.encode(Calendar.ID_PREFIX, row.calendar_id),
        **{name: getattr(row, name) for name in same},
        **{name: getattr(row, name) or None for name in or_absent},
    }


declare(
    Collection(
        noun="events", one="event", domain="calendar", rows=_listed, item=EventRow,
        shapes=_shapes, whole=WholeEvent, whole_shape=_whole, whole_rows=_whole_rows,
        filters=EventFilters, search=("summary", "location", "description"),
        orders={"dtstart": Order("dtstart"), "updated_at": Order("updated_at")},
        default="-dtstart",
        words="events as they are stored, a series as one row; the calendar tools give instances. "
        "With `Accept: text/event-stream` this address is the stream of facts instead.",
    )
)  # fmt: skip
