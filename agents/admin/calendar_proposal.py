"""What a sealed calendar part says, laid out for whoever decides on it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from calendar_app.icalendar import Invitee, ItipEvent, ItipMessage
from calendar_app.models import Event, EventStatus
from calendar_app.operations.keeping import said_of
from calendar_app.operations.occurrences import Occurrence, find_said, list_occurrences
from calendar_app.operations.proposals import describe_time
from calendar_app.operations.sent import sealed_message
from inbox.actor import Actor
from inbox.models import Submission

_MOST_OF_A_DAY = 50
_KINDS = {
    "REQUEST": "Invites",
    "CANCEL": "Calls off",
    "REPLY": "Answers an invitation",
}
_ANSWERS = {"accepted": "Accepts", "declined": "Declines", "tentative": "Accepts tentatively"}


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody whom it names, and what they have answered so far."""

    name: str
    email: str
    answer: str
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that would be different: as the calendar has it, and as it would be."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Something else on that day."""

    summary: str
    time: str
    is_conflict: bool


@dataclass(frozen=True, slots=True)
class Proposal:
    """The event of the sealed calendar part, what it changes, and what else is on that day."""

    kind: str
    summary: str
    time: str
    location: str
    description: str
    organizer: Guest | None
    guests: tuple[Guest, ...]
    changes: tuple[Change, ...]
    day: tuple[Neighbour, ...]
    zone: str

    @property
    def conflicts(self) -> int:
        """How many of that day are at the same time."""
        return sum(one.is_conflict for one in self.day)


def read_proposal(actor: Actor, submission: Submission) -> Proposal | None:
    """Read the calendar part of sealed bytes, in six queries at most; None where there is none."""
    message = sealed_message(submission)
    if message is None:
        return None
    said = message.events[0]
    known = find_said(submission.account_id, said.uid, said.recurrence_id)
    before = _said_before(known)
    return Proposal(
        kind=_kind(message, before),
        summary=said.summary or "(no title)",
        time=describe_time(said),
        location=said.location,
        description=said.comment or said.description,
        organizer=_guest(said.organizer) if said.organizer else None,
        guests=tuple(_guest(one, before) for one in said.attendees),
        changes=tuple(_changes(message, before, said)),
        day=tuple(_that_day(actor, submission, said)),
        zone=said.timezone or "UTC",
    )


def _said_before(known: Occurrence | None) -> ItipEvent | None:
    if known is None:
        return None
    said = said_of(known.event)
    if known.series is None:
        return said
    return replace(said, start=known.start, end=known.end, rrule="")


def _kind(message: ItipMessage, before: ItipEvent | None) -> str:
    said = message.events[0]
    which = " to one meeting of a series" if said.recurrence_id else ""
    if message.method == "REPLY" and said.attendees:
        return f"{_ANSWERS.get(said.attendees[0].partstat, 'Answers')} an invitation{which}"
    if message.method == "CANCEL" and said.status != "cancelled":
        return f"Withdraws an invitation{which}"
    if message.method == "REQUEST" and before is not None:
        return "Changes one meeting of a series" if said.recurrence_id else "Changes a meeting"
    words = _KINDS.get(message.method, message.method.capitalize())
    if message.method == "CANCEL":
        return f"{words} {'one meeting of a series' if said.recurrence_id else 'a meeting'}"
    return f"{words} to a {'series of meetings' if said.rrule else 'meeting'}"


def _guest(person: Invitee, before: ItipEvent | None = None) -> Guest:
    invited = {one.email for one in before.attendees} if before else set()
    is_new = before is not None and person.email not in invited
    return Guest(person.name, person.email, person.partstat, is_new)


def _changes(message: ItipMessage, before: ItipEvent | None, said: ItipEvent) -> Iterable[Change]:
    """Yield what the event would be instead of what it is."""
    if before is None or message.method != "REQUEST":
        return
    pairs = [
        ("Title", before.summary, said.summary),
        ("When", describe_time(before), describe_time(said)),
        ("Where", before.location, said.location),
        ("Text", before.description, said.description),
        ("Guests", _names(before), _names(said)),
    ]
    for name, was, becomes in pairs:
        if was != becomes:
            yield Change(name, was or "nothing", becomes or "nothing")


def _names(said: ItipEvent) -> str:
    """Return the addresses of the guests; the organizer, whom some clients name too, is none."""
    organizer = said.organizer.email if said.organizer else ""
    return ", ".join(sorted(one.email for one in said.attendees if one.email != organizer))


def _that_day(actor: Actor, submission: Submission, said: ItipEvent) -> Iterable[Neighbour]:
    """Yield what else the account has on the day of the event, on the clock of its zone."""
    if said.start is None or said.end is None:
        return
    zone = ZoneInfo(said.timezone) if said.timezone else UTC
    morning = said.start.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    rows = Event.objects.visible_to(actor).kept().filter(calendar__account=submission.account_id)
    rows = rows.exclude(uid=said.uid).exclude(status=EventStatus.CANCELLED)
    until = max(morning + timedelta(days=1), said.end)
    for one in list_occurrences(
        rows.defer("description"), since=morning, until=until, limit=_MOST_OF_A_DAY
    ):
        yield Neighbour(
            summary=one.event.summary or "(no title)",
            time=_clock(one, zone),
            is_conflict=one.start < said.end and one.end > said.start,
        )


def _clock(one: Occurrence, zone: tzinfo) -> str:
    if one.event.all_day:
        return "all day"
    return f"{_hour(one.start, zone)} to {_hour(one.end, zone)}"


def _hour(moment: datetime, zone: tzinfo) -> str:
    return f"{moment.astimezone(zone):%H:%M}"
