"""What a sealed calendar part says, laid out for whoever decides on it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agents.admin.evidence.calendar.day_view import MOST_DAYS, Block, Day, days_of, draw, midnight
from agents.admin.evidence.calendar.guest_clocks import GuestClock, read_guest_clocks
from calendar_app.event_words import describe_time
from calendar_app.icalendar import Invitee, ItipEvent, ItipMessage
from calendar_app.models import Event, EventStatus, Partstat, Transparency
from calendar_app.operations.keeping import said_of
from calendar_app.operations.occurrences import Occurrence, find_said, list_occurrences
from calendar_app.operations.sent import sealed_itip
from inbox.actor import Actor
from inbox.models import Submission

_MOST_OF_A_DAY = 50
# Each of a meeting, and of one meeting of a series.
_CALLED_OFF = (_("Cancels a meeting"), _("Cancels one meeting in a series"))
_WITHDRAWN = (_("Withdraws an invitation"), _("Withdraws an invitation to one meeting in a series"))
_CHANGED = (_("Changes a meeting"), _("Changes one meeting in a series"))
_ANSWERED = (_("Answers an invitation"), _("Answers an invitation to one meeting in a series"))
_ANSWERS = {
    "accepted": (
        _("Accepts an invitation"), _("Accepts an invitation to one meeting in a series"),
    ),
    "declined": (
        _("Declines an invitation"), _("Declines an invitation to one meeting in a series"),
    ),
    "tentative": (
        _("Tentatively accepts an invitation"),
        _("Tentatively accepts an invitation to one meeting in a series"),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody whom it names, and what they have answered so far."""

    name: str
    email: str
    answer: str
    is_new: bool = False
    # What the time is on their own clock, where they have told which that is.
    clock: GuestClock | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that would be different: as the calendar has it, and as it would be."""

    name: str | Promise
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """The event of the sealed calendar part, what it changes, and the days that it is on.

    `zone` is the clock of the drawing, `other_zone` the second one; `for_you` is the time on the
    reader's clock where that is another than the event's.
    """

    kind: str | Promise
    summary: str
    time: str
    for_you: str
    location: str
    description: str
    organizer: Guest | None
    guests: tuple[Guest, ...]
    changes: tuple[Change, ...]
    days: tuple[Day, ...]
    conflicts: int
    zone: str
    other_zone: str
    recurs: bool

    @property
    def is_alone(self) -> bool:
        """Whether nothing else is on its days."""
        blocks = [one.block for day in self.days for one in day.listed]
        return all(block.kind == "proposed" for block in blocks)


def read_proposal(actor: Actor, submission: Submission, reader: tzinfo = UTC) -> Proposal | None:
    """Read the calendar part of sealed bytes, in 14 queries at most; None where there is none.

    Drawn on the reader's clock, or on the event's where UTC stands for a clock that is not known.
    """
    message = sealed_itip(submission)
    if message is None:
        return None
    said = message.events[0]
    before = _said_before(find_said(submission.account_id, said.uid, said.recurrence_id))
    own = ZoneInfo(said.timezone) if said.timezone else UTC
    zone = own if reader is UTC else reader
    blocks = _blocks(actor, submission, message, before, zone)
    differs = said.start is not None and _offset(said.start, own) != _offset(said.start, zone)
    mine = [one for one in blocks if one.kind != "other"]
    clocks = read_guest_clocks(actor, submission, said, own)
    days = sorted({day for one in mine for day in days_of(one, zone)})[: MOST_DAYS + 1]
    return Proposal(
        kind=_kind(message, before),
        summary=said.summary or gettext("(no title)"),
        time=describe_time(said),
        for_you=describe_time(replace(said, timezone=str(zone), rrule=""))
        if differs and not said.all_day else "",
        location=said.location,
        description=said.comment or said.description,
        organizer=_guest(said.organizer) if said.organizer else None,
        guests=tuple(
            replace(_guest(one, before), clock=clocks.get(one.email.lower()))
            for one in said.attendees
        ),
        changes=tuple(_changes(message, before, said)),
        days=tuple(draw(day, blocks, zone, own if differs else None) for day in days),
        conflicts=sum(one.is_conflict for one in blocks),
        zone=str(zone),
        other_zone=str(own) if differs else "",
        recurs=bool(said.rrule or said.rdate),
    )  # fmt: skip


def _offset(moment: datetime, zone: tzinfo) -> timedelta | None:
    return moment.astimezone(zone).utcoffset()


def _said_before(known: Occurrence | None) -> ItipEvent | None:
    if known is None:
        return None
    said = said_of(known.event)
    if known.series is None:
        return said
    return replace(said, start=known.start, end=known.end, rrule="")


def _kind(message: ItipMessage, before: ItipEvent | None) -> str | Promise:
    said = message.events[0]
    which = 1 if said.recurrence_id else 0
    if message.method == "REPLY" and said.attendees:
        return _ANSWERS.get(said.attendees[0].partstat, _ANSWERED)[which]
    if message.method == "CANCEL":
        return (_CALLED_OFF if said.status == "cancelled" else _WITHDRAWN)[which]
    if message.method == "REQUEST" and before is not None:
        return _CHANGED[which]
    if message.method == "REQUEST":
        return _("Invites to a series of meetings") if said.rrule else _("Invites to a meeting")
    return message.method.capitalize()


def _guest(person: Invitee, before: ItipEvent | None = None) -> Guest:
    invited = {one.email for one in before.attendees} if before else set()
    is_new = before is not None and person.email not in invited
    return Guest(person.name, person.email, person.partstat, is_new)


def _changes(message: ItipMessage, before: ItipEvent | None, said: ItipEvent) -> Iterable[Change]:
    """Yield what the event would be instead of what it is."""
    if before is None or message.method != "REQUEST":
        return
    pairs = [
        (_("Title"), before.summary, said.summary),
        (_("When"), describe_time(before), describe_time(said)),
        (_("Where"), before.location, said.location),
        (_("Text"), before.description, said.description),
        (_("Guests"), _names(before), _names(said)),
    ]
    for name, was, becomes in pairs:
        if was != becomes:
            yield Change(name, was or "nothing", becomes or "nothing")


def _names(said: ItipEvent) -> str:
    """Return the addresses of the guests; the organizer, whom some clients name too, is none."""
    organizer = said.organizer.email if said.organizer else ""
    return ", ".join(sorted(one.email for one in said.attendees if one.email != organizer))


def _blocks(
    actor: Actor,
    submission: Submission,
    message: ItipMessage,
    before: ItipEvent | None,
    zone: tzinfo,
) -> list[Block]:
    """Return the event, where it was before, and what else the account has on those days."""
    said = message.events[0]
    proposed = _block(said, "proposed")
    was = _block(before, "before") if before and message.method == "REQUEST" else None
    if was is not None and proposed is not None and _same_time(was, proposed):
        was = None
    mine = [one for one in (proposed, was) if one is not None]
    others: dict[str, Block] = {}
    for one in mine:
        others.update(_others(actor, submission, said.uid, one, zone))
    marked = [_marked(one, proposed) for one in others.values()]
    return [*mine, *marked]


def _block(said: ItipEvent, kind: Literal["proposed", "before"]) -> Block | None:
    if said.start is None or said.end is None:
        return None
    return Block(said.summary or gettext("(no title)"), said.start, said.end, kind, said.all_day)


def _same_time(one: Block, other: Block) -> bool:
    return (one.start, one.end, one.all_day) == (other.start, other.end, other.all_day)


def _others(
    actor: Actor, submission: Submission, uid: str, mine: Block, zone: tzinfo
) -> Iterator[tuple[str, Block]]:
    days = days_of(mine, zone)
    rows = Event.objects.visible_to(actor).kept().filter(calendar__account=submission.account_id)
    rows = rows.exclude(uid=uid).exclude(status=EventStatus.CANCELLED).defer("description")
    since, until = midnight(days[0], zone), midnight(days[-1] + timedelta(days=1), zone)
    for one in list_occurrences(rows, since=since, until=until, limit=_MOST_OF_A_DAY):
        event = one.event
        is_free = event.transparency == Transparency.TRANSPARENT
        # What takes no time is beside the meeting, but not against it.
        takes_time = not is_free and event.partstat != Partstat.DECLINED
        title = event.summary or gettext("(no title)")
        block = Block(title, one.start, one.end, "other", event.all_day, takes_time)
        yield one.public_id, block


def _marked(one: Block, proposed: Block | None) -> Block:
    if proposed is None:
        return replace(one, is_conflict=False)
    meets = one.start < proposed.end and one.end > proposed.start
    return replace(one, is_conflict=one.is_conflict and meets)
