"""What calendar tools have in common: why a change waits, how it leaves, what it answers."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

from django.utils import timezone

from agents.approval.plan import Approved, SealedMail
from agents.approval.sealing import SendingPlan, queued_fields, seal_checked
from agents.contracts import ToolError
from agents.contracts.records import AnswerT
from agents.models import Approval
from agents.tools.calendar.event_shapes import EventDetails, event_fields
from calendar_app.operations.events import Invitation, plan_cancellation
from calendar_app.operations.occurrences import Occurrence, find_said
from calendar_app.operations.proposals import draft_change
from calendar_app.operations.sent import apply, find_calendar_drift, sealed_itip
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.flags import Finding, found
from inbox.reasons import ReasonText, say

_Names: TypeAlias = Mapping[str, str]
_NAMED = 5
_LONGEST_TITLE = 160


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


@dataclass(frozen=True)
class ChangePlan(SendingPlan[AnswerT]):
    """A change of a calendar: a person is asked where it reaches somebody, who is told by mail."""

    actor: Actor
    change: Invitation

    @property
    def needs_person(self) -> ReasonText | None:
        """Whom it reaches; None where that is nobody."""
        people = [one.email for also in (self.change, *self.change.also) for one in also.recipients]
        if not people:
            return None
        left = len(people) - _NAMED
        if left > 0:
            return say("reaches_more", people=people[:_NAMED], count=left)
        return say("reaches", people=people)

    def seal(self) -> SealedMail | None:
        """Draft and seal what the change tells; what belongs to it is sealed for itself.

        None where it tells nobody anything.
        """
        return _seal(self.actor, self.change) if self.needs_person else None

    @classmethod
    def release(cls, approved: Approved) -> AnswerT:
        """Let it leave; raises ToolError `conflict` where the event is another by now."""
        submission = approved.approval.submission
        changes = find_calendar_drift(submission) if submission else []
        if changes:
            raise ToolError("conflict", say("changes", changes=changes), {"changes": changes})
        return super().release(approved)


def _seal(actor: Actor, change: Invitation) -> SealedMail:
    sealed = seal_checked(actor, draft_change(actor=actor, change=change))
    return replace(sealed, further=tuple(_seal(actor, one) for one in change.also))


class EventPlan(ChangePlan[EventDetails]):
    """An event that is made or changed."""

    def apply(self) -> EventDetails:
        """Make the change, which reaches nobody, and return the event."""
        now = make(self.change)
        return EventDetails(**event_fields(now, with_details=True)) if now else EventDetails()

    @classmethod
    def answer(cls, approval: Approval) -> EventDetails:
        """Return where the message stands, and the event once attendees were told of it."""
        fields = queued_fields(approval)
        told = find_told(approval) if fields["status"] == "sent" else None
        shown = event_fields(told, with_details=True) if told else {}
        return EventDetails(**shown, **fields)


def find_told(approval: Approval) -> Occurrence | None:
    """Return the event that a sent message is about, as the calendar has it now."""
    submission = approval.submission
    message = sealed_itip(submission) if submission else None
    if submission is None or message is None:
        return None
    said = message.events[0]
    return find_said(submission.account_id, said.uid, said.recurrence_id)


def make(change: Invitation) -> Occurrence | None:
    """Make a change at once that reaches nobody, and return the event as it is then."""
    account = change.calendar.account
    apply(account=account, message=change.message, calendar=change.calendar)
    return find_said(account.pk, change.event.uid, change.event.recurrence_id)


def find_untold(one: Occurrence, change: Invitation) -> tuple[Finding, ...]:
    """Return that guests of a meeting to come would not be told of its end, where that is so."""
    ends_at = one.end if one.series else one.event.last_end
    guests = plan_cancellation(occurrence=one).recipients
    if change.recipients or not guests or (ends_at and ends_at < timezone.now()):
        return ()
    title = one.event.summary[:_LONGEST_TITLE]
    return (found("guests_not_told", "silent", count=len(guests), excerpt=title),)


def cancellation_of(one: Occurrence, *, send: bool = True) -> Invitation:
    """Return the end of an event; without `send`, and of others' events, nobody is told of it."""
    change = plan_cancellation(occurrence=one)
    return change if send else replace(change, recipients=())
