"""What a message states and what its sources say, as far as it was read; pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import TypeAlias

from agents.evidence.claims.prose import own_prose
from agents.evidence.claims.readers import figures
from agents.evidence.claims.readers.codes import (
    BANK_ACCOUNTS,
    CODES,
    EMAILS,
    PHONES,
    find_between,
    find_written,
)
from agents.evidence.claims.readers.figures import AMOUNTS, PERCENTAGES, Money
from agents.evidence.claims.readers.links import LINKS
from agents.evidence.claims.readers.measures import LENGTHS, MEASURES
from agents.evidence.claims.readers.moments import (
    DATES,
    TIMES,
    WEEKDAYS,
    in_year,
    is_half_day_apart,
    is_same_day,
    is_spoken,
    is_yearless,
)
from agents.evidence.claims.readers.numbered import NUMBERED
from agents.evidence.claims.readers.people import NAMES
from agents.evidence.claims.readers.quantities import QUANTITIES
from agents.evidence.claims.records import (
    LONGEST_TEXT,
    Asked,
    Claim,
    Named,
    Part,
    Place,
    ProposedMessage,
    Reader,
    Source,
    Value,
    meets,
    shortened,
    values_in,
)
from agents.evidence.claims.rivals import says_the_same
from agents.evidence.claims.topics import read_topics

# Asked with what further sources are wanted for.
Further: TypeAlias = Callable[[Asked], Sequence[Source]]
READERS = (
    AMOUNTS, PERCENTAGES, BANK_ACCOUNTS, CODES, EMAILS, LINKS, PHONES, DATES, WEEKDAYS, TIMES,
    MEASURES, LENGTHS, QUANTITIES, NUMBERED, NAMES,
)  # fmt: skip
# A message of more claims, a source of more values, is checked for so many.
_MOST_CLAIMS, _MOST_VALUES = 150, 150
# What is found by its words wherever it stands; the most telling first.
_TELLING = (CODES, BANK_ACCOUNTS, EMAILS, PHONES, AMOUNTS, NAMES)
# By so many numbers of mail files are looked for.
_MOST_MATTERS = 4


@dataclass
class Readings:
    """A proposed message, its sources and what was read of them so far."""

    proposed: ProposedMessage
    near: Sequence[Source]
    further: Further
    # Those who may be named in it.
    people: Sequence[Named] = ()
    # What else needs further sources, as words that a file may be found by.
    wanted: Sequence[str] = ()
    _values: dict[tuple[int, int], Sequence[Value]] = field(default_factory=dict)

    @cached_property
    def claims(self) -> list[Claim]:
        """What the message states, by subject and body."""
        on, language = self.proposed.written_on, self.proposed.language
        return [
            Claim(reader, part, text, value)
            for part, text in self.parts.items() for reader in READERS
            for value in [
                *reader.read(text, on, language),
                *(figures.read_columns(text) if reader is AMOUNTS else ()),
            ]
            if reader.claims(text[value.start : value.end])
        ][:_MOST_CLAIMS]  # fmt: skip

    @cached_property
    def parts(self) -> dict[Part, str]:
        """The message's own prose; what is none of it as blanks, so that places hold."""
        return {
            "subject": self.proposed.subject[:LONGEST_TEXT],
            "body": own_prose(self.proposed.body[:LONGEST_TEXT]),
        }

    @cached_property
    def _near(self) -> list[list[Place]]:
        """What the near sources have of each claim."""
        return [self._same(it, self.near) for it in self.claims]

    @cached_property
    def sources(self) -> list[Source]:
        """All sources; those that are not near are asked for with the claims that need them."""
        missing = [
            it for it, near in zip(self.claims, self._near, strict=True)
            if not near and (it.value.is_sure or it.reader is not NAMES)
        ]  # fmt: skip
        if not self.claims and not self.wanted:
            return list(self.near)
        telling = [it for it in missing if it.reader in _TELLING]
        telling.sort(key=lambda it: _TELLING.index(it.reader))
        exact = list(dict.fromkeys(it.words for it in telling))
        words = [*exact, *(it.words for it in missing), *self.wanted, *self._matters()]
        text = f"{self.parts['subject']}\n{self.parts['body']}"
        topics = read_topics(text, self.proposed.language, self.proposed.own_words)
        further = self.further(Asked(list(dict.fromkeys(words)), exact, *topics))
        return [*self.near, *shortened(further)]

    @property
    def read_sources(self) -> Sequence[Source]:
        """The sources that were read so far; asks for none."""
        return self.sources if "sources" in self.__dict__ else self.near

    def _matters(self) -> list[str]:
        """Return the numbers that mail goes by, by which files may be found."""
        mail = (one for one in self.near if one.type == "message")
        found = (it.words for it in self.places(CODES, mail) if it.value.is_sure)
        return list(dict.fromkeys(found))[:_MOST_MATTERS]

    @cached_property
    def _body(self) -> Source:
        on, code = self.proposed.written_on, self.proposed.language
        return Source("proposal", "", self.parts["body"], on, is_ours=True, language=code)

    def other_years(self, day: date) -> Iterator[date]:
        """Yield the same day of the years in which sources have it, or the message other days."""
        for one in self.places(DATES, [*self.sources, self._body]):
            key = one.value.key
            if not isinstance(key, date) or is_yearless(one.words):
                continue
            if (key.month, key.day) == (day.month, day.day) or one.source is self._body:
                yield in_year(day, key.year)

    def found(self, claim: Claim) -> list[Place]:
        """Return where any source has a claim."""
        return self._same(claim, self.sources)

    # -- what a source has ------------------------------------------------------------------------
    def places(self, reader: Reader, sources: Iterable[Source]) -> list[Place]:
        """Return all that a reader finds in sources."""
        every = [*sources, *self._named] if reader is NAMES else sources
        return [Place(one, value) for one in every for value in self._read(reader, one)]

    @cached_property
    def _named(self) -> list[Source]:
        """The names of people as sources, which no text has to have."""
        on = self.proposed.written_on
        return [Source("recipient", it.email, it.name, on) for it in self.people if it.name]

    def _read(self, reader: Reader, source: Source) -> Sequence[Value]:
        key = (id(reader), id(source))
        if key not in self._values:
            found = values_in(reader, source.text, source.written_on, source.language)
            besides = source.days if reader is DATES else [source.at] if reader is TIMES else []
            self._values[key] = [
                *found[:_MOST_VALUES], *(Value(it, 0, 0) for it in besides if it is not None)
            ]  # fmt: skip
        return self._values[key]

    def _same(self, claim: Claim, sources: Iterable[Source]) -> list[Place]:
        places = self.places(claim.reader, sources)
        found = [one for one in places if says_the_same(claim.value, one.value)]
        if not found and claim.reader is DATES and is_yearless(claim.words):
            found = [one for one in places if is_same_day(claim.value, one.value)]
        if not found and claim.reader is TIMES and is_spoken(claim.words):
            found = [one for one in places if is_half_day_apart(claim.value, one.value)]
        if not found and claim.reader is CODES:
            return find_written(claim, sources) or find_between(claim, places)
        return found or (
            self._bare(claim.value, places, sources) if claim.reader is AMOUNTS else []
        )

    def _bare(
        self, claim: Value, amounts: Sequence[Place], sources: Iterable[Source]
    ) -> list[Place]:
        """Return where an amount stands without its currency, and with no other one."""
        assert isinstance(claim.key, Money)  # noqa: S101
        wanted = Money(claim.key.value, "")
        places = (it for it in self.places(figures.BARE_NUMBERS, sources) if it.value.key == wanted)
        return [
            it for it in places
            if not any(it.source is one.source and meets(it.value, one.value) for one in amounts)
        ]  # fmt: skip
