"""Events as they are stored: a series is one row, and a changed instance another."""

from typing import Annotated, Literal

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
from agents.resources.shapes import IdOf, Made, shapes_of
from agents.resources.trust import Trust
from calendar_app.event_search import keep_events
from calendar_app.models import Calendar, Event, EventStatus, Partstat, Transparency

# More attendees than these are counted, not named.
MOST_ATTENDEES = 200


class AttendeeShape(Closed):
    """Somebody invited (RFC 5545 3.8.4.1)."""

    email: str
    name: OrAbsent[str] = None
    partstat: Literal[tuple(Partstat.values)]  # type: ignore[valid-type]
    role: str


def _invited(row: Event) -> list[AttendeeShape]:
    return shapes_of(AttendeeShape, list(row.attendees.order_by("pk")[:MOST_ATTENDEES]))


class EventRow(Closed):
    """An event, a series or a changed instance of one (RFC 5545 3.6.1)."""

    id: str
    calendar_id: Annotated[str, IdOf(Calendar)]
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
    trust: Trust = None
    created_at: Moment
    updated_at: Moment


class WholeEvent(EventRow):
    """An event with its description, its further and left out starts, and who is invited."""

    description: OrAbsent[str] = None
    rdate: list[str]
    exdate: list[str]
    attendees: Annotated[list[AttendeeShape], Made(_invited)]


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


declare(
    Collection(
        noun="events", one="event", domain="calendar",
        rows=lambda actor: Event.objects.visible_to(actor).kept(), item=EventRow, whole=WholeEvent,
        whole_columns=("description", "rdate", "exdate"), filters=EventFilters,
        search=("summary", "location", "description", "organizer"), keep_found=keep_events,
        found_as="search_unified",
        orders={"dtstart": Order("dtstart"), "updated_at": Order("updated_at")}, default="-dtstart",
        words="events as they are stored, a series as one row; the calendar tools give instances. "
        "With `Accept: text/event-stream` this address is the stream of facts instead.",
    )
)  # fmt: skip
