"""Events in the shapes of Microsoft Graph, as the operations answer them."""

from datetime import datetime
from typing import Any, Literal, TypeAlias

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from agents.contracts.fields import Closed, Moment, OrAbsent, ZonedTime
from agents.tools.cached import Cached
from calendar_app.models import Attendee, Calendar, Event, EventStatus, Partstat, Transparency
from calendar_app.operations.occurrences import Occurrence
from inbox import ids

# In a list each text is cut there.
LIST_BODY = 20_000
# So many attendees are named.
MOST_NAMED = 1_000

Response: TypeAlias = Literal[
    "none", "organizer", "notResponded", "accepted", "declined", "tentativelyAccepted"
]
ShowAs: TypeAlias = Literal["free", "tentative", "busy"]
Kind: TypeAlias = Literal["singleInstance", "occurrence", "exception", "seriesMaster"]
_RESPONSES: dict[str, Response] = {
    "": "none", Partstat.NEEDS_ACTION: "notResponded", Partstat.ACCEPTED: "accepted",
    Partstat.DECLINED: "declined", Partstat.TENTATIVE: "tentativelyAccepted",
    Partstat.DELEGATED: "declined",
}  # fmt: skip
_TYPES: dict[str, Literal["required", "optional", "resource"]] = {
    "chair": "required", "req-participant": "required", "opt-participant": "optional",
    "non-participant": "optional",
}  # fmt: skip


class _Graph(Closed):
    """An object whose fields are named as Microsoft Graph names them."""

    model_config = ConfigDict(alias_generator=to_camel)


class EventLocation(_Graph):
    """Where it is."""

    display_name: str


class EventAddress(_Graph):
    """An address, and the name beside it."""

    name: OrAbsent[str] = None
    address: str


class EventOrganizer(_Graph):
    """Who called it."""

    email_address: EventAddress


class EventBody(_Graph):
    """What is said about it; `truncated` where there is more."""

    content: str
    content_type: Literal["text"] = "text"
    truncated: OrAbsent[Literal[True]] = None


class AttendeeStatus(_Graph):
    """What somebody answered, and when."""

    response: Response
    time: OrAbsent[Moment] = None


class EventAttendee(_Graph):
    """Somebody invited."""

    email_address: EventAddress
    type: Literal["required", "optional", "resource"]
    status: AttendeeStatus


class ListedEvent(Cached):
    """An event, or one instance of a series."""

    model_config = ConfigDict(alias_generator=to_camel)

    id: str
    subject: str
    start: ZonedTime
    end: ZonedTime
    location: EventLocation
    organizer: EventOrganizer
    is_all_day: bool
    is_cancelled: bool
    type: Kind
    series_master_id: OrAbsent[str] = None
    calendar_id: str
    response_status: Response
    show_as: ShowAs
    body: OrAbsent[EventBody] = None
    attendees: OrAbsent[list[EventAttendee]] = None
    # RFC 5545's own lines, RRULE, RDATE and EXDATE, of the series.
    recurrence: OrAbsent[list[str]] = None


class EventDetails(_Graph):
    """An event as a writing answers it; without `status` it is done."""

    id: OrAbsent[str] = None
    subject: OrAbsent[str] = None
    start: OrAbsent[ZonedTime] = None
    end: OrAbsent[ZonedTime] = None
    location: OrAbsent[EventLocation] = None
    organizer: OrAbsent[EventOrganizer] = None
    is_all_day: OrAbsent[bool] = None
    is_cancelled: OrAbsent[bool] = None
    type: OrAbsent[Kind] = None
    series_master_id: OrAbsent[str] = None
    calendar_id: OrAbsent[str] = None
    response_status: OrAbsent[Response] = None
    show_as: OrAbsent[ShowAs] = None
    body: OrAbsent[EventBody] = None
    attendees: OrAbsent[list[EventAttendee]] = None
    recurrence: OrAbsent[list[str]] = None
    # Where it reaches others: `queued` until the message has left, and where a person decides.
    status: OrAbsent[Literal["queued", "sent"]] = None
    message_id: OrAbsent[str] = Field(default=None, alias="message_id")
    approval_id: OrAbsent[str] = Field(default=None, alias="approval_id")
    review_url: OrAbsent[str] = Field(default=None, alias="review_url")


def event_fields(
    one: Occurrence, *, with_details: bool, longest: int = LIST_BODY
) -> dict[str, Any]:
    """Return the fields of an event; with details, its attendees are read."""
    event = one.event
    fields: dict[str, Any] = {
        "id": one.public_id,
        "subject": event.summary,
        "start": _time(event, one.start),
        "end": _time(event, one.end),
        "location": EventLocation(display_name=event.location),
        "organizer": _organizer(event),
        "is_all_day": event.all_day,
        "is_cancelled": event.status == EventStatus.CANCELLED,
        "type": _kind(one),
        "series_master_id": one.series.public_id if one.series else None,
        "calendar_id": ids.encode(Calendar.ID_PREFIX, event.calendar_id),
        "response_status": _RESPONSES[event.partstat],
        "show_as": _show_as(event),
    }
    return {**fields, **_details(one, longest)} if with_details else fields


def _time(event: Event, moment: datetime) -> ZonedTime:
    """Return a time on the event's own clock; of whole days midnight, which is kept as UTC."""
    return ZonedTime.of(moment, "" if event.all_day else event.timezone)


def _organizer(event: Event) -> EventOrganizer:
    """Return who called it: the account itself where nobody is invited (RFC 5545, 3.8.4.3)."""
    name, address = event.organizer_name, event.organizer
    if not address:
        account = event.calendar.account
        name, address = account.name, account.address
    return EventOrganizer(email_address=EventAddress(name=name or None, address=address))


def _kind(one: Occurrence) -> Kind:
    if one.series is None:
        return "seriesMaster" if one.event.recurs else "singleInstance"
    return "exception" if one.event.recurrence_id else "occurrence"


def _show_as(event: Event) -> ShowAs:
    gone = event.status == EventStatus.CANCELLED or event.partstat == Partstat.DECLINED
    if gone or event.transparency == Transparency.TRANSPARENT:
        return "free"
    certain = event.status == EventStatus.CONFIRMED or event.partstat == Partstat.ACCEPTED
    return "busy" if certain else "tentative"


def _details(one: Occurrence, longest: int) -> dict[str, Any]:
    event, text = one.event, one.event.description
    return {
        "body": EventBody(content=text[:longest], truncated=True if len(text) > longest else None),
        "attendees": [_attendee(it) for it in list(event.attendees.all())[:MOST_NAMED]],
        "recurrence": _recurrence(one.series or event) or None,
    }


def _attendee(attendee: Attendee) -> EventAttendee:
    return EventAttendee(
        email_address=EventAddress(name=attendee.name or None, address=attendee.email),
        type=_TYPES[attendee.role],
        status=AttendeeStatus(response=_RESPONSES[attendee.partstat], time=attendee.answered_at),
    )


def _recurrence(series: Event) -> list[str]:
    lines = [f"RRULE:{series.rrule}"] if series.rrule else []
    lines += [f"RDATE:{','.join(series.rdate)}"] if series.rdate else []
    return lines + ([f"EXDATE:{','.join(series.exdate)}"] if series.exdate else [])
