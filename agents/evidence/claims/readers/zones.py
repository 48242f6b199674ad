"""Times of day in different zones: whether two are the same moment; pure."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import regex

from agents.evidence.claims.records import Claim, Place, Value
from inbox.extract.readers.times import zones
from inbox.languages import any_of, lazy_regex

# As people name them at any time of the year, the clocks of a place that changes them.
_CLOCKS = {
    "Europe/Berlin": "cet cest mez mesz hnec",
    "Europe/London": "bst gmt",
    "Europe/Athens": "eet eest",
    "Europe/Lisbon": "wet west",
    "America/New_York": "est edt et eastern",
    "America/Chicago": "cst cdt ct",
    "America/Denver": "mst mdt mt",
    "America/Los_Angeles": "pst pdt pt pacific",
}
_CLOCK_OF = {name: clock for clock, names in _CLOCKS.items() for name in names.split()}
# Names of clocks all the year round, which say no offset.
_NO_OFFSET = frozenset({"eastern", "pacific"})
_SAME = {"z": "utc"}
_ZONE = lazy_regex(
    r"(?:^|[\d\s(])(?P<zone>\p{L}{1,8})\)?$|(?P<sign>[+-])(?P<hours>\d\d?)(?::?(?P<minutes>\d\d))?$"
)
_DAY = 24 * 60


class Zone(NamedTuple):
    """The zone of a time: the name of its clock, or its offset, and how it is written."""

    clock: str
    written: str
    minutes: int


def zone_of(text: str, value: Value) -> Zone | None:
    """Return the zone that a time is given in; None where it names none."""
    match = _ZONE.search(text[value.start : value.end])
    if match is None:
        return None
    if match["hours"]:
        minutes = int(match["hours"]) * 60 + int(match["minutes"] or 0)
        minutes = -minutes if match["sign"] == "-" else minutes
        return Zone(f"{minutes:+}", match[0], minutes)
    name = match["zone"].casefold()
    if name not in zones():
        return None
    return Zone(_CLOCK_OF.get(name, _SAME.get(name, name)), match["zone"], zones()[name] * 60)


def _is_same(at: time, zone: Zone, other: time, theirs: Zone, day: date) -> bool:
    """Return True if two times are one moment: by the clocks of that day, or as zones are called.

    One number in two zones is no such pair by their names alone: 15:00 BST in winter.
    """
    apart = (at.hour - other.hour) * 60 + at.minute - other.minute
    by_clocks = _on(zone, day) - _on(theirs, day)
    by_names = zone.minutes - theirs.minutes
    has_names = not _NO_OFFSET & {zone.written.casefold(), theirs.written.casefold()}
    is_named = has_names and apart != 0 and (apart - by_names) % _DAY == 0
    return (apart - by_clocks) % _DAY == 0 or is_named


def _on(zone: Zone, day: date) -> int:
    """Return how many minutes a zone is from UTC on a day, as the clocks of its place are."""
    if zone.clock not in _CLOCKS:
        return zone.minutes
    there = datetime.combine(day, time(12), ZoneInfo(zone.clock)).utcoffset()
    return int((there or timedelta()).total_seconds()) // 60


def moment_of(day: date, at: time, zone: Zone) -> datetime:
    """Return the moment, in UTC, at which it is a time of a day in a zone."""
    return datetime.combine(day, at, UTC) - timedelta(minutes=_on(zone, day))


_PLACED = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.claims.zoned)}(?!\p{{L}})", regex.IGNORECASE
)
_BESIDE, _MOST_HOURS = 40, 14


def is_elsewhere(claim: Claim, times: Iterable[Value]) -> bool:
    """Return True for a time that may be one of `times` where somebody else is: "2 pm your time".

    It is whole or half hours from one of them, and words beside it say where it is that time.
    """
    at, (start, end) = claim.value.key, claim.value[1:3]
    around = claim.text[max(0, start - _BESIDE) : end + _BESIDE]
    if not isinstance(at, time) or not _PLACED.search(around):
        return False
    apart = [
        abs((at.hour - it.key.hour) * 60 + at.minute - it.key.minute)
        for it in times if isinstance(it.key, time)
    ]  # fmt: skip
    return any(0 < it <= _MOST_HOURS * 60 and it % 30 == 0 for it in apart)


class Converted(NamedTuple):
    """The time of a source that a claim states in another zone: as it is, or would be, there."""

    place: Place
    is_same: bool
    expected: str


def converted(claim: Claim, places: Iterable[Place], day: date) -> Converted | None:
    """Return the time in another zone that a claim with a zone is, or should be.

    None where the claim names no zone, or where sources have times of its own zone alone.
    `day` says whether it is summer.
    """
    zone = zone_of(claim.text, claim.value)
    at = claim.value.key
    if zone is None or not isinstance(at, time):
        return None
    others: list[tuple[Place, Zone, time]] = []
    for place in places:
        theirs, key = zone_of(place.source.text, place.value), place.value.key
        if theirs is None or not isinstance(key, time):
            continue
        if _is_same(at, zone, key, theirs, day):
            return Converted(place, True, "")
        if theirs.clock == zone.clock:
            return None
        others.append((place, theirs, key))
    if not others:
        return None
    place, theirs, key = others[0]
    return Converted(place, False, _in_zone(key, theirs, zone, day))


def _in_zone(at: time, zone: Zone, other: Zone, day: date) -> str:
    """Return a time of one zone as another one has it, on a day."""
    apart = _on(other, day) - _on(zone, day)
    minutes = (at.hour * 60 + at.minute + apart) % _DAY
    return f"{minutes // 60}:{minutes % 60:02} {other.written}"
