"""One moment told on two clocks, "11:00 your time, 17:00 here", and whether it is one; pure."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

import regex

from agents.evidence.claims.readers.codes import PHONES
from agents.evidence.claims.readers.moments import DATES, TIMES
from agents.evidence.claims.readers.zones import moment_of, zone_of
from agents.evidence.claims.records import Claim, ProposedMessage, Source, Value, values_in
from agents.evidence.claims.sentences import sentence_around
from inbox.languages import any_of, lazy_regex

# Where the telephones of a country ring, by their prefix.
_COUNTRIES = {
    "1": "America/New_York America/Chicago America/Denver America/Los_Angeles",
    "7": "Europe/Moscow", "20": "Africa/Cairo", "27": "Africa/Johannesburg", "30": "Europe/Athens",
    "31": "Europe/Amsterdam", "32": "Europe/Brussels", "33": "Europe/Paris",
    "34": "Europe/Madrid", "36": "Europe/Budapest", "39": "Europe/Rome", "40": "Europe/Bucharest",
    "41": "Europe/Zurich", "43": "Europe/Vienna", "44": "Europe/London",
    "45": "Europe/Copenhagen", "46": "Europe/Stockholm", "47": "Europe/Oslo",
    "48": "Europe/Warsaw", "49": "Europe/Berlin", "52": "America/Mexico_City",
    "54": "America/Argentina/Buenos_Aires", "55": "America/Sao_Paulo", "56": "America/Santiago",
    "57": "America/Bogota", "60": "Asia/Kuala_Lumpur", "61": "Australia/Sydney Australia/Perth",
    "62": "Asia/Jakarta", "63": "Asia/Manila", "64": "Pacific/Auckland", "65": "Asia/Singapore",
    "66": "Asia/Bangkok", "81": "Asia/Tokyo", "82": "Asia/Seoul", "84": "Asia/Ho_Chi_Minh",
    "86": "Asia/Shanghai", "90": "Europe/Istanbul", "91": "Asia/Kolkata", "92": "Asia/Karachi",
    "98": "Asia/Tehran", "212": "Africa/Casablanca", "234": "Africa/Lagos",
    "254": "Africa/Nairobi", "351": "Europe/Lisbon", "353": "Europe/Dublin",
    "354": "Atlantic/Reykjavik", "356": "Europe/Malta", "357": "Asia/Nicosia",
    "358": "Europe/Helsinki", "359": "Europe/Sofia", "370": "Europe/Vilnius",
    "371": "Europe/Riga", "372": "Europe/Tallinn", "380": "Europe/Kyiv", "381": "Europe/Belgrade",
    "385": "Europe/Zagreb", "386": "Europe/Ljubljana", "420": "Europe/Prague",
    "421": "Europe/Bratislava", "852": "Asia/Hong_Kong", "886": "Asia/Taipei",
    "971": "Asia/Dubai", "972": "Asia/Jerusalem",
}  # fmt: skip
_LONGEST_PREFIX = 3
_PREFIX = lazy_regex(r"(?:\+|\b00)\s?(\d{1,3})")
_OURS = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.ours_zoned)})(?!\p{{L}})",
    regex.IGNORECASE,
)
_ANYWHERE = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.zoned)})(?!\p{{L}})", regex.IGNORECASE
)
_YOURS = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.yours)})\W?$", regex.IGNORECASE
)
# What says whose clock it is stands so near behind a time, or right before it.
_BEHIND, _BEFORE = 34, 14
# The full stop of "4 pm." may end a sentence as well.
_ENDS = lazy_regex(r"(?<=[.!?;])\s|\n")
_DAY, _HALF = 24 * 60, 30
# Two times of a source that are so near to each other are one moment.
_JOINED = 60


class Told(NamedTuple):
    """A time of a message, and whose clock it is on: ours, theirs, or one of a place."""

    claim: Claim
    whose: str


class Clocks(NamedTuple):
    """What came of the times that are told on two clocks: those that are right, and the others."""

    right: list[Claim]
    # Each with the time that it should be.
    wrong: list[tuple[Claim, str]]


@dataclass(frozen=True)
class _Places:
    ours: ZoneInfo
    theirs: Sequence[ZoneInfo]
    day: date

    def apart(self) -> set[int]:
        """Return by how many minutes the clocks there may be ahead of ours."""
        noon = datetime(self.day.year, self.day.month, self.day.day, 12, tzinfo=UTC)
        ours = noon.astimezone(self.ours).utcoffset()
        offsets = [noon.astimezone(it).utcoffset() for it in self.theirs]
        ahead = (it - ours for it in offsets if it is not None and ours is not None)
        return {int(it.total_seconds()) // 60 for it in ahead}


def compare_clocks(
    proposed: ProposedMessage, claims: Sequence[Claim], sources: Sequence[Source]
) -> Clocks:
    """Return which times of a message, told for two places, are one moment, and which are not.

    `sources` are the mail and the cards of its readers, whose telephones say where they are.
    """
    clocks = Clocks([], [])
    times = [it for it in claims if it.reader is TIMES and it.part == "body" and it.value.is_sure]
    pairs = list(_pairs(times)) if proposed.zone else []
    if not pairs:
        return clocks
    zones = _zones_of(proposed, sources)
    days = [it.value.key for it in claims if it.reader is DATES]
    day = next((it for it in days if isinstance(it, date)), proposed.written_on)
    ours_at = ZoneInfo(proposed.zone)
    known = _Places(ours_at, zones, day).apart() - {0} or _told_apart(proposed, sources)
    read = (values_in(TIMES, it.text, it.written_on, it.language) for it in sources)
    told = {it.key for values in read for it in values}
    for one, other in pairs:
        ours, theirs = (one, other) if one.whose == "ours" else (other, one)
        ahead = _minutes(theirs) - _minutes(ours)
        apart = _named_apart(theirs, ours_at, day) or known
        if _is_possible(ahead, apart):
            clocks.right.extend((ours.claim, theirs.claim))
        elif apart:
            is_theirs = ours.claim.value.key in told and theirs.claim.value.key not in told
            by = min(apart, key=abs)
            wrong, meant = (
                (theirs, _minutes(ours) + by) if is_theirs else (ours, _minutes(theirs) - by)
            )
            clocks.wrong.append((wrong.claim, _written(meant)))
    return clocks


def _named_apart(theirs: Told, ours_at: ZoneInfo, day: date) -> set[int]:
    """Return by how many minutes the zone that a time names is ahead of ours; none for no zone."""
    zone = zone_of(theirs.claim.text, theirs.claim.value)
    if zone is None:
        return set()
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    offset = noon.astimezone(ours_at).utcoffset() or timedelta()
    there = moment_of(day, time(12), zone)
    return {int((noon - there - offset).total_seconds()) // 60}


def _told_apart(proposed: ProposedMessage, sources: Iterable[Source]) -> set[int]:
    """Return by how many minutes their clocks are ahead of ours, as mail with them has told it."""
    readers, found = {it.email.lower() for it in proposed.greeted}, set()
    for one in sources:
        if one.type != "message" or not any(it.email.lower() in readers for it in one.people):
            continue
        read = values_in(TIMES, one.text, one.written_on, one.language)
        times = sorted((it for it in read if it.end > it.start), key=lambda it: it.start)
        for first, second in pairwise(times):
            sides = (
                whose_clock(one.text, first, second.start),
                whose_clock(one.text, second, second.end + _BEHIND),
            )
            if set(sides) == {"ours", "yours"} and second.start - first.end <= _JOINED:
                is_theirs = (sides[0] == "yours") == one.is_ours
                theirs, ours = (first, second) if is_theirs else (second, first)
                found.add((_minutes_of(theirs.key) - _minutes_of(ours.key)) % _DAY)
    return found - {0}


def _is_possible(ahead: int, apart: Collection[int]) -> bool:
    """Return True if a clock may be so far ahead; where nobody knows where it is, by half hours."""
    if not apart:
        return ahead % _HALF == 0 and ahead != 0
    return any((ahead - it) % _DAY == 0 for it in apart)


def _pairs(times: Sequence[Claim]) -> Iterator[tuple[Told, Told]]:
    """Yield two times of one sentence that are told for two places, one of them ours."""
    for one, other in pairwise(times):
        text = one.text
        if sentence_around(text, *one.value[1:3]) != sentence_around(text, *other.value[1:3]):
            continue
        if any(it.isdigit() for it in text[one.value.end : other.value.start]):
            # A length, say, that stands between them makes two moments of it.
            continue
        first = Told(one, whose_clock(text, one.value, other.value.start))
        second = Told(other, whose_clock(text, other.value, other.value.end + _BEHIND))
        kinds = {first.whose, second.whose}
        if kinds == {"yours", "place"}:
            # A place that is not theirs is ours.
            first, second = (
                it._replace(whose="ours") if it.whose == "place" else it for it in (first, second)
            )
        if first.whose and second.whose and "ours" in {first.whose, second.whose}:
            yield first, second


def whose_clock(text: str, value: Value, last: int) -> str:
    """Return whose clock a time is on by the words beside it; "" where they do not say.

    "ours" is that of who writes, "yours" that of who reads; `last` is where another time begins.
    """
    start, end = value.start, value.end
    if zone_of(text, value) is not None:
        return "place"
    behind = _ENDS.split(text[end - 1 : min(last, end + _BEHIND)])[0][1:]
    before = text[max(0, start - _BEFORE) : start]
    if _OURS.search(behind):
        return "ours"
    if _YOURS.search(before):
        return "yours"
    match = _ANYWHERE.search(behind)
    if match is None:
        return ""
    return "place" if any(it.isupper() for it in match[0]) else "yours"


def _zones_of(proposed: ProposedMessage, sources: Iterable[Source]) -> list[ZoneInfo]:
    """Return the zones that the readers of a message may be in, by their telephones."""
    readers = {it.email.lower() for it in proposed.greeted}
    found: dict[str, None] = {}
    for one in sources:
        is_theirs = one.by in readers or any(it in one.text.lower() for it in readers)
        if not is_theirs or one.is_ours:
            continue
        for phone in values_in(PHONES, one.text, one.written_on, one.language):
            written = one.text[phone.start : phone.end]
            for name in _country(written).split():
                found.setdefault(name)
    return [ZoneInfo(name) for name in found]


def _country(phone: str) -> str:
    match = _PREFIX.match(phone.strip())
    digits = regex.sub(r"\D", "", phone) if match else ""
    digits = digits.removeprefix("00")
    prefixes = (digits[:length] for length in range(_LONGEST_PREFIX, 0, -1))
    return next((_COUNTRIES[it] for it in prefixes if it in _COUNTRIES), "")


def _minutes(told: Told) -> int:
    return _minutes_of(told.claim.value.key)


def _minutes_of(at: Hashable) -> int:
    assert isinstance(at, time)  # noqa: S101
    return at.hour * 60 + at.minute


def _written(minutes: int) -> str:
    return f"{minutes % _DAY // 60}:{minutes % 60:02}"
