"""Events of iCalendar in the words of Google Calendar, and what differs between two. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Self, TypeAlias

from inbox.formats.calendar_lines import (
    Moment,
    moment_in,
    moments_of,
    split_line,
    text_in,
)
from inbox.formats.content_lines import Block, read_blocks
from inbox.providers.google.calendar.reading import PARTSTATS, email_of
from inbox.providers.http.json_values import objects_of

Body: TypeAlias = dict[str, Any]
_ANSWERS = {partstat: answer for answer, partstat in PARTSTATS.items()}
_TEXTS = ("summary", "description", "location")


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who is invited; `answer` in Google's words."""

    name: str
    answer: str
    is_optional: bool


@dataclass(frozen=True, slots=True)
class Said:
    """What an event says of itself; `rules` are its RRULE and RDATE lines.

    `exdates` are instants, of whole days their beginning in UTC.
    """

    uid: str
    start: Moment
    end: Moment
    original: Moment | None = None
    rules: tuple[str, ...] = ()
    exdates: frozenset[datetime] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    status: str = "confirmed"
    is_transparent: bool = False
    sequence: int = 0
    organizer: tuple[str, str] = ("", "")
    guests: Mapping[str, Guest] = field(default_factory=dict)

    @classmethod
    def read(cls, event: Block) -> Self:
        """Return what a VEVENT says; raises ValueError where it has no time."""
        start = moment_in(event, "DTSTART")
        if start is None:
            raise ValueError("the event has no start")
        end = moment_in(event, "DTEND") or _default_end(start)
        status = text_in(event, "STATUS").strip().lower()
        sequence = text_in(event, "SEQUENCE").strip()
        return cls(
            uid=text_in(event, "UID").strip(),
            start=start,
            end=end,
            original=moment_in(event, "RECURRENCE-ID"),
            rules=tuple(line for name in ("RRULE", "RDATE") for line in event.lines(name)),
            exdates=frozenset(
                one.instant for line in event.lines("EXDATE") for one in moments_of(line)
            ),
            texts={name: text_in(event, name.upper()) for name in _TEXTS},
            status=status if status in ("tentative", "cancelled") else "confirmed",
            is_transparent=text_in(event, "TRANSP").strip().upper() == "TRANSPARENT",
            sequence=int(sequence) if sequence.isascii() and sequence.isdecimal() else 0,
            organizer=next(map(_organizer, event.lines("ORGANIZER")), ("", "")),
            guests=dict(filter(None, map(_guest, event.lines("ATTENDEE")))),
        )

    @property
    def stamp(self) -> datetime | None:
        """Which occurrence of its series it is, as an instant."""
        return self.original.instant if self.original else None


def read_said(raw: bytes) -> dict[datetime | None, Said]:
    """Return the events of one UID by the occurrence that each is; None is the series itself.

    Raises ValueError.
    """
    calendars = read_blocks(raw.decode("utf-8-sig", "replace"))
    events = [one for top in calendars for one in top.blocks if one.name == "VEVENT"]
    if not events:
        raise ValueError("there is no event in it")
    return {said.stamp: said for said in map(Said.read, events)}


def _default_end(start: Moment) -> Moment:
    """Return the end of an event that names none (RFC 5545 3.6.1)."""
    lasts = timedelta(days=1) if start.is_day else timedelta()
    return Moment(start.local + lasts, start.zone, start.is_day)


def _organizer(line: str) -> tuple[str, str]:
    _name, params, value = split_line(line)
    return _address(value), params.get("CN", "")


def _guest(line: str) -> tuple[str, Guest] | None:
    _name, params, value = split_line(line)
    email = _address(value)
    answer = _ANSWERS.get(params.get("PARTSTAT", "").upper(), "needsAction")
    is_optional = params.get("ROLE", "").upper() == "OPT-PARTICIPANT"
    return (email, Guest(params.get("CN", ""), answer, is_optional)) if email else None


def _address(value: str) -> str:
    """Return the address of a calendar user, in lower case; empty for what is no address."""
    scheme, _, rest = value.strip().lower().partition(":")
    return email_of({"email": rest if scheme == "mailto" else ""})


# -- in Google's words -----------------------------------------------------------------------------
def time_of(moment: Moment) -> Body:
    """Return a time; what it is not is nothing, so that a patch takes it away."""
    if moment.is_day:
        return {"date": moment.local.date().isoformat(), "dateTime": None, "timeZone": None}
    zone = moment.zone or "UTC"
    said = moment.local.isoformat(timespec="seconds") + ("Z" if zone == "UTC" else "")
    return {"date": None, "dateTime": said, "timeZone": zone}


def recurrence_of(said: Said) -> list[str]:
    """Return the lines that say when a series takes place, and when it does not."""
    left_out = (_like(instant, said.start).line("EXDATE") for instant in sorted(said.exdates))
    return [*said.rules, *left_out]


def _like(instant: datetime, start: Moment) -> Moment:
    if start.is_day:
        return Moment.of_day(instant.date())
    return Moment.of_instant(instant, start.zone or "UTC")


def body_of(said: Said) -> Body:
    """Return a new event, without its UID."""
    body: Body = {name: text for name, text in said.texts.items() if text}
    for name, moment in (("start", said.start), ("end", said.end)):
        body[name] = {key: value for key, value in time_of(moment).items() if value}
    if recurrence := recurrence_of(said):
        body["recurrence"] = recurrence
    if said.status == "tentative":
        body["status"] = said.status
    if said.is_transparent:
        body["transparency"] = "transparent"
    if said.sequence:
        body["sequence"] = said.sequence
    if said.guests:
        body["attendees"] = _attendees({}, said.guests, [])
    return body


def difference(before: Said, after: Said, there: Mapping[str, Any]) -> Body:
    """Return what to patch so that an event says `after`; empty where it does.

    `there` is the event as Google has it: what we do not know of its guests stays.
    """
    body: Body = {
        name: after.texts[name] for name in _TEXTS if before.texts[name] != after.texts[name]
    }
    if (before.start, before.end) != (after.start, after.end):
        body |= {"start": time_of(after.start), "end": time_of(after.end)}
    if after.original is None:
        # Times of a series that are left out are said on the clock of its start.
        timing = (after.rules, after.exdates, after.start if after.exdates else None)
        known = (before.rules, before.exdates, before.start if after.exdates else None)
        if timing != known:
            body["recurrence"] = recurrence_of(after) or None
    if before.status != after.status:
        body["status"] = after.status
    if before.is_transparent != after.is_transparent:
        body["transparency"] = "transparent" if after.is_transparent else "opaque"
    if before.guests != after.guests:
        body["attendees"] = _attendees(before.guests, after.guests, objects_of(there, "attendees"))
    if after.sequence > before.sequence:
        body["sequence"] = after.sequence
    return body


def _attendees(
    before: Mapping[str, Guest], after: Mapping[str, Guest], there: Sequence[Mapping[str, Any]]
) -> list[Body]:
    """Return all guests, for a patch replaces the list; those whose address is hidden stay."""
    kept = []
    for one in there:
        email = email_of(one)
        if not email or before.get(email) == after.get(email):
            kept.append(dict(one))
        elif email in after:
            kept.append({**one, **_attendee(email, after[email])})
    known = {email_of(one) for one in kept}
    return [*kept, *(_attendee(email, one) for email, one in after.items() if email not in known)]


def _attendee(email: str, guest: Guest) -> Body:
    body: Body = {"email": email, "responseStatus": guest.answer, "optional": guest.is_optional}
    return body | ({"displayName": guest.name} if guest.name else {})
