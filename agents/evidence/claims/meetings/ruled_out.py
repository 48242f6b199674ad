"""Days that the other side ruled out, and that a message names all the same; pure."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

import regex

from agents.evidence.claims.meetings.denials import denies, sentences_of
from agents.evidence.claims.readers.moments import read_dates
from agents.evidence.claims.records import Claim, Mark, Place, Source, Value
from inbox.extract.readers.numbers import plain_digits
from inbox.languages import any_of, lazy_regex

# So near before a day, or behind it, stands what rules it out.
_BEFORE, _BEHIND = 40, 40
_REFUSED_BEFORE = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.refused_before)})"
        r"(?:\s\p{L}{1,4}){0,2}\s?$"
    ),
    regex.IGNORECASE,
)
_REFUSED_BEHIND = lazy_regex(
    lambda: (
        r"(?:\s?,)?(?:\s[\p{L}'’]{1,12}){0,2}\s"
        rf"(?:{any_of(lambda it: it.claims.refused_behind)})(?!\p{{L}})"
    ),
    regex.IGNORECASE,
)
# A day told by its number alone: "the 9th", "le 14".
_NUMBER = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.before_days)})\s(?P<day>[0-3]?\d)"
        rf"(?:{any_of(lambda it: it.calendar.ordinals)}|\.(?!\d))?(?![\p{{L}}\d:%/-]|[.,]\d)"
    ),
    regex.IGNORECASE,
)
_AHEAD = 62


def check_ruled_out(
    claims: Sequence[Claim], sources: Iterable[Source], code: str
) -> Iterator[Mark]:
    """Yield a mark for each day of the message that the other side has last ruled out.

    `claims` are the dates of the message, `sources` the thread, its newest message first,
    `code` the language of the message.
    """
    out = last_said(sources)
    if not out:
        return
    for claim in claims:
        place = out.get(claim.value.key) if isinstance(claim.value.key, date) else None
        if place is None or claim.part != "body":
            continue
        start, end = claim.value.start, claim.value.end
        around = next((it for at, it in sentences_of(claim.text) if at <= start < at + len(it)), "")
        if around and not denies(around, code):
            words = place.cited.excerpt
            yield Mark("date", "body", claim.words, start, end, "differs", words, (place.cited,))


def last_said(sources: Iterable[Source]) -> dict[date, Place]:
    """Return the days to come that are ruled out where they were last spoken of."""
    found: dict[date, Place | None] = {}
    for source in sources:
        if source.type != "message" or source.is_ours:
            continue
        for value in _days(source):
            day = value.key
            if isinstance(day, date) and day >= source.written_on:
                place = Place(source, value) if _is_refused(source.text, value) else None
                found.setdefault(day, place)
    return {day: place for day, place in found.items() if place}


def _days(source: Source) -> list[Value]:
    read = read_dates(source.text, source.written_on, source.language)
    told = [it for it in read if any(sign.isdigit() for sign in source.text[it.start : it.end])]
    numbered = [
        it for it in _numbered(source)
        if not any(it.start < one.end and one.start < it.end for one in told)
    ]  # fmt: skip
    # Where a text names a day twice, that it is ruled out counts.
    every = [*told, *numbered]
    return sorted(every, key=lambda it: not _is_refused(source.text, it))


def _numbered(source: Source) -> Iterator[Value]:
    """Yield the days told by their number alone, the next ones of that number."""
    for match in _NUMBER.finditer(plain_digits(source.text)):
        days = (source.written_on + timedelta(days=apart) for apart in range(_AHEAD))
        number = int(match["day"])
        day = next((it for it in days if it.day == number), None)
        if day:
            yield Value(day, *match.span(), is_sure=False)


def _is_refused(text: str, value: Value) -> bool:
    before = text[max(0, value.start - _BEFORE) : value.start].rpartition("\n")[2]
    behind = text[value.end : value.end + _BEHIND]
    return bool(_REFUSED_BEFORE.search(before) or _REFUSED_BEHIND.match(behind))
