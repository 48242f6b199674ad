"""Which memories answer a question, and how well."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from agents.models import Memory, MemoryWord
from agents.recall.index import COMMON, find_with
from agents.recall.related_words import related_to
from agents.recall.words import index_word, likeness, says_little, words_of
from inbox.actor import Actor

# What scores less has too little to do with the question, of which only those words count that
# some memory answers: a common one beside several rare ones.
LEAST_SCORE = 0.05
_MOST_WORDS = 16
_MOST_OTHERS = 48
# How much a word of the same field counts for, and one that is spelled alike.
_KIN, _ALIKE = 0.6, 0.85
_LEAST_LIKENESS = 0.55
_SCORED = 100
_COUNTED = 10_000
_LOOKED_AT = 1000
HEAD = 3


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory and how well it answers, from `LEAST_SCORE` to 1."""

    memory: Memory
    score: float


@dataclass(slots=True)
class _QueryWord:
    """A word of the question: by which stems it is answered, how well each; and its weight."""

    forms: dict[str, float]
    weight: float = 0.0


def search_memories(*, actor: Actor, query: str, limit: int) -> list[Recalled]:
    """Return the agent's memories that answer best, best first; of equals the newest first.

    The score is the share of the question's words that a memory has, by their rarity: as they
    stand, in another ending, spelled a little otherwise, or of the same field. A word that no
    memory has is no part of it. At most five queries, on PostgreSQL seven, whatever there is.
    """
    telling = (word for word in words_of(query) if not says_little(word))
    words = list(dict.fromkeys(telling))[:_MOST_WORDS]
    if not words:
        return []
    found = dict(zip(words, find_with(actor.id, [[word] for word in words]), strict=True))
    asked = {word: _QueryWord({word: 1.0}) for word in words}
    _add_others(actor, asked, [word for word in words if not found[word]])
    others = sorted({form for one in asked.values() for form in one.forms} - found.keys())
    groups = [[form] for form in others[:_MOST_OTHERS]]
    common = [word for word in words if len(found[word]) >= COMMON]
    *more, together = find_with(actor.id, [*groups, common or words])
    found |= dict(zip(others, more, strict=False))
    for word in common:
        # An older memory that has them all is not among the newest of any one of them.
        found[word] = list({*found[word], *together})
    _weigh(actor, asked, found)
    return _score(actor, asked, _best(asked, found), limit)


def _add_others(actor: Actor, asked: dict[str, _QueryWord], missing: Sequence[str]) -> None:
    """Give each word those of its field, and one that nothing has those that are spelled alike."""
    for word, one in asked.items():
        one.forms |= dict.fromkeys(related_to(word), _KIN)
    sought = [word for word in missing if len(word) > HEAD and word.isalpha()]
    if not sought:
        return
    heads, tails = {word[:HEAD] for word in sought}, {word[-HEAD:] for word in sought}
    near = MemoryWord.objects.filter(agent_id=actor.id).filter(
        Q(head__in=heads) | Q(tail__in=tails)
    )
    known = list(near.order_by("word").values_list("word", flat=True)[:_LOOKED_AT])
    for word in sought:
        alike = ((likeness(word, other), other) for other in known if other[0] == word[0])
        for share, other in sorted(alike, reverse=True)[:4]:
            if share >= _LEAST_LIKENESS:
                asked[word].forms[other] = max(asked[word].forms.get(other, 0.0), _ALIKE * share)


def _weigh(actor: Actor, asked: dict[str, _QueryWord], found: dict[str, list[int]]) -> None:
    """Weigh each word by its rarity: what every memory has tells nothing."""
    mine = Memory.objects.visible_to(actor).values("pk")
    total = mine[:_COUNTED].count()
    for word, one in asked.items():
        having = len(found.get(word, ())) or max(
            (len(found.get(form, ())) for form in one.forms), default=0
        )
        # What nothing has cannot tell one memory from another.
        one.weight = math.log(1 + (total + 1) / (having + 0.5)) if having else 0.0


def _best(asked: dict[str, _QueryWord], found: dict[str, list[int]]) -> list[int]:
    """Return the keys that are worth a closer look, by the words that brought them."""
    scores: dict[int, float] = {}
    for one in asked.values():
        best: dict[int, float] = {}
        for form, share in one.forms.items():
            for key in found.get(form, ()):
                best[key] = max(best.get(key, 0.0), share)
        for key, share in best.items():
            scores[key] = scores.get(key, 0.0) + one.weight * share
    return sorted(scores, key=lambda key: (scores[key], key), reverse=True)[:_SCORED]


def _score(
    actor: Actor, asked: dict[str, _QueryWord], keys: Sequence[int], limit: int
) -> list[Recalled]:
    whole = sum(one.weight for one in asked.values()) or 1.0
    rows = Memory.objects.visible_to(actor).filter(pk__in=keys)
    recalled = [Recalled(memory, round(_answer(memory, asked) / whole, 3)) for memory in rows]
    kept = [one for one in recalled if one.score >= LEAST_SCORE]
    return sorted(kept, key=lambda one: (-one.score, -one.memory.pk))[:limit]


def _answer(memory: Memory, asked: dict[str, _QueryWord]) -> float:
    there = set(memory.terms.split())
    return sum(
        one.weight
        * max((share for form, share in one.forms.items() if index_word(form) in there), default=0)
        for one in asked.values()
    )
