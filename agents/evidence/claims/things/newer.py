"""Values that a newer text has otherwise: the price before it was lowered; pure."""

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from agents.evidence.claims.contexts import Context
from agents.evidence.claims.records import Claim, Mark, Place, Source, Value
from agents.evidence.claims.things.keys import nearest_keys
from agents.evidence.claims.things.segments import segment_of
from inbox.languages import lazy_regex

Found: TypeAlias = Callable[[Claim], Sequence[Place]]
Values: TypeAlias = Callable[[Claim, Source], Sequence[tuple[Value, Context]]]

_KINDS = frozenset({"amount", "quantity", "percentage", "time", "date"})
# So much of the words around an older value must stand around the newer one.
_LEAST = 0.75
# A day or a time stands beside words of anything.
_LEAST_OF = {"time": 1.6, "date": 1.6}
_BESIDE = 0.6
# A sentence with the same words up to the value says it of the same.
_SAME_SENTENCE = 2.0
_NUMBER = lazy_regex(r"\d[\d.,'’ \u00a0]*\d|\d")
_KEY_LETTER = lazy_regex(r"(?<=\d)-\p{Lu}(?!\p{L})")
# What tells versions of a file apart.
_VERSION = lazy_regex(
    r"(?i)(?<![\p{L}])(?:v|ver|rev|version|fassung)[-_. ]?[\p{L}\d]{1,3}(?![\p{L}])"
)


@dataclass(frozen=True)
class Texts:
    """The sources of a message, and how they are read.

    `values` returns what a source has of a claim's kind, each with the words that belong to it.
    """

    sources: Sequence[Source]
    found: Found
    values: Values
    rarity: Callable[[str], float]


def check_newer(
    claims: Sequence[Claim], texts: Texts, is_reckoned: Callable[[Claim], bool]
) -> Iterator[Mark]:
    """Yield a mark for each value that its own writer, or the file's next version, has changed.

    `is_reckoned` says whether a message works a value out itself.
    """
    for claim in claims:
        if claim.reader.kind not in _KINDS or claim.part != "body" or is_reckoned(claim):
            continue
        own = texts.found(claim)
        if not own or any(one.source.type not in {"message", "file"} for one in own):
            continue
        one = max(own, key=lambda it: it.source.written_on)
        newer = [it for it in texts.sources if _is_next(one.source, it)]
        if any(place.source is it for place in own for it in newer):
            continue
        said = {it.value.key for it in claims if it.reader is claim.reader}
        if rival := _changed(claim, one, newer, texts, said):
            value = claim.value
            yield Mark(
                claim.reader.kind, "body", claim.words, value.start, value.end, "differs",
                rival.words, (rival.cited,),
            )  # fmt: skip


def _is_next(one: Source, other: Source) -> bool:
    """Return True if a text is a later one of the same writer or thread, or a later version."""
    if one is other or one.type != other.type:
        return False
    if one.type == "file":
        first, second = (it.text.partition("\n")[0] for it in (one, other))
        is_version = _VERSION.sub("", first) == _VERSION.sub("", second) and first != second
        return is_version and other.written_on >= one.written_on
    is_of_it = (bool(one.by) and one.by == other.by) and one.thread == other.thread
    return is_of_it and (other.written_on, str(other.at)) > (one.written_on, str(one.at))


def _changed(
    claim: Claim, own: Place, newer: Sequence[Source], texts: Texts, said: Collection[Hashable]
) -> Place | None:
    """Return what a newer text says in the words in which the older one has a value."""
    there = list(texts.values(claim, own.source))
    words = next((context for it, context in there if it == own.value), {})
    known = {it.key for it, _ in there} | {*said}
    best, most = None, _LEAST_OF.get(claim.reader.kind, _LEAST)
    for source in newer:
        for value, context in texts.values(claim, source):
            place = Place(source, value)
            if value.key in known or not _may_follow(claim, own, place):
                continue
            like = _likeness(words, context, texts.rarity)
            like += _SAME_SENTENCE if _template(own) == _template(place) else 0
            if like >= most:
                best, most = place, like
    return best


def _may_follow(claim: Claim, own: Place, place: Place) -> bool:
    """Return True for a value of the same kind, and of no other number."""
    value = place.value
    if value.end <= value.start or not claim.reader.is_alike(own.value.key, value.key):
        return False
    keys, theirs = nearest_keys(own), nearest_keys(place)
    if any(not _is_version(keys[it], theirs[it]) for it in keys.keys() & theirs.keys()):
        return False
    return claim.reader.claims(place.words)


def _is_version(one: str, other: str) -> bool:
    """Return True for one number, or one with a letter behind: `D-2207` and `D-2207-B`."""
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter) and not longer[len(shorter) :].isdigit()


def _template(place: Place) -> str:
    """Return the words of the segment before a value, with a mark for each number."""
    first, _ = segment_of(place.source.text, place.value)
    before = _KEY_LETTER.sub("", place.source.text[first : place.value.start])
    return " ".join(_NUMBER.sub("#", before).casefold().split())


def _likeness(one: Context, other: Context, rarity: Callable[[str], float]) -> float:
    """Return how much of the words beside one value stands beside another."""
    return sum(
        weight * other[word] * rarity(word)
        for word, weight in one.items()
        if weight >= _BESIDE and other.get(word, 0.0) >= _BESIDE and not word.isdigit()
    )  # fmt: skip
