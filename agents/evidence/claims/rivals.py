"""A value that a source has, but of something else: of two invoices the other's amount; pure."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import log
from typing import NamedTuple

import regex

from agents.evidence.claims.contexts import (
    Context,
    Contexts,
    contexts_of,
    fit,
    is_identifier,
    merged,
    token_keys,
)
from agents.evidence.claims.records import Claim, Place, Reader, Source, Value
from inbox.extract.readers.calendar_words import months, weekdays
from inbox.extract.readers.numbers import CURRENCY_CODES
from inbox.languages import languages

# So much of a claim's words must be the other value's, and so many times what is its own value's.
_CLEAR, _TIMES = 0.7, 1.8
# Days and times stand beside words of anything.
_CLEAR_OF = {"date": 0.9, "weekday": 1.5, "time": 1.5}
# Two of one text, so near to each other, are told apart by one word.
_PAIR = 80
# So much of the words of a claim that no source has must be another value's.
_FITTING = 0.95
# A value that has no words of its own of that sort may be of anything.
_OWN = 0.6
# A word is of the value that it is by so much nearer to.
_RATHER = 0.4
# Two days or times with hardly more than a word between are a span, or a choice.
_JOINED = 14

_CURRENCIES = frozenset(code.lower() for code in CURRENCY_CODES)

# A message is compared with so many values, each counted for each claim; the claims left are not.
_MOST_COMPARED = 20_000


class Placed(NamedTuple):
    """A value of a source, and the words that belong to it."""

    place: Place
    context: Context


class Better(NamedTuple):
    """A value whose words a claim has rather than its own value's, and how clearly."""

    place: Place
    clear: float


@dataclass
class Surroundings:
    """The words around the claims of a message and around the values of its sources."""

    claims: Sequence[Claim]
    language: str
    # With how many values of sources claims were compared.
    compared: int = 0
    # Those in which words are counted: what stands everywhere tells nothing.
    sources: Sequence[Source] = ()
    head: Context = field(default_factory=dict)
    _texts: dict[int, Contexts] = field(default_factory=dict)
    _words: dict[tuple[int, int], list[Context]] = field(default_factory=dict)
    _claimed: dict[int, Context] = field(default_factory=dict)

    def of_claim(self, claim: Claim) -> Context:
        """Return the words that belong to a claim, and to none beside it of its kind."""
        if id(claim) not in self._claimed:
            beside = [
                it for it in self.claims if it.reader is claim.reader and it.part == claim.part
            ]
            words = self.contexts(claim.text, self.language)
            contexts = [
                {**self.head, **it}
                for it in words.of([it.value for it in beside], _said_by(claim.reader))
            ]
            self._claimed |= zip(map(id, beside), contexts, strict=True)
        return self._claimed[id(claim)]

    def of_source(self, reader: Reader, source: Source, values: Sequence[Value]) -> list[Context]:
        """Return the words that belong to each of the values that a reader found in a source."""
        key = (id(reader), id(source))
        if key not in self._words:
            words = self.contexts(source.text, source.language or self.language)
            contexts = words.of(values, _said_by(reader))
            # What stands in the first line itself has its words from there.
            below = source.text.find("\n")
            self._words[key] = [
                {**words.head, **context} if value.start > below >= 0 else context
                for value, context in zip(values, contexts, strict=True)
            ]
        return self._words[key]

    @cached_property
    def _lines(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for one in self.sources:
            found.update(self.contexts(one.text, one.language or self.language).lines)
        return found

    def rarity(self, word: str) -> float:
        """Return how much a word tells: 1 where one line has it, 0 where all have."""
        lines = self._lines[""] or 1
        return 1 - log(max(1, self._lines[word])) / log(max(2, lines))

    def contexts(self, text: str, language: str) -> Contexts:
        """Return the words of a text in a language, and how far they are from each other."""
        language = language or self.language
        if id(text) not in self._texts:
            self._texts[id(text)] = contexts_of(text, language)
        return self._texts[id(text)]


def find_rival(
    claim: Claim, read: Iterable[tuple[Source, Sequence[Value]]], around: Surroundings
) -> Place | None:
    """Return the value that the words around a claim belong to, where it clearly is another one.

    `read` are the sources, each with what the claim's reader found in it.
    """
    texts = [(source, values) for source, values in read if values]
    every = [value for _, values in texts for value in values]
    around.compared += len(every)
    is_possible = around.compared <= _MOST_COMPARED
    if not is_possible or not any(_is_rival(claim, it) for it in every):
        return None
    words = around.of_claim(claim)
    same: list[Context] = []
    others: dict[Hashable, list[Placed]] = {}
    for source, values in texts:
        contexts = around.of_source(claim.reader, source, values)
        for value, context in zip(values, contexts, strict=True):
            if says_the_same(claim.value, value):
                same.append(context)
            elif not words.keys().isdisjoint(context) and _may_be(claim, value, source, values):
                others.setdefault(value.key, []).append(Placed(Place(source, value), context))
    if not same:
        return None
    beside = {key: it for key, it in others.items() if _are_pairs(claim, key, texts)}
    best = _better_fitting(words, same, beside, around.rarity)
    least = _CLEAR_OF.get(claim.reader.kind, _CLEAR)
    return best.place if best and best.clear >= least else None


def _may_be(claim: Claim, value: Value, source: Source, values: Sequence[Value]) -> bool:
    """Return True for a value of a source that a claim might be in place of its own."""
    if not _is_rival(claim, value) or _is_other_end(claim, value, source, values):
        return False
    return claim.reader.claims(Place(source, value).words)


def _is_other_end(claim: Claim, value: Value, source: Source, values: Sequence[Value]) -> bool:
    """Return True for the other end of the span that a claimed day or time begins or ends."""
    if claim.reader.kind not in {"date", "time"}:
        return False
    return any(
        says_the_same(claim.value, it) and _are_joined(source.text, it, value) for it in values
    )


def _are_joined(text: str, one: Value, other: Value) -> bool:
    first, last = sorted((one, other), key=lambda it: it.start)
    between = text[first.end : last.start]
    return len(between) <= _JOINED and not regex.search(r"[\d.;\n]", between)


def _are_pairs(
    claim: Claim, other: Hashable, texts: Sequence[tuple[Source, Sequence[Value]]]
) -> bool:
    """Return True if each text that has a claim has the other value right beside it."""
    for source, values in texts:
        theirs = [it for it in values if it.key == other and it.end > it.start]
        for own in values:
            if says_the_same(claim.value, own) and not any(
                abs(own.start - it.start) <= _PAIR and "\n\n" not in _between(source.text, own, it)
                for it in theirs
            ):
                return False
    return True


def _between(text: str, one: Value, other: Value) -> str:
    first, last = sorted((one, other), key=lambda it: it.start)
    return text[first.end : last.start]


def _better_fitting(
    claim: Context, same: Sequence[Context], others: Mapping[Hashable, Sequence[Placed]],
    rarity: Callable[[str], float],
) -> Better | None:  # fmt: skip
    """Return the value that most of a claim's words belong to, and how many more than its own."""
    own = merged(same)
    best: Better | None = None
    most = 0.0
    for placed in others.values():
        other = merged([one.context for one in placed])
        theirs, ours = fit(claim, other, own, rarity), fit(claim, own, other, rarity)
        sorts = {_sort(word) for word in claim if _is_rather_of(other, own, word)}
        is_named = any(
            weight >= _OWN and _is_rather_of(own, other, word) and _sort(word) in sorts
            for word, weight in own.items()
        )
        if is_named and theirs >= _TIMES * ours and theirs - ours > most:
            best = Better(max(placed, key=lambda it: fit(claim, it.context, own)).place, theirs)
            most = theirs - ours
    return best


def _is_rather_of(one: Context, other: Context, word: str) -> bool:
    """Return True if a word belongs to one value clearly more than to another."""
    return one.get(word, 0.0) - other.get(word, 0.0) >= _RATHER


def find_fitting(
    claim: Claim, read: Iterable[tuple[Source, Sequence[Value]]], around: Surroundings
) -> Place | None:
    """Return the value that the words around a claim belong to, and clearly to no other.

    For what no source has: where of two values each has as many of them, neither was meant.
    """
    texts = [(source, values) for source, values in read if values]
    around.compared += sum(len(values) for _, values in texts)
    if around.compared > _MOST_COMPARED:
        return None
    words = around.of_claim(claim)
    placed: dict[Hashable, list[Placed]] = {}
    for source, values in texts:
        contexts = around.of_source(claim.reader, source, values)
        for value, context in zip(values, contexts, strict=True):
            if _is_rival(claim, value) and not words.keys().isdisjoint(context):
                placed.setdefault(value.key, []).append(Placed(Place(source, value), context))
    scored = sorted(
        ((fit(words, merged([it.context for it in those]), {}), those[0].place)
         for those in placed.values()),
        key=lambda it: -it[0],
    )  # fmt: skip
    if not scored or scored[0][0] < _FITTING:
        return None
    is_clear = len(scored) == 1 or scored[0][0] >= _TIMES * scored[1][0]
    return scored[0][1] if is_clear else None


def _sort(word: str) -> str:
    """Return what kind of word it is: of two things called by a number each has one."""
    if word in _day_words():
        return "day"
    return "number" if is_identifier(word) else "word"


def says_the_same(claim: Value, other: Value) -> bool:
    """Return True if a claim says what another value does; of a name, a part is enough."""
    one, two = claim.key, other.key
    if type(one) is tuple and type(two) is tuple:
        return set(one) <= set(two)
    return one == two


def _is_rival(claim: Claim, other: Value) -> bool:
    """Return True for another value that the text writes out, and which the claim might be."""
    if other.end <= other.start or says_the_same(claim.value, other):
        return False
    if claim.reader.kind == "phone" and not other.is_sure:
        return False
    return claim.reader.is_alike(claim.value.key, other.key)


def _said_by(reader: Reader) -> frozenset[str]:
    """Return words that say what values of a kind say already: the weekday beside a date."""
    return _said_by_kind(reader.kind)


@cache
def _said_by_kind(kind: str) -> frozenset[str]:
    if kind in {"date", "weekday"}:
        return _day_words() | _between_days()
    return _CURRENCIES


@cache
def _day_words() -> frozenset[str]:
    return token_keys([*weekdays(), *months()])


@cache
def _between_days() -> frozenset[str]:
    """Return what stands between two days and tells neither: "until", "to"."""
    words = (f"{it.calendar.ranges} {it.calendar.joints}" for it in languages())
    return token_keys(word for line in words for word in regex.findall(r"\p{L}{3,}", line))
