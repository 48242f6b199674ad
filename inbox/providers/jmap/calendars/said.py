"""What an event says that both sides have words for: read from iCalendar, of one UID. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Self

from inbox.formats.calendar_lines import Moment, moment_in, moments_of, text_in
from inbox.formats.content_lines import Block, read_blocks
from inbox.providers.jmap.calendars.people import NOBODY, People, people_of
from inbox.providers.jmap.calendars.rules import read_rule
from inbox.providers.jmap.calendars.times import like, said_local

_STATUSES = frozenset({"tentative", "cancelled"})


@dataclass(frozen=True, slots=True)
class Said:
    """An event by itself, or an instance of a series."""

    start: Moment
    end: Moment
    title: str = ""
    description: str = ""
    location: str = ""
    status: str = "confirmed"
    is_free: bool = False
    sequence: int = 0
    people: People = NOBODY

    @classmethod
    def read(cls, event: Block) -> Self:
        """Return what a VEVENT says; raises ValueError where it has no time."""
        start = moment_in(event, "DTSTART")
        if start is None:
            raise ValueError("the event has no start")
        lasts = timedelta(days=1) if start.is_day else timedelta()
        end = moment_in(event, "DTEND") or Moment(start.local + lasts, start.zone, start.is_day)
        status = text_in(event, "STATUS").strip().lower()
        sequence = text_in(event, "SEQUENCE").strip()
        return cls(
            start=start, end=end, title=text_in(event, "SUMMARY"),
            description=text_in(event, "DESCRIPTION"), location=text_in(event, "LOCATION"),
            status=status if status in _STATUSES else "confirmed",
            is_free=text_in(event, "TRANSP").strip().upper() == "TRANSPARENT",
            sequence=int(sequence) if sequence.isascii() and sequence.isdecimal() else 0,
            people=people_of(event),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Series:
    """An event with its rules, and what differs from them.

    Instances, and times that are added or left out, go by their time on the clock of the series.
    """

    uid: str
    itself: Said
    rules: tuple[dict[str, Any], ...] = ()
    added: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    instances: Mapping[str, Said] = field(default_factory=dict)


def read_series(raw: bytes) -> Series:
    """Return the event of a calendar of one UID; raises ValueError where it cannot be told."""
    calendars = read_blocks(raw.decode("utf-8-sig", "replace"))
    events = [one for top in calendars for one in top.blocks if one.name == "VEVENT"]
    itself = next((one for one in events if not one.lines("RECURRENCE-ID")), None)
    if itself is None:
        raise ValueError("it is only a part of a series")
    said = Said.read(itself)
    start = said.start
    return Series(
        uid=text_in(itself, "UID").strip(), itself=said,
        rules=tuple(read_rule(line, start) for line in itself.lines("RRULE")),
        added=_clocks(itself, "RDATE", start), left_out=_clocks(itself, "EXDATE", start),
        instances={_clock(one, start): Said.read(one) for one in events if one is not itself},
    )  # fmt: skip


def _clocks(event: Block, name: str, start: Moment) -> frozenset[str]:
    found = (one for line in event.lines(name) for one in moments_of(line))
    return frozenset(said_local(like(one, start).local) for one in found)


def _clock(event: Block, start: Moment) -> str:
    moment = moment_in(event, "RECURRENCE-ID")
    if moment is None:
        raise ValueError("a changed instance is of no time")
    return said_local(like(moment, start).local)
