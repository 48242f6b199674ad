"""Somebody of whom a message says what the sources say of somebody else; pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agents.evidence.claims.contexts import token_keys
from agents.evidence.claims.named.people import People
from agents.evidence.claims.named.sentences import (
    Sentence,
    most_shared,
    sentence_at,
    sentences_in,
    within,
)
from agents.evidence.claims.records import Mark, Place, ProposedMessage, Value
from agents.evidence.claims.rivals import Surroundings

# So much of what is said of somebody must be said of another, so many times as much, and such a
# share of the sentence.
_CLEAR, _TIMES, _SHARE = 2.0, 1.8, 0.35


class _Naming(NamedTuple):
    """A sentence of a source that somebody says, or somebody is named in."""

    sentence: Sentence
    mentions: Sequence[Value]
    who: frozenset[object]


def check_doers(
    proposed: ProposedMessage, body: str, said: Sequence[Sentence], people: People,
    around: Surroundings,
) -> Iterator[Mark]:  # fmt: skip
    """Yield a mark for each name in a sentence that the sources have of somebody else.

    `said` are the sentences of the sources.
    """
    mentions = people.mentions(body)
    apart = {it.key for it in mentions} | _themselves(people, proposed)
    claims = [it for it in mentions if it.key in people.sure - _themselves(people, proposed)]
    if not claims:
        return
    namings = list(_namings(said, people))
    own = sentences_in(body, proposed.language, around)
    marked: set[int] = set()
    for claim in claims:
        sentence = sentence_at(own, claim.start)
        if sentence is None or sentence.start in marked:
            continue
        words = sentence.words - token_keys(body[claim.start : claim.end].split())
        place = _other(claim, words, namings, people.sure - apart, around)
        if place is not None:
            marked.add(sentence.start)
            yield Mark(
                "name", "body", body[claim.start : claim.end], claim.start, claim.end, "differs",
                place.words, (place.cited,),
            )  # fmt: skip


def _themselves(people: People, proposed: ProposedMessage) -> set[object]:
    """Return whoever writes the message and reads it."""
    named = [*proposed.greeted, *([proposed.sender] if proposed.sender else [])]
    return {it.key for one in named for it in people.mentions(one.name, is_name=True)}


def _namings(said: Sequence[Sentence], people: People) -> Iterator[_Naming]:
    """Yield the sentences that are somebody's, or name anybody."""
    mentions: dict[int, list[Value]] = {}
    writers: dict[int, frozenset[object]] = defaultdict(frozenset)
    for sentence in said:
        source = sentence.source
        if source is None:
            continue
        if id(source) not in mentions:
            mentions[id(source)] = people.mentions(source.text)
            name = source.people[0].name if source.people else ""
            found = people.mentions(name, is_name=True)
            writers[id(source)] = frozenset(it.key for it in found)
        inside = [it for it in mentions[id(source)] if within(sentence, it.start)]
        who = writers[id(source)] | {it.key for it in inside}
        if who:
            yield _Naming(sentence, inside, who)


def _other(
    claim: Value, words: frozenset[str], namings: Sequence[_Naming], others: set[object],
    around: Surroundings,
) -> Place | None:  # fmt: skip
    """Return where the sources say of one of others what a sentence says of somebody."""
    own, _ = most_shared(words, (it.sentence for it in namings if claim.key in it.who), around)
    theirs = {
        id(it.sentence): it for it in namings
        if claim.key not in it.who and any(one.key in others for one in it.mentions)
    }  # fmt: skip
    most, best = most_shared(words, (it.sentence for it in theirs.values()), around)
    least = max(_CLEAR, _TIMES * own, _SHARE * sum(map(around.rarity, words)))
    if best is None or best.source is None or most < least:
        return None
    naming = theirs[id(best)]
    return Place(best.source, next(it for it in naming.mentions if it.key in others))
