"""The days and times that a message agrees to; pure."""

from collections.abc import Iterator, Sequence
from datetime import date, time

from agents.evidence.claims.meetings.denials import denies, sentences_of
from agents.evidence.claims.prose import accepts
from agents.evidence.claims.readers.moments import read_dates, read_times
from agents.evidence.claims.records import Agreed, Value


def find_agreed(text: str, written_on: date, code: str) -> Iterator[Agreed]:
    """Yield the days and times that a message agrees to, each time with the day beside it."""
    for offset, sentence in sentences_of(text):
        if not accepts(sentence) or denies(sentence, code):
            continue
        days = read_dates(sentence, written_on, code)
        times = [it for it in read_times(sentence, written_on, code) if it.is_sure]
        for at in times:
            day = _beside(at, days)
            start = min(at.start, day.start) if day else at.start
            end = max(at.end, day.end) if day else at.end
            yield Agreed(sentence, offset + start, offset + end, _day(day), _time(at))
        if not times:
            for day in days:
                yield Agreed(sentence, offset + day.start, offset + day.end, _day(day), None)


def _beside(at: Value, days: Sequence[Value]) -> Value | None:
    """Return the last day before a time, or else the first one behind it."""
    before = [it for it in days if it.end <= at.start]
    behind = [it for it in days if it.start >= at.end]
    return before[-1] if before else next(iter(behind), None)


def _day(value: Value | None) -> date | None:
    return value.key if value and isinstance(value.key, date) else None


def _time(value: Value) -> time | None:
    return value.key if isinstance(value.key, time) else None
