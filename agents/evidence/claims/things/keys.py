"""Values that belong to another number: of two invoices the other's total; pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from agents.evidence.claims.records import Claim, Mark, Place, Reader, Source, Value
from agents.evidence.claims.things.segments import segment_of
from inbox.languages import lazy_regex

Found: TypeAlias = Callable[[Claim], Sequence[Place]]
Places: TypeAlias = Callable[[Reader, Iterable[Source]], Sequence[Place]]

# Letters and digits by which a thing is known: `INV-2041`, `WG-90`, `AR-2026-0213`, `D-2207-B`.
_KEY = lazy_regex(
    r"(?<![\p{L}\d@/.-])(?P<prefix>\p{Lu}{1,6})[-/ ]?\d[\d]*(?:[-/][\p{Lu}\d]{1,8}){0,3}"
    r"(?![\p{L}\d@]|[.,:]\d|-\p{L}{2})"
)
_JOINTS = lazy_regex(r"[-/ ]")
# So far behind a number a value is still of it, in a paragraph of its own or below a heading.
_FURTHEST = 400
_MOST_TEXTS = 1024
# A date stands beside many numbers: only one sentence of a source tells whose it is.
_STRICT = frozenset({"date", "percentage"})
_KINDS = frozenset({"amount", "quantity", "code"}) | _STRICT


class Key(NamedTuple):
    """A number of a text: what it begins with, which it is, and where it stands."""

    prefix: str
    name: str
    start: int
    end: int


def check_keys(
    claims: Sequence[Claim], sources: Sequence[Source], found: Found, places: Places
) -> Iterator[Mark]:
    """Yield a mark for each value that sources have of another number than the message has it of.

    `found` returns where the sources have a claim, `places` all that a reader finds in some.
    """
    sought = _Sought(claims, sources, places)
    for claim in claims:
        is_one = claim.reader.kind in _KINDS and claim.part == "body"
        alike = [it.value for it in claims if it.reader is claim.reader and it.part == claim.part]
        beside = _own(_beside(claim.text, claim.value), claim.value, alike) if is_one else []
        if not beside or not (own := found(claim)):
            continue
        names = {it.name for it in beside}
        if any(names & set(nearest_keys(one).values()) for one in own):
            continue
        key = min(beside, key=lambda it: _way(it, claim.value))
        if rival := sought.rival(claim, key, own):
            yield _differs(claim, rival)


def nearest_keys(place: Place) -> dict[str, str]:
    """Return the number of each make that stands nearest to a value, in its own segment."""
    found: dict[str, str] = {}
    for key in sorted(_around(place), key=lambda it: _way(it, place.value)):
        found.setdefault(key.prefix, key.name)
    return found


def is_of_key(claim: Claim, own: Iterable[Place]) -> bool:
    """Return True if a source has a claim of the number that the message has it of."""
    beside = _beside(claim.text, claim.value)
    if not beside:
        return False
    key = min(beside, key=lambda it: _way(it, claim.value))
    return any(_key_of(one, key.prefix, is_strict=True) == key.name for one in own)


def _differs(claim: Claim, rival: Place) -> Mark:
    value = claim.value
    return Mark(
        claim.reader.kind, claim.part, claim.words, value.start, value.end, "differs",
        rival.words, (rival.cited,),
    )  # fmt: skip


@dataclass(frozen=True)
class _Sought:
    """The claims of a message, and what its values are looked for in."""

    claims: Sequence[Claim]
    sources: Sequence[Source]
    places: Places

    def rival(self, claim: Claim, key: Key, own: Sequence[Place]) -> Place | None:
        """Return the value that a number's own places have, where all of the claim's are another's.

        None of those that the message has as well.
        """
        is_strict = claim.reader.kind in _STRICT
        whose = {_key_of(one, key.prefix, is_strict=is_strict) for one in own}
        if key.name in whose or whose == {None}:
            return None
        texts = [one.source for one in own] if is_strict else self.sources
        named = [one for one in texts if any(it.name == key.name for it in keys_in(one.text))]
        said = {it.value.key for it in self.claims if it.reader is claim.reader}
        theirs = (
            one for one in self.places(claim.reader, named)
            if one.value.key not in said and one.value.end > one.value.start
            and claim.reader.is_alike(claim.value.key, one.value.key)
            and claim.reader.claims(one.words)
            and _key_of(one, key.prefix, is_strict=is_strict) == key.name
        )  # fmt: skip
        return next(theirs, None)


def _beside(text: str, value: Value) -> list[Key]:
    """Return the numbers in the same segment of a text as a value."""
    first, last = segment_of(text, value)
    return [
        it for it in keys_in(text)
        if first <= it.start < last and not (it.start < value.end and value.start < it.end)
    ]  # fmt: skip


def _own(keys: Sequence[Key], value: Value, alike: Sequence[Value]) -> list[Key]:
    """Return the numbers between which and a value none stands that is alike."""
    return [
        key for key in keys
        if not any(
            min(key.end, value.end) <= it.start and it.end <= max(key.start, value.start)
            for it in alike
        )
    ]  # fmt: skip


def _around(place: Place) -> list[Key]:
    return _beside(place.source.text, place.value)


def _key_of(place: Place, prefix: str, *, is_strict: bool) -> str | None:
    """Return the number of a make that a value of a source belongs to.

    In its own segment the nearest one; or else, unless it is strict, the last before it, or that of
    the whole text.
    """
    text, value = place.source.text, place.value
    beside = [it for it in _around(place) if it.prefix == prefix]
    if beside:
        return min(beside, key=lambda it: _way(it, value)).name
    if is_strict:
        return None
    keys = [it for it in keys_in(text) if it.prefix == prefix]
    before = [it for it in keys if it.end <= value.start and value.start - it.end <= _FURTHEST]
    if before:
        return before[-1].name
    names = {it.name for it in keys}
    return names.pop() if len(names) == 1 else None


def _way(key: Key, value: Value) -> int:
    """Return how far a number is from a value; what stands behind is further."""
    return value.start - key.end if key.end <= value.start else 2 * (key.start - value.end)


@lru_cache(maxsize=_MOST_TEXTS)
def keys_in(text: str) -> tuple[Key, ...]:
    """Return the numbers of a text by which things are known."""
    return tuple(
        Key(match["prefix"], _JOINTS.sub("", match[0]), *match.span())
        for match in _KEY.finditer(text)
    )
