"""The values that a message states, each held against those of its sources; pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import TypeAlias

import regex

from agents.evidence.claims import figures
from agents.evidence.claims.arithmetic import (
    Explained,
    explain,
    percentages,
    whole_numbers,
    written_like,
)
from agents.evidence.claims.codes import BANK_ACCOUNTS, CODES, EMAILS, PHONES
from agents.evidence.claims.figures import AMOUNTS, PERCENTAGES, QUANTITIES, Money
from agents.evidence.claims.moments import DATES, TIMES, follows, read_spans
from agents.evidence.claims.records import (
    LONGEST_TEXT,
    Claim,
    Mark,
    Part,
    Place,
    ProposedMessage,
    Reader,
    Source,
    Value,
    meets,
)
from inbox.languages import any_of, language, lazy_regex

Further: TypeAlias = Callable[[Sequence[str]], Sequence[Source]]
_READERS = (
    AMOUNTS, PERCENTAGES, BANK_ACCOUNTS, CODES, EMAILS, PHONES, DATES, TIMES, QUANTITIES,
)  # fmt: skip
# Lines that are none of a message's own words: quotes, and what stands below a signature's mark.
_NOT_OWN = lazy_regex(r"^>.*$|^-- \n[\s\S]*\Z", regex.MULTILINE)
_LEAST_LOG = 40
# A message of more claims, a source of more values, is checked for so many; of more amounts that no
# source has, so many are worked out.
_MOST_CLAIMS, _MOST_VALUES, _MOST_EXPLAINED = 150, 150, 12
_MOST_LANGUAGES = 32
_OUR_ACCOUNT = lazy_regex(lambda: any_of(lambda it: it.claims.our_account), regex.IGNORECASE)
_SENTENCE_END = lazy_regex(r"(?<=[.!?])\s|[。！？؟\n]")
_CONTEXT_WORD = lazy_regex(r"\p{L}{4,}")
_BEFORE, _BEHIND = 60, 40
# From here on a value is taken for what was meant; each word that stands around both adds to it.
_MEANT, _SHARED_WORD, _MOST_SHARED = 0.75, 0.2, 3


@dataclass
class Comparison:
    """A proposed, its sources and what was read of them so far."""

    proposed: ProposedMessage
    near: Sequence[Source]
    further: Further
    _values: dict[tuple[int, int], Sequence[Value]] = field(default_factory=dict)
    _tried: int = 0

    def marks(self) -> Iterator[Mark]:
        """Yield the marks of the values that the message states."""
        for claim in self.claims:
            made = Mark(claim.reader.kind, claim.part, claim.words, *claim.value[1:3], "found")
            if found := self._same(claim, self.near) or self._same(claim, self.sources):
                yield self._with_sources(made, claim, found)
            elif (mark := self._other(claim, made)) is not None:
                yield mark

    @cached_property
    def claims(self) -> list[Claim]:
        """What the message states, by subject and body."""
        on, language = self.proposed.written_on, self.proposed.language
        return [
            Claim(reader, part, text, value)
            for part, text in self.parts.items() for reader in _READERS
            for value in reader.read(text, on, language)
            if reader.claims(text[value.start : value.end])
        ][:_MOST_CLAIMS]  # fmt: skip

    @cached_property
    def parts(self) -> dict[Part, str]:
        """The message's own prose; what is none of it as blanks, so that places hold."""
        return {
            "subject": self.proposed.subject[:LONGEST_TEXT],
            "body": _own_prose(self.proposed.body[:LONGEST_TEXT]),
        }

    @cached_property
    def sources(self) -> list[Source]:
        """All sources; those that are not near are asked for with the claims that need them."""
        missing = [it.words for it in self.claims if not self._same(it, self.near)]
        further = self.further(list(dict.fromkeys(missing))) if missing else ()
        return [*self.near, *shortened(further)]

    @cached_property
    def _body(self) -> Source:
        return Source("proposal", "", self.parts["body"], self.proposed.written_on, is_ours=True)

    # -- what a source has ------------------------------------------------------------------------
    def _places(self, reader: Reader, sources: Iterable[Source]) -> list[Place]:
        return [Place(one, value) for one in sources for value in self._read(reader, one)]

    def _read(self, reader: Reader, source: Source) -> Sequence[Value]:
        key = (id(reader), id(source))
        if key not in self._values:
            found = reader.read(source.text, source.written_on, source.language)
            days = [Value(day, 0, 0) for day in source.days] if reader is DATES else []
            self._values[key] = [*found[:_MOST_VALUES], *days]
        return self._values[key]

    def _same(self, claim: Claim, sources: Iterable[Source]) -> list[Place]:
        places = self._places(claim.reader, sources)
        found = [one for one in places if one.value.key == claim.value.key]
        return found or (
            self._bare(claim.value, places, sources) if claim.reader is AMOUNTS else []
        )

    def _bare(
        self, claim: Value, amounts: Sequence[Place], sources: Iterable[Source]
    ) -> list[Place]:
        """Return where an amount stands without its currency, and with no other one."""
        assert isinstance(claim.key, Money)  # noqa: S101
        wanted = Money(claim.key.value, "")
        places = (
            it for it in self._places(figures.BARE_NUMBERS, sources) if it.value.key == wanted
        )
        return [
            it for it in places
            if not any(it.source is one.source and meets(it.value, one.value) for one in amounts)
        ]  # fmt: skip

    def _with_sources(self, made: Mark, claim: Claim, found: Sequence[Place]) -> Mark:
        cited = tuple(one.cited for one in found[:3])
        if claim.reader is BANK_ACCOUNTS and self._is_foreign(claim):
            ours = [it for it in self._places(BANK_ACCOUNTS, self.sources) if it.source.is_ours]
            expected = ours[0].words if ours else ""
            return replace(made, state="differs", expected=expected, sources=cited)
        return replace(made, sources=cited)

    def _is_foreign(self, claim: Claim) -> bool:
        """Return True for an account that is given as ours, and that only others have written."""
        if not _OUR_ACCOUNT.search(_sentence(claim)):
            return False
        return not any(one.source.is_ours for one in self._same(claim, self.sources))

    # -- what no source has -----------------------------------------------------------------------
    def _other(self, claim: Claim, made: Mark) -> Mark | None:
        reader = claim.reader
        if reader is AMOUNTS and (explained := self._explained(claim)):
            cited = tuple(one.cited for one in explained.of[:4])
            if explained.meant is None:
                return replace(made, sources=cited)
            expected = written_like(made.excerpt, explained.meant)
            return replace(made, state="differs", expected=expected, sources=cited)
        if reader is DATES and (place := self._days_apart(claim)):
            return replace(made, sources=(place.cited,))
        if reader.may_be_open and _asks(_sentence(claim), self.proposed.language):
            return None
        if (meant := self._meant(claim)) is not None:
            return replace(made, state="differs", expected=meant.words, sources=(meant.cited,))
        is_told = claim.value.is_sure and reader.tells_nowhere
        return replace(made, state="nowhere") if is_told else None

    def _days_apart(self, claim: Claim) -> Place | None:
        """Return the date that a day is so long after, or before, as the texts say."""
        assert isinstance(claim.value.key, date)  # noqa: S101
        dated = self._places(DATES, [*self.sources, self._body])
        known = {it.value.key: it for it in dated if it.value.key != claim.value.key}
        days = [it for it in known if isinstance(it, date)]
        found = follows(claim.value.key, days, self._spans)
        return known[found] if found else None

    @cached_property
    def _spans(self) -> set[tuple[int, int]]:
        texts = [self.proposed.body, *(one.text for one in self.sources)]
        return {span for text in texts for span in read_spans(text)}

    def _meant(self, claim: Claim) -> Place | None:
        """Return the value of a source that a claim most likely means, and is not."""
        context = _context(claim.text, claim.value)
        best, most = None, 0.0
        for one in self._places(claim.reader, self.sources):
            near = claim.reader.near(claim.value, one.value)
            if near > 0:
                shared = len(context & _context(one.source.text, one.value))
                near += min(shared, _MOST_SHARED) * _SHARED_WORD
            if near > most:
                best, most = one, near
        return best if most >= _MEANT else None

    def _explained(self, claim: Claim) -> Explained | None:
        self._tried += 1
        if self._tried > _MOST_EXPLAINED:
            return None
        return explain(claim, self._groups(claim), *self._numbers)

    @cached_property
    def _numbers(self) -> tuple[list[Decimal], list[Decimal]]:
        """The numbers and the percentages by which amounts may be multiplied."""
        texts = [self.proposed.body, *(one.text for one in self.sources)]
        return whole_numbers([self.proposed.body, *(one.text for one in self.near)]), percentages(
            texts
        )

    def _groups(self, claim: Claim) -> Iterator[list[Place]]:
        """Yield the amounts that may be added: the message's, each source's, and all of them."""
        body = self._body
        own = [it for it in self._places(AMOUNTS, [body]) if not meets(it.value, claim.value)]
        yield own
        for source in self.sources:
            # A table names the currency above its column: what has cents is an amount.
            bare = self._places(figures.BARE_NUMBERS, [source])
            yield [*self._places(AMOUNTS, [source]), *filter(_has_cents, bare)]
        distinct: dict[object, Place] = {}
        for one in (*own, *self._places(AMOUNTS, self.sources)):
            distinct.setdefault(one.value.key, one)
        yield list(distinct.values())


def _has_cents(place: Place) -> bool:
    key = place.value.key
    return isinstance(key, Money) and key.value != key.value.to_integral_value()


def shortened(sources: Iterable[Source]) -> list[Source]:
    """Return sources with as much of their text as is read."""
    return [replace(one, text=one.text[:LONGEST_TEXT]) for one in sources]


@lru_cache(maxsize=_MOST_LANGUAGES)
def _open_words(code: str) -> regex.Pattern[str]:
    """Return the words of a language that ask or propose; those of all for one that has none."""
    known = language(code)
    words = f"(?:{known.claims.proposes})" if known and known.claims.proposes else ""
    words = words or any_of(lambda it: it.claims.proposes)
    return regex.compile(rf"[?？؟]|(?<!\p{{L}}){words}(?!\p{{L}})", regex.IGNORECASE)


def _asks(sentence: str, code: str) -> bool:
    """Return True if a sentence asks or proposes, and so states nothing."""
    return _open_words(code).search(sentence) is not None


def _own_prose(body: str) -> str:
    own = _NOT_OWN.sub(lambda match: " " * len(match[0]), body)
    return "\n".join(" " * len(line) if _is_log(line) else line for line in own.split("\n"))


def _is_log(line: str) -> bool:
    """Return True for a line that a machine wrote: two fifths of it are digits and signs."""
    if len(line) < _LEAST_LOG:
        return False
    letters = sum(it.isalpha() or it.isspace() for it in line)
    return letters * 5 < len(line) * 3 or "0x" in line


def _sentence(claim: Claim) -> str:
    """Return the sentence that a claim stands in."""
    text, value = claim.text, claim.value
    start = max((it.end() for it in _SENTENCE_END.finditer(text, 0, value.start)), default=0)
    end = _SENTENCE_END.search(text, value.end)
    # With its mark, which tells a question.
    return text[start : end.start() + 1 if end else len(text)]


def _context(text: str, value: Value) -> set[str]:
    """Return the words around a value, by their beginnings."""
    before = text[max(0, value.start - _BEFORE) : value.start]
    behind = text[value.end : value.end + _BEHIND]
    return {word.casefold()[:6] for word in _CONTEXT_WORD.findall(f"{before} {behind}")}
