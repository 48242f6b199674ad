"""Values that a newer message of the same thread tells otherwise, whoever wrote it; pure.

"I must move the viewing to Tuesday, 15 December": whoever writes of the 12th has missed it.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from datetime import date, time
from decimal import Decimal

import regex

from agents.evidence.claims.contexts import Context
from agents.evidence.claims.readers.figures import Money
from agents.evidence.claims.records import Claim, Mark, Place, Source
from agents.evidence.claims.sentences import sentence_around
from agents.evidence.claims.things.newer import Texts
from agents.evidence.claims.wording.replaced import is_taken_back
from inbox.languages import any_of, lazy_regex

_KINDS = frozenset({"amount", "quantity", "percentage", "time", "date"})
_CHANGES = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.changes)})(?!\p{{L}})",
    regex.IGNORECASE,
)
_NUMBER = lazy_regex(r"\d+(?:[.,]\d+)?")
# So much of the words beside the older value, and beside the claim, stand beside the newer one.
_LEAST, _TOGETHER = 0.3, 1.3
# What is told otherwise stays of the same size.
_MOST_TIMES = 3


def check_moved(
    claims: Sequence[Claim], texts: Texts, words_of: Callable[[Claim], Context],
    is_reckoned: Callable[[Claim], bool],
) -> Iterator[Mark]:  # fmt: skip
    """Yield a mark for each value that the thread has told otherwise since, in words that say so.

    `words_of` returns the words that belong to a claim; `is_reckoned` says whether the message
    works a value out itself. What our calendar has as well is not marked.
    """
    for claim in claims:
        if claim.reader.kind not in _KINDS or claim.part != "body" or is_reckoned(claim):
            continue
        own = texts.found(claim)
        told = [it for it in own if it.source.type == "message" and _is_told(it)]
        if not told or any(_is_kept(claim, it, texts, words_of(claim)) for it in own):
            continue
        said = {it.value.key for it in claims if it.reader is claim.reader}
        if rival := _told_since(claim, told, texts, words_of(claim), said):
            start, end = claim.value.start, claim.value.end
            yield Mark(
                claim.reader.kind, "body", claim.words, start, end, "differs", rival.words,
                (rival.cited,),
            )  # fmt: skip


def _is_told(place: Place) -> bool:
    """Return True for a value that a text writes, and does not take back: "rather than 18:00"."""
    start, end = place.value.start, place.value.end
    return end > start and not is_taken_back(place.source.text, start, end)


def _is_kept(claim: Claim, place: Place, texts: Texts, words: Context) -> bool:
    """Return True for a value of the goal or of an event; a day's event has words of the claim."""
    if place.source.type != "event" or claim.reader.kind != "date":
        return place.source.type in {"goal", "event"}
    values = texts.values(claim, place.source)
    return any(_shared(words, it, texts.rarity) > 0 for one, it in values if one == place.value)


def _told_since(
    claim: Claim, told: Sequence[Place], texts: Texts, words: Context, said: Collection[Hashable]
) -> Place | None:
    """Return the value that a message newer than all that have a claim's own tells in its place."""
    last = max(_when(it.source) for it in told)
    threads = {it.source.thread for it in told}
    beside = [
        context for one in told for value, context in texts.values(claim, one.source)
        if value == one.value
    ]  # fmt: skip
    best, most = None, _TOGETHER
    for source in texts.sources:
        if source.type != "message" or source.thread not in threads or _when(source) <= last:
            continue
        for value, context in texts.values(claim, source):
            place = Place(source, value)
            if value.key in said or not _may_follow(claim, place):
                continue
            older = max((_shared(it, context, texts.rarity) for it in beside), default=0.0)
            own = _shared(words, context, texts.rarity)
            if min(older, own) >= _LEAST and older + own >= most:
                best, most = place, older + own
    return best


def _may_follow(claim: Claim, place: Place) -> bool:
    """Return True for a value of the kind and size of a claim, in a sentence that changes."""
    source, value = place.source, place.value
    if not _is_told(place) or not claim.reader.is_alike(claim.value.key, value.key):
        return False
    if not claim.reader.claims(place.words) or not _is_of_size(claim, place):
        return False
    return _CHANGES.search(sentence_around(source.text, value.start, value.end)) is not None


def _is_of_size(claim: Claim, place: Place) -> bool:
    if isinstance(claim.value.key, date | time):
        return True
    one, other = _size(claim.value.key, claim.words), _size(place.value.key, place.words)
    if not one or not other:
        return True
    return max(one, other) <= _MOST_TIMES * min(one, other)


def _size(key: Hashable, written: str) -> Decimal:
    if isinstance(key, Money):
        return key.value
    number = _NUMBER.search(written)
    return Decimal(number[0].replace(",", ".")) if number else Decimal(1)


def _when(source: Source) -> tuple[date, str]:
    return source.written_on, str(source.at or "")


def _shared(one: Context, other: Context, rarity: Callable[[str], float]) -> float:
    """Return how much of the words beside one value stands beside another."""
    return sum(
        min(weight, other[word]) * rarity(word)
        for word, weight in one.items() if word in other and not word.isdigit()
    )  # fmt: skip
