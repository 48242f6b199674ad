"""What calendar tools have in common: why a change waits, how it leaves, what it answers."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

from agents.approval.sealing import queued_fields, release, seal_checked
from agents.contracts import Seal, Sealed, ToolError
from agents.models import Approval
from agents.tools.event_shapes import EventDetails, event_fields
from calendar_app.operations.events import Change, is_ours, plan_cancellation
from calendar_app.operations.occurrences import Occurrence, find_said
from calendar_app.operations.proposals import draft_change
from calendar_app.operations.sent import apply, find_calendar_drift, sealed_message
from inbox.actor import Actor
from inbox.errors import DomainError

_Names: TypeAlias = Mapping[str, str]
_NAMED = 5


@contextmanager
def pointing(prefix: str = "", names: _Names | None = None) -> Iterator[None]:
    """Say errors of the domain by the names of the call's own arguments."""
    try:
        yield
    except DomainError as error:
        head, _, rest = error.field.partition("/")
        named = (names or {}).get(head, head)
        field = "/".join(part for part in (named, rest) if part)
        if head != "event_id" and field:
            error.field = prefix + field
        raise


def why_held(change: Change) -> str | None:
    """Return why a change waits for a person: whom it reaches; None where it reaches nobody."""
    people = [one.email for also in (change, *change.also) for one in also.recipients]
    if not people:
        return None
    left = len(people) - _NAMED
    more = f" and {left} more" if left > 0 else ""
    return f"It reaches {', '.join(people[:_NAMED])}{more}"


def seal_change(actor: Actor, change: Change) -> Sealed:
    """Draft and seal what a change tells; what belongs to it is sealed for itself."""
    sealed = seal_checked(actor, draft_change(actor=actor, change=change))
    also = tuple(seal_change(actor, one) for one in change.also)
    return Sealed(sealed.submission, sealed.risk_flags, also)


def release_change(seal: Seal) -> None:
    """Let a sealed change leave; raises ToolError `conflict` where the event is another by now."""
    changes = find_calendar_drift(seal.submission)
    if changes:
        raise ToolError("conflict", "; ".join(changes), {"changes": changes})
    release(seal)


def answer_for_event(approval: Approval) -> EventDetails:
    """Return where the message stands, and the event once attendees were told of it."""
    fields = queued_fields(approval)
    told = find_told(approval) if fields["status"] == "sent" else None
    shown = event_fields(told, with_details=True) if told else {}
    return EventDetails(**shown, **fields)


def find_told(approval: Approval) -> Occurrence | None:
    """Return the event that a sent message is about, as the calendar has it now."""
    submission = approval.submission
    message = sealed_message(submission) if submission else None
    if submission is None or message is None:
        return None
    said = message.events[0]
    return find_said(submission.account_id, said.uid, said.recurrence_id)


def done(change: Change) -> EventDetails:
    """Make a change at once that reaches nobody, and return the event."""
    account = change.calendar.account
    apply(account=account, message=change.message, calendar=change.calendar)
    told = find_said(account.pk, change.event.uid, change.event.recurrence_id)
    return EventDetails(**event_fields(told, with_details=True)) if told else EventDetails()


def cancellation_of(one: Occurrence, *, send: bool) -> Change | None:
    """Return what attendees would be told of its end; None where nobody is."""
    if not send or not is_ours(one.event):
        return None
    change = plan_cancellation(occurrence=one)
    return change if change.recipients else None
