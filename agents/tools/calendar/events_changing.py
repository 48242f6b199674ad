"""The operations that write calendars. What reaches others waits for a person, as mail does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from agents.approval.sealing import queued_fields
from agents.contracts import Effect, tool
from agents.contracts.fields import Closed, Confirmed, IdOrName, Maybe, Moment, OrAbsent
from agents.dispatching.rows import get_account, get_row
from agents.models import Approval
from agents.tools.calendar.events import EventId, People, get_event, read_people
from agents.tools.calendar.proposals import (
    ChangePlan,
    EventPlan,
    cancellation_of,
    find_untold,
    pointing,
)
from agents.tools.shapes import AccountId
from calendar_app.models import Calendar
from calendar_app.operations.deletions import delete_calendar, delete_event
from calendar_app.operations.events import EventValues, plan_event, plan_reply, plan_update
from calendar_app.operations.keeping import default_calendar
from calendar_app.operations.occurrences import Occurrence
from calendar_app.operations.sent import sealed_itip
from inbox.actor import Actor
from inbox.flags import Finding

# -- a new event -----------------------------------------------------------------------------------


class CalendarCreateEvent(Closed):
    """What takes place, when, where and with whom."""

    account_id: AccountId
    subject: str
    start: Moment
    end: Moment
    location: Maybe[str] = None
    body: Maybe[Annotated[str, Field(description="Plain text.")]] = None
    attendees: Maybe[Annotated[People, Field(description="Addresses to invite.")]] = None
    timezone: Annotated[str, Field(description="An IANA zone, for the clock of its place.")] = "UTC"


@tool(
    family="operations",
    domain="calendar",
    effect=Effect.WRITE,
    writes="evt",
    unified=[("create", "event")],
    example={
        "account_id": "acc_8fXoQ2mKpL",
        "subject": "The lamps of the yard",
        "start": "2026-03-10T10:00:00+01:00",
        "end": "2026-03-10T11:00:00+01:00",
        "timezone": "Europe/Berlin",
        "location": "The yard",
        "attendees": ["ada@customer.example"],
    },
)
def calendar_create_event(actor: Actor, args: CalendarCreateEvent) -> EventPlan:
    """Create an event in the account's default calendar; times need an offset.

    With attendees it is an invitation: a person approves it, and it is `queued` and in no calendar
    until it has left.
    """
    account = get_account(actor, args.account_id)
    wanted = EventValues(
        args.subject, args.start, args.end, args.timezone, args.location, args.body,
        read_people(args.attendees, "/attendees"),
    )  # fmt: skip
    with pointing(names={"description": "body"}):
        return EventPlan(actor, plan_event(calendar=default_calendar(account), wanted=wanted))


# -- an answer to an invitation --------------------------------------------------------------------


class CalendarRespondEvent(Closed):
    """Which invitation, and what to answer."""

    account_id: AccountId
    event_id: EventId
    response: Literal["accept", "decline", "tentativelyAccept", "tentative"] = "accept"
    message: Maybe[Annotated[str, Field(min_length=1, description="Words to the organizer.")]] = (
        None
    )


_Answer: TypeAlias = Literal["accept", "decline", "tentativelyAccept"]
_ANSWERS: dict[str, tuple[str, _Answer]] = {
    "accept": ("accepted", "accept"),
    "decline": ("declined", "decline"),
    "tentativelyAccept": ("tentative", "tentativelyAccept"),
    "tentative": ("tentative", "tentativelyAccept"),
}
_SAID = dict(_ANSWERS.values())


class RespondedEvent(Closed):
    """What was answered, once the answer has left; `queued` until then."""

    status: Literal["queued", "accept", "decline", "tentativelyAccept"]
    message_id: OrAbsent[str] = None
    approval_id: OrAbsent[str] = None
    review_url: OrAbsent[str] = None


class AnswerPlan(ChangePlan[RespondedEvent]):
    """An answer to an invitation."""

    @classmethod
    def answer(cls, approval: Approval) -> RespondedEvent:
        """Return what was answered, once it has left."""
        fields = queued_fields(approval)
        message = sealed_itip(approval.submission) if approval.submission else None
        if fields["status"] == "sent" and message is not None:
            fields["status"] = _SAID[message.events[0].attendees[0].partstat]
        return RespondedEvent(**fields)


@tool(
    family="operations",
    domain="calendar",
    effect=Effect.SEND,
    unified=[("reply", "event")],
    example={
        "account_id": "acc_8fXoQ2mKpL",
        "event_id": "evt_8fXoQ2mKpL",
        "response": "tentativelyAccept",
        "message": "I may be ten minutes late.",
    },
)
def calendar_respond_event(actor: Actor, args: CalendarRespondEvent) -> AnswerPlan:
    """Answer an invitation, of a series or of one instance; a person approves the answer.

    It is `queued`, and the calendar stays as it is, until the answer has left to the organizer.
    """
    one = get_event(actor, get_account(actor, args.account_id), args.event_id)
    partstat, _ = _ANSWERS[args.response]
    change = plan_reply(occurrence=one, partstat=partstat, comment=args.message or "")
    return AnswerPlan(actor, change)


# -- a change --------------------------------------------------------------------------------------


class EventUpdates(Closed):
    """What to change; what is left out stays."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    subject: Maybe[str] = None
    start: Maybe[Moment] = None
    end: Maybe[Moment] = None
    timezone: Maybe[Annotated[str, Field(description="Only with start or end.")]] = None
    location: Maybe[str] = None
    body: Maybe[str] = None
    attendees: Maybe[Annotated[People, Field(description="All who are invited from now on.")]] = (
        None
    )

    @model_validator(mode="after")
    def _changes_something(self) -> "EventUpdates":
        if not self.model_fields_set:
            raise ValueError("changes nothing; give at least one field")
        return self


class CalendarUpdateEvent(Closed):
    """Which event, series or instance, and what to change."""

    event_id: EventId
    updates: EventUpdates
    account_id: AccountId


@tool(
    family="operations",
    domain="calendar",
    effect=Effect.WRITE,
    writes="evt",
    unified=[("update", "event")],
    example={
        "event_id": "evt_8fXoQ2mKpL",
        "updates": {"location": "The harbour"},
        "account_id": "acc_8fXoQ2mKpL",
    },
)
def calendar_update_event(actor: Actor, args: CalendarUpdateEvent) -> EventPlan:
    """Change an event of the account's own: one instance by its id, a whole series by the series'.

    With attendees a person approves what they are told, and the event stays as it is until then.
    """
    one = get_event(actor, get_account(actor, args.account_id), args.event_id)
    updates = args.updates
    with pointing("updates/", {"description": "body"}):
        people = updates.attendees
        wanted = EventValues(
            updates.subject, updates.start, updates.end, updates.timezone, updates.location,
            updates.body, None if people is None else read_people(people, "/attendees"),
        )  # fmt: skip
        return EventPlan(actor, plan_update(occurrence=one, wanted=wanted))


# -- the end ---------------------------------------------------------------------------------------


class CalendarDeleteEvent(Closed):
    """Which event, series or instance."""

    account_id: AccountId
    event_id: EventId
    send_cancellation: Annotated[
        bool, Field(description="Tell the attendees of an event of ours.")
    ] = True
    confirm: Annotated[Confirmed, Field(json_schema_extra={"default": True})]


class DeletedEvent(Closed):
    """Whether it is gone; `queued` while the cancellation waits for a person."""

    status: Literal["deleted", "queued"]
    message_id: OrAbsent[str] = None
    approval_id: OrAbsent[str] = None
    review_url: OrAbsent[str] = None


@dataclass(frozen=True)
class DeletionPlan(ChangePlan[DeletedEvent]):
    """The end of an event."""

    occurrence: Occurrence

    @property
    def touches(self) -> Sequence[Finding]:
        """That guests are not told, where that is so."""
        return find_untold(self.occurrence, self.change)

    def apply(self) -> DeletedEvent:
        """Delete the event, of which nobody is told."""
        delete_event(occurrence=self.occurrence)
        return DeletedEvent(status="deleted")

    @classmethod
    def answer(cls, approval: Approval) -> DeletedEvent:
        """Return that the event is deleted, with whether its attendees were told."""
        fields = queued_fields(approval)
        fields["status"] = "deleted" if fields["status"] == "sent" else "queued"
        return DeletedEvent(**fields)


@tool(
    family="operations",
    domain="calendar",
    effect=Effect.DESTROY,
    unified=[("delete", "event")],
    example={
        "account_id": "acc_8fXoQ2mKpL",
        "event_id": "evt_8fXoQ2mKpL",
        "send_cancellation": True,
        "confirm": True,
    },
)
def calendar_delete_event(actor: Actor, args: CalendarDeleteEvent) -> DeletionPlan:
    """Delete an event, a series, or one instance of it; a person can restore it for 30 days.

    Attendees of an event of ours are sent a cancellation, which a person approves first. An
    invitation is only taken off the calendar: decline it to tell the organizer.
    """
    one = get_event(actor, get_account(actor, args.account_id), args.event_id)
    return DeletionPlan(actor, cancellation_of(one, send=args.send_cancellation), one)


class CalendarDeleteCalendar(Closed):
    """Which calendar."""

    account_id: AccountId
    calendar_id: Annotated[
        str,
        Field(description="The calendar: its id or name; look_around has them."),
        IdOrName(Calendar.ID_PREFIX),
    ]
    confirm: Annotated[Confirmed, Field(json_schema_extra={"default": True})]


class DeletedCalendar(Closed):
    """It is gone, with what is in it."""

    status: Literal["deleted"]


@tool(
    family="operations",
    domain="calendar",
    effect=Effect.DESTROY,
    unified=[("delete", "calendar")],
    example={
        "account_id": "acc_8fXoQ2mKpL",
        "calendar_id": "cal_8fXoQ2mKpL",
        "confirm": True,
    },
)
def calendar_delete_calendar(actor: Actor, args: CalendarDeleteCalendar) -> DeletedCalendar:
    """Delete a calendar with its events; a person can restore it for 30 days.

    One that lies at a server goes from here alone: what is there stays. The default calendar stays,
    and so does one with meetings to come that others were invited to: delete those first, so that
    the attendees are told.
    """
    account = get_account(actor, args.account_id)
    rows = Calendar.objects.visible_to(actor).kept().filter(account=account)
    calendar = get_row(rows.select_related("account"), args.calendar_id, "calendar", "/calendar_id")
    delete_calendar(calendar=calendar)
    return DeletedCalendar(status="deleted")
