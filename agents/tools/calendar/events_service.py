"""The calendars of the workspace's default account: `google_calendar_service`."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Literal, TypeAlias, cast

from django.utils import timezone
from pydantic import Field, model_validator

from agents.approval.sealing import queued_fields
from agents.contracts import Effect, ToolError, tool
from agents.contracts.fields import WHOLE, Closed, IdOrName, Maybe, Moment, OrAbsent
from agents.dispatching.rows import get_row
from agents.errors import not_found
from agents.models import Approval
from agents.tools.calendar.events import events_of
from agents.tools.calendar.proposals import ChangePlan, cancellation_of, find_told, make, pointing
from calendar_app.models import Calendar
from calendar_app.operations.deletions import delete_event
from calendar_app.operations.events import EventValues, Invitation, plan_event, plan_update
from calendar_app.operations.keeping import default_calendar
from calendar_app.operations.occurrences import (
    Occurrence,
    find_occurrence,
    list_occurrences,
)
from inbox import ids
from inbox.actor import Actor
from inbox.models import Account

_SERVICE = "google_calendar_service"
# So many a list names, by their start.
_MOST = 500
_NAMES = {"subject": "title", "start": "start_at", "end": "end_at"}

CalendarId: TypeAlias = Annotated[
    str,
    Field(
        min_length=1, max_length=200,
        description="The calendar: its id, as `list` gives it, or its name.",
    ),
    IdOrName(Calendar.ID_PREFIX),
]  # fmt: skip
EventId: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=200, description="The event, as `list` names it.")
]
EventState: TypeAlias = Literal["tentative", "confirmed", "cancelled"]
Title: TypeAlias = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
Description: TypeAlias = Annotated[str, Field(max_length=20_000)]


class CalendarEvent(Closed):
    """An event, or one instance of a series."""

    id: str
    calendar_id: str
    title: str
    start_at: Moment
    end_at: Moment
    all_day: bool
    timezone: str
    description: OrAbsent[str] = None
    location: OrAbsent[str] = None
    status: EventState
    series_id: OrAbsent[str] = None


class Waiting(Closed):
    """The message to the attendees that a person decides on, and whether it has left."""

    status: Literal["queued", "sent"]
    message_id: OrAbsent[str] = None
    approval_id: str
    review_url: str


class WrittenEvent(Closed):
    """The event as it is now; `waiting` where attendees are told first."""

    event: OrAbsent[CalendarEvent] = None
    waiting: OrAbsent[Waiting] = None


class ListEvents(Closed):
    """From now on, for how long."""

    days_ahead: Annotated[int, Field(ge=1, le=365, description="So many days from now."), WHOLE] = 7


class EventsAhead(Closed):
    """Events by their start; `truncated` where there are more than these."""

    events: list[CalendarEvent]
    truncated: bool


@tool(family="services", domain="calendar", effect=Effect.READ, service=(_SERVICE, "list"))
def list_events(actor: Actor, args: ListEvents) -> EventsAhead:
    """List what takes place from now on in all calendars, series as instances; at most 500."""
    now = timezone.now()
    rows = events_of(actor, _account(actor))
    until = now + timedelta(days=args.days_ahead)
    found = list_occurrences(rows, since=now, until=until, limit=_MOST + 1)
    return EventsAhead(events=[_shape(one) for one in found[:_MOST]], truncated=len(found) > _MOST)


def _account(actor: Actor) -> Account:
    """Return the account whose calendars these are: the first that the caller was granted."""
    account = Account.objects.visible_to(actor).order_by("pk").first()
    if account is None:
        raise ToolError("permission_denied", "You were granted no account")
    return account


def _shape(one: Occurrence) -> CalendarEvent:
    event = one.event
    return CalendarEvent(
        id=one.public_id,
        calendar_id=ids.encode(Calendar.ID_PREFIX, event.calendar_id),
        title=event.summary,
        start_at=one.start,
        end_at=one.end,
        all_day=event.all_day,
        timezone=event.timezone or "UTC",
        description=event.description or None,
        location=event.location or None,
        status=cast("EventState", event.status),
        series_id=one.series.public_id if one.series else None,
    )


class CreateEvent(Closed):
    """What takes place, and when."""

    title: Title
    start_at: Annotated[Moment, Field(description="With its offset.")]
    end_at: Annotated[Moment, Field(description="With its offset; after the start.")]
    calendar_id: Maybe[CalendarId] = None
    description: Maybe[Description] = None


@tool(
    family="services",
    domain="calendar",
    effect=Effect.WRITE,
    writes="evt",
    service=(_SERVICE, "create"),
    example={
        "title": "Order new lamps",
        "start_at": "2026-03-10T10:00:00+01:00",
        "end_at": "2026-03-10T10:30:00+01:00",
    },
)
def create_event(actor: Actor, args: CreateEvent) -> WrittenEvent:
    """Create an event; without a `calendar_id`, in the default calendar."""
    if args.calendar_id is None:
        calendar = default_calendar(_account(actor))
    else:
        calendar = _calendar(actor, args.calendar_id)
    wanted = EventValues(args.title, args.start_at, args.end_at, description=args.description)
    with pointing(names=_NAMES):
        return _written(plan_event(calendar=calendar, wanted=wanted))


def _calendar(actor: Actor, calendar_id: str) -> Calendar:
    rows = Calendar.objects.visible_to(actor).kept().select_related("account")
    return get_row(rows, calendar_id, "calendar", "/calendar_id")


def _written(change: Invitation) -> WrittenEvent:
    now = make(change)
    return WrittenEvent(event=_shape(now) if now else None)


class UpdateEvent(Closed):
    """Which event, and what to change; what is left out stays."""

    event_id: EventId
    calendar_id: CalendarId
    title: Maybe[Title] = None
    start_at: Maybe[Moment] = None
    end_at: Maybe[Moment] = None
    description: Maybe[Description] = None

    @model_validator(mode="after")
    def _changes_something(self) -> "UpdateEvent":
        if not self.model_fields_set - {"event_id", "calendar_id"}:
            raise ValueError("changes nothing; give title, start_at, end_at or description")
        return self


def _event(actor: Actor, event_id: str, calendar_id: str) -> Occurrence:
    calendar = _calendar(actor, calendar_id)
    rows = events_of(actor).filter(calendar=calendar).select_related("calendar__account")
    found = find_occurrence(rows, event_id)
    if found is None:
        raise not_found("event", "/event_id")
    return found


class UpdatePlan(ChangePlan[WrittenEvent]):
    """A change of an event."""

    def apply(self) -> WrittenEvent:
        """Make the change, which reaches nobody, and return the event."""
        return _written(self.change)

    @classmethod
    def answer(cls, approval: Approval) -> WrittenEvent:
        """Return where the message stands, and the event once attendees were told."""
        fields = queued_fields(approval)
        told = find_told(approval) if fields["status"] == "sent" else None
        return WrittenEvent(event=_shape(told) if told else None, waiting=Waiting(**fields))


@tool(
    family="services",
    domain="calendar",
    effect=Effect.WRITE,
    writes="evt",
    service=(_SERVICE, "update"),
    example={
        "event_id": "evt_8fXoQ2mKpL",
        "calendar_id": "cal_8fXoQ2mKpL",
        "title": "Order two new lamps",
    },
)
def update_event(actor: Actor, args: UpdateEvent) -> UpdatePlan:
    """Change an event; where it has attendees, a person approves first what they are told."""
    one = _event(actor, args.event_id, args.calendar_id)
    wanted = EventValues(args.title, args.start_at, args.end_at, description=args.description)
    with pointing(names=_NAMES):
        return UpdatePlan(actor, plan_update(occurrence=one, wanted=wanted))


class DeleteEvent(Closed):
    """Which event."""

    event_id: EventId
    calendar_id: CalendarId


class RemovedEvent(Closed):
    """Whether it is gone; `waiting` where attendees are told first."""

    event_id: str
    deleted: bool
    waiting: OrAbsent[Waiting] = None


@dataclass(frozen=True)
class RemovalPlan(ChangePlan[RemovedEvent]):
    """The end of an event, as the caller named it."""

    occurrence: Occurrence
    event_id: str

    def apply(self) -> RemovedEvent:
        """Delete the event, of which nobody is told."""
        delete_event(occurrence=self.occurrence)
        return RemovedEvent(event_id=self.event_id, deleted=True)

    @classmethod
    def answer(cls, approval: Approval) -> RemovedEvent:
        """Return that the event is removed, with whether its attendees were told."""
        fields = queued_fields(approval)
        return RemovedEvent(
            event_id=approval.arguments["event_id"],
            deleted=fields["status"] == "sent",
            waiting=Waiting(**fields),
        )


@tool(
    family="services",
    domain="calendar",
    effect=Effect.DESTROY,
    service=(_SERVICE, "delete"),
    example={"event_id": "evt_8fXoQ2mKpL", "calendar_id": "cal_8fXoQ2mKpL"},
)
def delete_calendar_event(actor: Actor, args: DeleteEvent) -> RemovalPlan:
    """Delete an event; a person approves the cancellation that attendees are sent first."""
    one = _event(actor, args.event_id, args.calendar_id)
    return RemovalPlan(actor, cancellation_of(one), one, args.event_id)
