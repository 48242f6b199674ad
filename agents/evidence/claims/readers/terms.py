"""Days that follow from a term: "within 14 days of your letter", "two working days"; pure."""

import calendar
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import regex

from agents.evidence.claims.records import Claim, Place, Source, Value
from agents.evidence.claims.sentences import sentence_around
from inbox.extract.readers.calendar_words import number_words, unit_days
from inbox.extract.readers.numbers import plain_digits
from inbox.languages import any_of, lazy_regex
from inbox.rfc5322.text.language import detect_language

_TERM = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?P<count>\d{{1,3}}|{_any_of(number_words())})[\s-]{{1,2}}(?:"
        rf"(?P<working>{any_of(lambda it: it.claims.working_days)})"
        rf"|(?P<hours>{any_of(lambda it: it.clock.hours)})"
        rf"|(?:(?!(?:{_any_of(number_words())})\b)\p{{Ll}}{{4,12}} )?"
        rf"(?P<unit>{_any_of(unit_days())})"
        rf"|(?P<months>{any_of(lambda it: it.claims.months)}))(?!\p{{Latin}})"
    ),
    regex.IGNORECASE,
)
_WORD = lazy_regex(r"\p{L}{4,}")
# A week by a day of it: "in the week of", "in der Woche ab dem".
_WEEK_OF = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?:{_any_of(it for it, days in unit_days().items() if days == 7)})"
        r"(?!\p{Latin})[^\d.!?\n]{0,20}$"
    ),
    regex.IGNORECASE,
)
_OF_WEEK, _SAME_MONTH = 32, 120
_AROUND = 80
_STEM = 5
_MOST_WORKING, _MOST_HOURS = 90, 240
# So many days, each with so many terms, are counted.
_MOST_DAYS, _MOST_TERMS = 150, 30
_WEEK, _SATURDAY = 7, 5
# A term may be of 999 months.
_FIRST_YEAR, _LAST_YEAR = 1900, 2200


class Term(NamedTuple):
    """A length of time in months and days, or in working days, and where it stands."""

    months: int
    days: int
    is_working: bool
    start: int
    end: int


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(map(regex.escape, words), key=len, reverse=True))


def read_terms(text: str) -> list[Term]:
    """Return the lengths of time that a text counts in days, weeks or months."""
    return list(_terms(plain_digits(text)))


def _terms(text: str) -> Iterator[Term]:
    for match in _TERM.finditer(text):
        count = match["count"].lower()
        number = int(count) if count.isdigit() else number_words()[count]
        span = match.span()
        if match["working"]:
            if number <= _MOST_WORKING:
                yield Term(0, number, True, *span)
        elif match["hours"]:
            if number % 24 == 0 and 0 < number <= _MOST_HOURS:
                yield Term(0, number // 24, False, *span)
        elif match["months"]:
            yield Term(number, 0, False, *span)
        else:
            yield Term(0, number * unit_days()[match["unit"].lower()], False, *span)


def ends_of(day: date, term: Term) -> Iterator[date]:
    """Yield the days that lie a term after a day, and before it; of months also the day before."""
    if not _FIRST_YEAR < day.year < _LAST_YEAR:
        return
    if term.is_working:
        yield from (_working_on(day, term.days, step) for step in (1, -1))
        return
    for sign in (1, -1):
        end = _months_on(day, sign * term.months) + timedelta(days=sign * term.days)
        yield end
        if term.months:
            yield end - timedelta(days=1)
        if term.days >= _WEEK:
            # The first day counts, or does not.
            yield end - timedelta(days=sign)


def _working_on(day: date, count: int, step: int) -> date:
    while count:
        day += timedelta(days=step)
        count -= day.weekday() < _SATURDAY
    return day


def _months_on(day: date, count: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return day.replace(year=year, month=month + 1, day=min(day.day, last))


@dataclass
class Terms:
    """The days that the near texts name, today among them, and the terms counted from them."""

    body: Source
    near: Sequence[Source]
    dated: Sequence[Place]
    every: Callable[[], Sequence[Place]] = lambda: ()

    @cached_property
    def days(self) -> dict[date, Place]:
        """The days from which terms may be counted."""
        return self._of(self.dated)

    @cached_property
    def _all_days(self) -> dict[date, Place]:
        """The days of all sources: a sentence that counts says so."""
        return self._of(self.every())

    def _of(self, dated: Iterable[Place]) -> dict[date, Place]:
        found: dict[date, Place] = {}
        for one in (*dated, Place(self.body, Value(self.body.written_on, 0, 0))):
            if isinstance(one.value.key, date):
                found.setdefault(one.value.key, one)
        return dict(islice(found.items(), _MOST_DAYS))

    def by_sentence(self, claim: Claim) -> Place | None:
        """Return the day that a claimed day or weekday lies a term after, as its sentence says."""
        terms = read_terms(sentence_around(claim.text, *claim.value[1:3]))
        if not terms:
            return None
        return self._base(claim, terms, self.days) or self._base(claim, terms, self._all_days)

    def by_week(self, claim: Claim) -> Place | None:
        """Return the day of the week that the message names, "in the week of 8 March"."""
        key = claim.value.key
        for one in self.dated:
            before = one.source.text[max(0, one.value.start - _OF_WEEK) : one.value.start]
            is_other = one.source is self.body and one.value.key != key
            if is_other and _week(key) == _week(one.value.key) and _WEEK_OF.search(before):
                return one
        return None

    def is_worked_out(self, claim: Claim) -> bool:
        """Return True for a day told by its number, in a month that stands right before it."""
        key, start = claim.value.key, claim.value.start
        return not claim.value.is_sure and isinstance(key, date) and any(
            one.source is self.body
            and 0 < start - one.value.end <= _SAME_MONTH
            and isinstance(one.value.key, date)
            and (one.value.key.year, one.value.key.month) == (key.year, key.month)
            for one in self.dated
        )  # fmt: skip

    def by_any(self, claim: Claim, sources: Sequence[Source]) -> Place | None:
        """Return the day that a claimed one lies a term of the near texts after, or before.

        Of the others only terms count that have a word around them that the claim has as well.
        """
        key = claim.value.key
        near = self._ends.get(key) if isinstance(key, date) else None
        return near or self._base(claim, _fitting(claim, sources, self.body.language), self.days)

    @cached_property
    def _ends(self) -> dict[date, Place]:
        """The days on which terms of the near texts end, each with one that it is counted from."""
        terms = [term for one in (*self.near, self.body) for term in read_terms(one.text)]
        return {
            end: place
            for day, place in self.days.items() for term in _distinct(terms)
            for end in ends_of(day, term) if end != day
        }  # fmt: skip

    def _base(
        self, claim: Claim, terms: Sequence[Term], days: Mapping[date, Place]
    ) -> Place | None:
        key = claim.value.key
        for day, place in days.items():
            ends = (end for term in _distinct(terms) for end in ends_of(day, term))
            if day != key and any(key in (end, end.weekday()) for end in ends):
                return place
        return self._eve_of(key)

    def _eve_of(self, day: Hashable) -> Place | None:
        """Return the end of the month that ends before a first: "until 31 March", "from April"."""
        if not isinstance(day, date) or day.day != 1 or day == date.min:
            return None
        return self.days.get(day - timedelta(days=1))


def _week(day: Hashable) -> tuple[int, int] | None:
    """Return the year and the number of a day's week."""
    return day.isocalendar()[:2] if isinstance(day, date) else None


def _distinct(terms: Sequence[Term]) -> list[Term]:
    """Return terms of different lengths, so many as are counted."""
    return list({term[:3]: term for term in terms}.values())[:_MOST_TERMS]


def _is_foreign_rule(source: Source, code: str) -> bool:
    """Return True for rules in another language than a message: no word tells what they are of."""
    return source.type == "policy" and bool(code) and detect_language(source.text) not in {code, ""}


def _fitting(claim: Claim, sources: Iterable[Source], code: str) -> list[Term]:
    around = _words(claim.text, claim.value.start, claim.value.end)
    return [
        term for source in sources for term in read_terms(source.text)
        if _is_foreign_rule(source, code) or around & _words(source.text, term.start, term.end)
    ]  # fmt: skip


def _words(text: str, start: int, end: int) -> set[str]:
    around = f"{text[max(0, start - _AROUND) : start]} {text[end : end + _AROUND]}"
    return {word.casefold()[:_STEM] for word in _WORD.findall(around)}
