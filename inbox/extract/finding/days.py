"""Which day a field asks for, of those that a text names; pure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import regex

from inbox.extract import labels, roles
from inbox.extract.choosing import choose
from inbox.extract.document import Document
from inbox.extract.fields import Field
from inbox.extract.labelled import labelled
from inbox.extract.labels import Candidate
from inbox.extract.readers.dates import COUNTED_SURE, WEEKDAY_SURE, FoundDate, find_dates
from inbox.extract.readers.identifiers import find_identifiers
from inbox.extract.readers.superseded import superseded, without
from inbox.extract.readers.times import find_times
from inbox.languages import any_of, lazy_regex

_FIRST, _LAST = frozenset({"start", "checkin"}), frozenset({"end", "checkout"})


def find_days(field: Field, document: Document, text: str) -> list[Candidate]:
    """Return the days of a text that may be what the field asks for, the surest first."""
    days = find_dates(text, document.sent_on, document.language)
    found = [
        Candidate(it.day.isoformat(), it.start, it.end, it.sure, text[it.start : it.end])
        for it in without(days, superseded(text, tuple(days)))
    ]
    role = field.role(roles.dates())
    if role in _FIRST | _LAST and (pair := _range(found, text)):
        return _in_full([pair[role in _LAST]], field, found, document, text)
    if role in _OF_NUMBERS and (dated := _of_number(role, found, document, text)):
        return dated
    if role in _NO_PERIODS:
        ends = {it.start for pair in _ranges(found, text) for it in pair}
        found = [it for it in found if it.start not in ends]
    chosen = _choose_day(field, found, document, text)
    if role == "due":
        # Of a reminder the day by which it is to be paid now, and not the one that is over.
        chosen.sort(key=lambda it: it.value < document.sent_on.isoformat())
        chosen = [_since_the_bill(it, document, text) for it in chosen]
    if role == "invoice" and not chosen:
        return _of_the_mail(found, document, text)
    return chosen


_BILLED = Field("", {"type": "string", "format": "date"}, "date", "invoice date")


def _since_the_bill(due: Candidate, document: Document, text: str) -> Candidate:
    """Return "within 30 days" as counted from the day of the bill, where that is told.

    A bill that is older than a fortnight is reminded of: then it is counted from the letter.
    """
    days = find_dates(text, document.sent_on, document.language)
    if all(it.sure != COUNTED_SURE for it in _within(due, days)):
        return due
    billed = next((it for it in _days_of_bill(document, text) if it.sure >= 0.8), None)
    if billed is None:
        return due
    ago = (document.sent_on - date.fromisoformat(billed.value)).days
    if not 0 < ago <= _FORTNIGHT:
        return due
    day = date.fromisoformat(due.value) - timedelta(days=ago)
    return replace(due, value=day.isoformat())


def _days_of_bill(document: Document, text: str) -> list[Candidate]:
    """Return the days that may be the one of the bill, the surest first."""
    return labelled(_BILLED, document, text) or find_days(_BILLED, document, text)


_FORTNIGHT = 14


def _of_the_mail(found: Sequence[Candidate], document: Document, text: str) -> list[Candidate]:
    """Return the day on which the mail was sent where the text has it and says no more of it."""
    named = labels.with_roles(found, text, roles.dates())
    return [
        replace(it, sure=0.7)
        for it in named
        if it.role in {"", "payment"}
        # Whoever writes may be a day ahead or behind.
        and abs((date.fromisoformat(it.value) - document.sent_on).days) <= 1
        and regex.search(r"\d", text[it.start : it.end])
    ]


# Of these there are numbers, which have a date behind them: "invoice 17 of 3 May".
_OF_NUMBERS = {"invoice": ("credit", "invoice", "receipt"), "order": ("order", "purchase")}
# None of these is the beginning or the end of a time.
_NO_PERIODS = frozenset({"invoice", "due", "order"})
_DATED = lazy_regex(
    lambda: (
        rf"[\s|,;(]{{0,40}}+(?:\p{{Lu}}[\p{{L}} .-]{{2,24}},\s)?"
        rf"(?:(?:\p{{Ll}}{{2,14}}\s)?{any_of(lambda it: it.calendar.dated)})?"
        r"[\s|:]{0,3}"
        rf"(?:{any_of(lambda it: it.calendar.before_day)}|\p{{L}}{{2,12}},\s)?"
    ),
    regex.IGNORECASE,
)


def _of_number(
    role: str, found: Sequence[Candidate], document: Document, text: str
) -> list[Candidate]:
    """Return the date behind a number of what is asked for, with hardly a word between them."""
    numbered = Field("", {"type": "string"}, "id", role)
    numbers = [it for one in _OF_NUMBERS[role] for it in find_identifiers(text, one)]
    ends = {it.end for it in (*numbers, *labelled(numbered, document, text)) if it.sure >= 0.8}
    return [
        replace(it, sure=0.93)
        for it in found
        for end in ends
        if 0 < it.start - end < 70
        and _DATED.fullmatch(text, end, it.start)
        and not _is_told(text[end : it.start], role)
    ]


def _is_told(between: str, role: str) -> bool:
    """Return True if what stands between a number and a date says that it is another date."""
    others = (pattern for name, pattern in roles.dates().items() if name not in {role, *_SMALL})
    return any(it.search(between) for it in others)


# Roles that a date may have by one small word.
_SMALL = frozenset({"start", "end", "meeting"})


_FREE = frozenset({"", "meeting", "start"})
# Roles that a date has by a small word before it: "moved to 17 March", "from 17 March on".
_ANY_MEETING = frozenset({"", "meeting", "start", "end"})


def _choose_day(
    field: Field, found: Sequence[Candidate], document: Document, text: str
) -> list[Candidate]:
    chosen = choose(field, found, text, roles.dates(), _FREE)
    return _in_full(chosen, field, found, document, text)


def _in_full(
    chosen: list[Candidate],
    field: Field,
    found: Sequence[Candidate],
    document: Document,
    text: str,
) -> list[Candidate]:
    """Return what was chosen; for a bare weekday of the subject, the full date that the text has.

    That is the next one on that weekday, else the next that is not over, of those that are not
    said to be something else ("your invoice of 2 March").
    """
    weekdays = _subject_weekdays(found, document, text)
    if not weekdays or (chosen and chosen[0].start not in weekdays):
        return chosen
    full = _full_dates(field, found, document, text)
    if not chosen and full:
        rest = [it for it in found if it.start not in weekdays]
        return choose(field, rest, text, roles.dates(), _FREE)
    same = [it for it in full if chosen and _weekday(it) == _weekday(chosen[0])]
    best = next(iter(same or full), None)
    return [replace(best, sure=chosen[0].sure), *chosen] if best else chosen


def _subject_weekdays(found: Sequence[Candidate], document: Document, text: str) -> frozenset[int]:
    """Return where those candidates begin that are only a weekday in the subject."""
    if text is not document.layers[0]:
        return frozenset()
    days = find_dates(text, document.sent_on, document.language)
    return frozenset(
        it.start
        for it in found
        if it.start < len(document.subject)
        and all(day.sure == WEEKDAY_SURE for day in _within(it, days))
    )


def _full_dates(
    field: Field, found: Sequence[Candidate], document: Document, text: str
) -> list[Candidate]:
    """Return the dates of the text that are written out, not over, and may be what is asked for."""
    days = [
        it
        for it in find_dates(text, document.sent_on, document.language)
        if it.sure not in (WEEKDAY_SURE, COUNTED_SURE)
        and regex.search(r"\d", text[it.start : it.end])
    ]
    return [
        it
        for it in labels.with_roles(found, text, roles.dates())
        if it.start >= len(document.subject)
        and it.role in {field.role(roles.dates()), *_ANY_MEETING}
        and it.value[:10] >= document.sent_on.isoformat()
        and _within(it, days)
    ]


def _within(candidate: Candidate, days: Sequence[FoundDate]) -> list[FoundDate]:
    return [it for it in days if candidate.start <= it.start and it.end <= candidate.end]


def _weekday(candidate: Candidate) -> int:
    return datetime.fromisoformat(candidate.value).weekday()


def _range(found: Sequence[Candidate], text: str) -> tuple[Candidate, Candidate] | None:
    """Return the two dates of the only "from … to …" in the text."""
    pairs = _ranges(found, text)
    return pairs[0] if len(pairs) == 1 else None


def _ranges(found: Sequence[Candidate], text: str) -> list[tuple[Candidate, Candidate]]:
    return [
        (first, last)
        for first, last in pairwise(found)
        if regex.fullmatch(
            r"[\s.,]*(?:\d\d?[:.]\d\d(?:\s\p{L}{1,5})?\s)?"
            rf"(?:-|–|{any_of(lambda it: it.calendar.ranges)})[\s(]*"
            rf"{any_of(lambda it: it.calendar.before_day)}?(?:\p{{L}}+,?\s)?",
            text[first.end : last.start],
            regex.IGNORECASE,
        )
    ]


def find_moments(field: Field, document: Document, text: str) -> list[Candidate]:
    """Return the days with a time that may be what the field asks for, the surest first."""
    days = find_dates(text, document.sent_on, document.language)
    old = superseded(text, tuple(days))
    days = without(days, old)
    found = []
    for at in without(find_times(text), old):
        near = [
            it
            for it in days
            if -40 <= at.start - it.end <= 40
            and "\n\n" not in text[min(it.end, at.end) : max(it.start, at.start)]
        ]
        if not near:
            continue
        day = min(near, key=lambda it: abs(at.start - it.end))
        moment = datetime.combine(day.day, at.at, tzinfo=at.zone or UTC)
        sure = day.sure * (1.0 if at.zone else 0.8)
        start, end = min(day.start, at.start), max(day.end, at.end)
        found.append(
            Candidate(moment.isoformat().replace("+00:00", "Z"), start, end, sure, text[start:end])
        )
    return _choose_day(field, found, document, text)
