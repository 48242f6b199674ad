"""Which memories answer a question, and how well."""

import heapq
import math
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Any

from django.db.models import Q

from agents.models import Memory, MemoryWord
from agents.recall.forms import MOST_ENTRIES, forms_among, is_whole_word, may_be_forms, whole_words
from agents.recall.index import COMMON, find_with, is_whole
from agents.recall.meanings import add_meaning, near_memories
from agents.recall.questions import Question, has_phrases, read_question
from agents.recall.related_words import related_to
from agents.recall.saved_together import add_from_beside, find_beside
from agents.recall.words import HEAD, index_word, likeness, says_little, spellings, words_of
from inbox.actor import Actor
from inbox.rfc5322.text.language import detect_language

# A memory of a smaller score has too little to do with the question, by itself and by what was
# saved beside it. Measured on conversations of which each turn was saved: nothing that answered was
# below it and among the first ten.
LEAST_SCORE = 0.05
_MOST_TELLING, _MOST_LITTLE, _MOST_OTHERS = 24, 12, 48
# How much a word counts for that says little, one of the same field, and one spelled alike.
_LITTLE, _KIN, _ALIKE = 0.4, 0.6, 0.85
# That of a word with its umlauts not spelled out.
_SPELLED = 0.95
_LEAST_LIKENESS = 0.55
# Okapi BM25 (Robertson and Zaragoza 2009, 3.1), each word counted once; a long memory counts as
# one of so many times the average length at most.
_K1, _B, _LONGEST = 1.5, 0.75, 3.0
_SCORED = 200
# Beside so many of the best it is looked for what was saved with them.
_LOOKED_AROUND = 40
_COUNTED = 10_000
# Of so many common words each pair is looked for, since the newest of each may not have both.
_MOST_PAIRED = 4


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory and how well it answers, up to 1."""

    memory: Memory
    score: float


@dataclass(slots=True)
class _QueryWord:
    """A word of the question: by which stems it is answered, how well each; and its weight."""

    forms: dict[str, float]
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The words of the question, and the memories that are near it in meaning, by their cosines."""

    words: Mapping[str, _QueryWord]
    near: Mapping[int, float]


def search_memories(
    *, actor: Actor, query: str, limit: int, is_text: bool = False
) -> list[Recalled]:
    """Return the agent's memories that answer best, best first; of equals the newest first.

    They are ranked by BM25 over the question's words: as they stand, in another ending, spelled a
    little otherwise, or of the same field. A word that no memory has is no part of the question,
    and one of which only words that say little are left is about nothing here. What was saved just
    before or after something that answers counts for more, if it has a word of the question too.
    What has a phrase in quotation marks comes first, and operators are conditions
    (`agents.recall.questions`), but for what `is_text`; of nothing but these the newest are found.
    Where a model for it is on, what is near the question in meaning counts for more, and is found
    without a word of it. At most nine queries, on PostgreSQL eleven, with a model two more.
    DomainError names an operator that has a bad value.
    """
    question = read_question(actor, query, is_text=is_text)
    words = dict.fromkeys(words_of(question.words))
    if not words and not question.is_bare:
        return [Recalled(row, 1.0) for row in question.rows.order_by("-pk")[:limit]]
    near = near_memories(actor, question.words)
    telling = [word for word in words if not says_little(word)][:_MOST_TELLING]
    little = [word for word in words if says_little(word)][:_MOST_LITTLE]
    plain = [*telling, *little] if telling else []
    holds = question.holds()
    found = dict(zip(plain, find_with(actor.id, [[word] for word in plain], holds), strict=True))
    asked = {word: _QueryWord({word: 1.0}) for word in plain}
    _add_others(actor, asked, telling, found, question.words)
    together = _find_others(actor, asked, telling, found, holds)
    if not any(found.get(form) for word in telling for form in asked[word].forms):
        return _score(actor, _Wanted({}, near), [], limit, question) if near else []
    _weigh(actor, asked, found)
    best = _best(asked, found, together)
    return _score(actor, _Wanted(asked, near), best, limit, question)


def _add_others(
    actor: Actor,
    asked: Mapping[str, _QueryWord],
    telling: Sequence[str],
    found: Mapping[str, list[int]],
    text: str,
) -> None:
    """Give each word its other forms and those of its field, and one that nothing has those alike.

    `text` is the question, in which the words stand whole.
    """
    for word in telling:
        asked[word].forms |= dict.fromkeys(related_to(word), _KIN)
        asked[word].forms |= dict.fromkeys(spellings(word), _SPELLED)
    sought = [word for word in telling if not found[word] and len(word) > HEAD and word.isalpha()]
    whole = [word for word in whole_words(text) if not asked.keys().isdisjoint(words_of(word))]
    language = detect_language(text)
    heads, tails = {word[:HEAD] for word in sought}, {word[-HEAD:] for word in sought}
    wanted = Q(head__in=heads) | Q(tail__in=tails) | may_be_forms(whole, language)
    rows = MemoryWord.objects.filter(wanted, agent_id=actor.id).order_by("word")
    known = list(rows.values_list("word", flat=True)[:MOST_ENTRIES]) if sought or whole else []
    for word, others in forms_among(whole, known, language).items():
        if word in asked:
            _add_forms(asked[word], others)
    for word in sought:
        _add_forms(asked[word], _spelled_alike(word, known))


def _add_forms(one: _QueryWord, others: Mapping[str, float]) -> None:
    for form, share in others.items():
        one.forms[form] = max(one.forms.get(form, 0.0), share)


def _spelled_alike(word: str, known: Sequence[str]) -> dict[str, float]:
    """Return what is spelled nearly as this of the words that memories have."""
    near = (other for other in known if other[0] == word[0] and not is_whole_word(other))
    alike = sorted(((likeness(word, other), other) for other in near), reverse=True)
    return {other: _ALIKE * share for share, other in alike[:4] if share >= _LEAST_LIKENESS}


def _find_others(
    actor: Actor,
    asked: Mapping[str, _QueryWord],
    telling: Sequence[str],
    found: dict[str, list[int]],
    holds: tuple[str, Sequence[Any]],
) -> list[tuple[Sequence[str], list[int]]]:
    """Add what has the other forms; return what has several common words at once.

    The newest that have one of these need not have another.
    """
    shares: dict[str, float] = {}
    for one in asked.values():
        shares |= {form: max(share, shares.get(form, 0.0)) for form, share in one.forms.items()}
    others = sorted(shares.keys() - found.keys(), key=lambda form: (-shares[form], form))
    others = others[:_MOST_OTHERS]
    common = [word for word in telling if len(found[word]) >= COMMON]
    groups = [tuple(common), *combinations(common[:_MOST_PAIRED], 2)] if common else []
    more = find_with(actor.id, [*([form] for form in others), *groups], holds)
    found |= dict(zip(others, more, strict=False))
    return list(zip(groups, more[len(others) :], strict=True))


def _weigh(actor: Actor, asked: Mapping[str, _QueryWord], found: Mapping[str, list[int]]) -> None:
    """Weigh each word by its rarity: what every memory has tells nothing."""
    mine = Memory.objects.visible_to(actor).values_list("pk", flat=True)
    oldest = mine.order_by("pk").first() or 0
    newest = max(key for keys in found.values() for key in keys)
    total = mine[:_COUNTED].count()
    # There are so many at most; that all count for more does not change their order.
    total = total if total < _COUNTED else newest - oldest + 1
    for word, one in asked.items():
        lists = [found[word]] if found[word] else [found.get(form, []) for form in one.forms]
        having = max(_having(keys, oldest, newest) for keys in lists)
        little = _LITTLE if says_little(word) else 1.0
        rarity = math.log(1 + max(total - having + 0.5, 0.5) / (having + 0.5))
        # What nothing has cannot tell one memory from another.
        one.weight = little * rarity if having else 0.0


def _having(keys: Sequence[int], oldest: int, newest: int) -> float:
    """Return how many memories have a word, estimated where only the newest of them are known."""
    if is_whole(keys):
        return len(keys)
    return len(keys) * (newest - oldest + 1) / (newest - min(keys) + 1)


def _best(
    asked: Mapping[str, _QueryWord],
    found: Mapping[str, list[int]],
    together: Sequence[tuple[Sequence[str], list[int]]],
) -> list[int]:
    """Return the keys that are worth a closer look, by the words that brought them."""
    scores: dict[int, float] = {}
    for one in asked.values():
        best: dict[int, float] = {}
        for form, share in one.forms.items():
            for key in found.get(form, ()):
                best[key] = max(best.get(key, 0.0), share)
        for key, share in best.items():
            scores[key] = scores.get(key, 0.0) + one.weight * share
    for group, keys in together:
        least = sum(asked[word].weight for word in group)
        scores |= {key: max(scores.get(key, 0.0), least) for key in keys}
    return sorted(scores, key=lambda key: (scores[key], key), reverse=True)[:_SCORED]


def _score(
    actor: Actor, wanted: _Wanted, keys: Sequence[int], limit: int, question: Question
) -> list[Recalled]:
    asked, near = wanted.words, wanted.near
    texts = _read(question, {*keys, *near})
    by_words = [texts[key] for key in keys if key in texts]
    average = sum(len(text.words) for text in by_words) / max(len(by_words), 1)
    scores = _score_each(texts, asked, average)
    # What the agent may not recall now was not read.
    scores = add_meaning(scores, {key: near[key] for key in near if key in texts})
    beside = find_beside(actor, heapq.nlargest(_LOOKED_AROUND, scores, key=_by_score(scores)))
    more = {key for keys in beside.values() for key in keys if key is not None} - texts.keys()
    texts |= _read(question, more)
    scores |= _score_each({key: texts[key] for key in more & texts.keys()}, asked, average)
    saved = {key: text.saved_at for key, text in texts.items()}
    scores = add_from_beside(scores, beside, saved)
    scores = _raise_phrases(question, scores)
    best = heapq.nlargest(limit, scores, key=_by_score(scores))
    best = [key for key in best if scores[key] >= LEAST_SCORE]
    rows = Memory.objects.visible_to(actor).defer("terms").in_bulk(best)
    # One that a person deletes meanwhile is not there any more.
    return [Recalled(rows[key], round(min(scores[key], 1.0), 3)) for key in best if key in rows]


def _raise_phrases(question: Question, scores: Mapping[int, float]) -> dict[int, float]:
    """Return the scores, those of what has every phrase above all others; one query at most."""
    if not question.phrases:
        return dict(scores)
    texts = dict(question.rows.filter(pk__in=scores).values_list("pk", "content"))
    return {
        key: (1 + score) / 2 if has_phrases(texts.get(key, ""), question) else score / 2
        for key, score in scores.items()
    }


def _by_score(scores: Mapping[int, float]) -> Callable[[int], tuple[float, int]]:
    """Return what sorts keys by score, and those of the same by which is the newer."""
    return lambda key: (scores[key], key)


@dataclass(frozen=True, slots=True)
class _Text:
    """The words of a memory as the index has them, and when it was saved."""

    words: frozenset[str]
    saved_at: datetime


def _read(question: Question, keys: Collection[int]) -> dict[int, _Text]:
    rows = question.rows.filter(pk__in=keys)
    return {
        key: _Text(frozenset(terms.split()), saved_at)
        for key, terms, saved_at in rows.values_list("pk", "terms", "created_at")
    }


def _score_each(
    texts: Mapping[int, _Text], asked: Mapping[str, _QueryWord], average: float
) -> dict[int, float]:
    """Return the scores of those that have a word of the question, by BM25."""
    whole = sum(one.weight for one in asked.values())
    found: dict[int, float] = {}
    for key, text in texts.items() if whole else ():
        share = _answer(text.words, asked) / whole
        length = min(len(text.words) / average, _LONGEST)
        if share > 0:
            found[key] = share * (_K1 + 1) / (1 + _K1 * (1 - _B + _B * length))
    return found


def _answer(there: Set[str], asked: Mapping[str, _QueryWord]) -> float:
    return sum(
        one.weight
        * max((share for form, share in one.forms.items() if index_word(form) in there), default=0)
        for one in asked.values()
    )
