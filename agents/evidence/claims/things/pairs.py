"""A day and a time that were offered, but not together: of two days the other's time; pure."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, time
from typing import NamedTuple

from agents.evidence.claims.meetings.denials import sentences_of
from agents.evidence.claims.prose import asks
from agents.evidence.claims.readers.moments import DATES, TIMES
from agents.evidence.claims.records import Claim, Mark, Place, Source, Value, values_in

_BESIDE = 40


class Pair(NamedTuple):
    """A day with a time of it."""

    day: date
    at: time
    time: Value


def check_pairs(claims: Sequence[Claim], sources: Iterable[Source], code: str) -> Iterator[Mark]:
    """Yield a mark for each time that a text has of another day, and that day with another time."""
    dates = [it for it in claims if it.reader is DATES and it.part == "body"]
    times = [it for it in claims if it.reader is TIMES and it.part == "body"]
    if not dates or not times:
        return
    text = times[0].text
    texts = [(one, list(_pairs_of(one))) for one in sources if one.type == "message"]
    for offset, sentence in sentences_of(text):
        if asks(sentence, code):
            continue
        inside = range(offset, offset + len(sentence))
        days = [it.value for it in dates if it.value.start in inside]
        for claim in (it for it in times if it.value.start in inside):
            for pair in _pairs(text, days, [claim.value]):
                if place := _told_otherwise(pair, texts):
                    value = claim.value
                    yield Mark(
                        "time", "body", claim.words, value.start, value.end, "differs",
                        place.words, (place.cited,),
                    )  # fmt: skip


def told_together(claims: Sequence[Claim], sources: Iterable[Source]) -> list[Claim]:
    """Return the days and times of a message that a source has together as well."""
    dates = [it for it in claims if it.reader is DATES and it.part == "body"]
    times = [it for it in claims if it.reader is TIMES and it.part == "body"]
    if not dates or not times:
        return []
    known = {(it.day, it.at) for one in sources for it in _pairs_of(one)}
    days = [it.value for it in dates]
    found: list[Claim] = []
    for at in times:
        for pair in _pairs(at.text, days, [at.value]):
            if (pair.day, pair.at) in known:
                found += [at, *(it for it in dates if it.value.key == pair.day)]
    return found


def _told_otherwise(pair: Pair, texts: Sequence[tuple[Source, Sequence[Pair]]]) -> Place | None:
    """Return the time of the day in the newest text that has that day and that time apart."""
    if any((it.day, it.at) == pair[:2] for _, pairs in texts for it in pairs):
        return None
    for source, pairs in texts:
        same = [it for it in pairs if it.day == pair.day]
        if same and any(it.at == pair.at for it in pairs):
            return Place(source, same[0].time)
    return None


def _pairs_of(source: Source) -> Iterator[Pair]:
    given = source.text, source.written_on, source.language
    dates = [it for it in values_in(DATES, *given) if it.end > it.start]
    return _pairs(source.text, dates, values_in(TIMES, *given))


def _pairs(text: str, days: Sequence[Value], times: Sequence[Value]) -> Iterator[Pair]:
    """Yield each time with the day before it, or else the one right behind it."""
    for at in times:
        before = [it for it in days if it.end <= at.start and at.start - it.end <= _BESIDE]
        behind = [it for it in days if it.start >= at.end and it.start - at.end <= _BESIDE / 2]
        day = before[-1] if before else next(iter(behind), None)
        is_near = day is not None and "\n\n" not in text[min(day.end, at.end) : at.start]
        if day and is_near and isinstance(day.key, date) and isinstance(at.key, time):
            yield Pair(day.key, at.key, at)
