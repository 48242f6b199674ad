"""Rooms, gates, houses and floors beside which the sources name others; pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache

import regex

from agents.evidence.claims.contexts import token_keys
from agents.evidence.claims.distance import plain
from agents.evidence.claims.named.sentences import (
    Sentence,
    most_shared,
    sentence_at,
    sentences_in,
    within,
)
from agents.evidence.claims.records import Mark, Place, Source, Value
from agents.evidence.claims.rivals import Surroundings
from agents.evidence.claims.words import small_words
from inbox.extract.readers.calendar_words import months, weekdays
from inbox.languages import any_of, language, lazy_regex

_LETTER = r"\p{Lu}(?![\p{L}\d'’.-])"
_NUMBER = r"\p{Lu}?\d{1,4}(?:\.\d{1,3})?[a-z]?(?![\p{L}\d:]|[.,]\d)"
_NAME = r"\p{Lu}[\p{L}\p{M}'’-]{2,24}"
# Behind what it is: "room C214", "Gate B", "sala Ponent"; two words with a capital: "Mas Roure".
_BEHIND = lazy_regex(
    lambda: (
        rf"(?<![\p{{L}}\d])(?:(?P<head>(?i:{any_of(lambda it: it.claims.places)}))"
        rf"[ ](?:(?i:nr|no|n\.?º)\.?[ ])?(?P<token>{_LETTER}|{_NUMBER}|{_NAME})"
        rf"|(?P<one>{_NAME})[ ](?P<two>{_NAME}))"
    )
)
_FLOOR = lazy_regex(
    lambda: (
        r"(?<![\p{L}\d.,])(?:(?P<number>\d{1,2})(?:\.|º|ª|°|\p{L}{1,3})?[ ]?"
        rf"(?:{any_of(lambda it: it.claims.floors)})(?!\p{{L}})"
        rf"|(?:{any_of(lambda it: it.claims.floors)})[ ](?P<number>\d{{1,2}})(?![\d.,:]))"
    ),
    regex.IGNORECASE,
)
_STREET = lazy_regex(
    lambda: (
        rf"(?<![\p{{L}}\d])(?:(?P<street>(?i:{any_of(lambda it: it.claims.streets)})),?[ ]"
        r"(?P<number>\d{1,4}[a-z]?)(?![\p{L}\d%€]|[.,:/-]\d|\.[ ]\p{L})"
        rf"|(?<![\d.,:]|\d[ ])(?P<number>\d{{1,4}}[a-z]?),?[ ]"
        rf"(?P<street>(?i:{any_of(lambda it: it.claims.streets_behind)})))(?!\p{{L}})"
    )
)
_JOINT = lazy_regex(r",?[ ]")
# So much of what is said of a place must be said of another, and so many times as much.
_CLEAR, _TIMES = 1.2, 1.8
# What stands before a word that a line or a sentence begins with.
_BEGINS, _BEGIN = lazy_regex(r"(?:^|[\n.:!?¡¿(])[\s\"'«„*-]{0,4}$"), 6
_MOST_TEXTS = 1024
_STEM, _SHORTEST = 6, 3


def check_places(
    body: str, code: str, said: Sequence[Sentence], around: Surroundings,
) -> Iterator[Mark]:  # fmt: skip
    """Yield a mark for each place in a sentence that the sources have of another of its kind.

    `said` are the sentences of the sources.
    """
    sources = {id(it.source): it.source for it in said if it.source}
    yield from _houses(body, list(sources.values()))
    claims = read_places(body, code)
    if not claims:
        return
    places = {key: read_places(one.text, one.language or code) for key, one in sources.items()}
    own = sentences_in(body, code, around)
    for claim in claims:
        sentence = sentence_at(own, claim.start)
        named = {it.key for it in claims}
        start, end = claim.start, claim.end
        apart = token_keys(body[start:end].split())
        if sentence and (
            place := _other(claim, sentence, said, places, named=named, apart=apart, around=around)
        ):
            yield Mark(
                "code", "body", body[start:end], start, end, "differs", place.words, (place.cited,)
            )


def _houses(body: str, sources: Sequence[Source]) -> Iterator[Mark]:
    """Yield a mark for each house of a street of which the sources have other numbers alone."""
    claims = _read_houses(body)
    if not claims:
        return
    found = [Place(one, it) for one in sources for it in _read_houses(one.text)]
    for claim in claims:
        assert isinstance(claim.key, tuple)  # noqa: S101
        others = [it for it in found if _kind(it.value) == _kind(claim)]
        words = body[claim.start : claim.end]
        if others and not _is_written(words, sources):
            place = others[0]
            yield Mark(
                "code", "body", words, claim.start, claim.end, "differs", place.words,
                (place.cited,),
            )  # fmt: skip


def _is_written(words: str, sources: Sequence[Source]) -> bool:
    """Return True if a source has a house as it is written, with a comma or without."""
    parts = r",?[ ]".join(map(regex.escape, _JOINT.split(words)))
    written = regex.compile(rf"{parts}(?![\p{{L}}\d])", regex.IGNORECASE)
    return any(written.search(one.text) for one in sources)


@lru_cache(maxsize=_MOST_TEXTS)
def _read_houses(text: str) -> tuple[Value, ...]:
    return tuple(
        Value((plain(match["street"]).strip(), match["number"].lower()), *match.span())
        for match in _STREET.finditer(text)
        if plain(match["street"].split()[-1]) not in _day_words()
    )


@cache
def _day_words() -> frozenset[str]:
    return frozenset(map(plain, (*months(), *weekdays())))


def _kind(value: Value) -> object:
    """Return what a place is, or the street of a house."""
    assert isinstance(value.key, tuple)  # noqa: S101
    return value.key[0]


@lru_cache(maxsize=_MOST_TEXTS)
def read_places(text: str, code: str) -> tuple[Value, ...]:
    """Return the places of a text in a language; the key is what it is, and which."""
    found, known, small = [], language(code), small_words(code)
    is_name = not (known and known.claims.capitalised)
    for match in _BEHIND.finditer(text):
        if match["head"]:
            found.append(Value((_stem(match["head"]), plain(match["token"])), *match.span()))
        elif is_name and not (
            plain(match["one"]) in small
            and _BEGINS.search(text[max(0, match.start() - _BEGIN) : match.start()])
        ):
            found.append(Value((plain(match["one"]), plain(match["two"])), *match.span()))
    floors = (Value(("floor", it["number"]), *it.span()) for it in _FLOOR.finditer(text))
    return (*found, *floors)


@cache
def _stem(head: str) -> str:
    return plain(head)[:_STEM]


def _has_name(sentence: Sentence, token: str) -> bool:
    """Return True if a sentence has the name of a place, without what it is."""
    return (
        token.isalpha() and len(token) >= _SHORTEST and bool(token_keys([token]) & sentence.words)
    )


def _other(
    claim: Value, sentence: Sentence, said: Sequence[Sentence],
    places: Mapping[int, Sequence[Value]], *, named: Collection[object],
    apart: frozenset[str], around: Surroundings,
) -> Place | None:  # fmt: skip
    """Return where the sources have another place of a kind in a sentence about the same."""
    assert isinstance(claim.key, tuple)  # noqa: S101
    token = str(claim.key[1])
    own: list[Sentence] = []
    others: dict[int, Place] = {}
    for one in said:
        if one.source is None:
            continue
        inside = [it for it in places[id(one.source)] if within(one, it.start)]
        if any(it.key == claim.key for it in inside) or _has_name(one, token):
            own.append(one)
            continue
        for it in inside:
            if _kind(it) == _kind(claim) and it.key not in named:
                others.setdefault(id(one), Place(one.source, it))
    if not others:
        return None
    words = sentence.words - apart
    ours, _ = most_shared(words, own, around)
    most, best = most_shared(words, (it for it in said if id(it) in others), around)
    if best is None or most < max(_CLEAR, _TIMES * ours):
        return None
    return others[id(best)]
