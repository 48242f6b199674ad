"""What the messages of a conversation say of each other: an answer is about what it answers.

As the words of a link tell what is behind it, those of an answer tell what it answers; and what is
looked for by its subject is, more often than not, what began the conversation. So a message gains
by the best of its answers that hit, a little by the others of its conversation, and a little by
having begun one.

Somebody who asks with a letter that is not here often has those that answer and quote it. They name
it, and what it answered in turn: that is looked for as well.
"""

# ruff: noqa: S608 (all that is put into SQL here are our own names and numbers)

import heapq
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from inbox.intake.threading import is_reply_subject, reference_key
from inbox.search.index import PLACE, Ranked, Span
from inbox.search.running import fetch_all

# So many of the best hits are looked at.
LOOKED_AT = 100
# Measured on two corpora of mail, see bench/RESULTS.md: what the best answer, the best other of the
# conversation, having begun it, and the best that quotes a missing answer to it count for.
_ANSWER, _OTHER, _BEGAN, _QUOTED = 0.8, 0.2, 0.3, 2.0
# An answer counts by the fourth power of how good it is beside the best hit: one that hits a
# little says nothing of what it answers.
_SHARPNESS = 4
# Where a whole message is asked with, what has all of it is that message or quotes it; what has a
# part of it says less.
_PART_OF_MESSAGE = 0.05
# Of so many of the best it is asked what they answer, and so many ids back what is missing.
_MOST_ANSWERED, _MOST_FOLLOWED = 20, 4
# Characters of ids of one message, as JSON; of a longer list only what it answers is known.
_LONGEST_NAMED = 20_000


@dataclass(frozen=True, slots=True)
class _Quoted:
    """How good the best hit is that quotes a missing answer to a message; if it has every term."""

    has_all: bool = False
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class _Told:
    """Messages that join the hits without a word of the query; by their keys what quotes tell."""

    joining: Sequence[Ranked] = ()
    quoted: Mapping[str, _Quoted] = field(default_factory=dict)


def weigh_conversations(
    span: Span, ranked: Sequence[Ranked], *, is_whole_message: bool
) -> list[Ranked]:
    """Return the hits in the order in which their conversations put them; two queries at most.

    Those that have every term stay first. Where a whole message was asked with, what its nearest
    answers answer joins them though it has none of the words; what is quoted with all of them by
    an answer to a missing one is first as well.
    """
    head, tail = list(ranked[:LOOKED_AT]), ranked[LOOKED_AT:]
    if not head:
        return []
    sharp = _sharpen(head, _PART_OF_MESSAGE if is_whole_message else 1.0)
    answered = {one.key: reference_key(one.answered) for one in head}
    handed_on = _hand_on(answered, sharp)
    told = _find_told(span, head, handed_on) if is_whole_message else _Told()
    answered |= {one.key: reference_key(one.answered) for one in told.joining}
    head += told.joining
    others = _best_others(head, sharp)
    own_keys = {one.own_key for one in head} - {""}
    weighed = []
    for one in head:
        other = others[one.key]
        quoted = told.quoted.get(one.own_key, _Quoted())
        score = one.score + _ANSWER * handed_on.get(one.own_key, 0.0) + _OTHER * other
        score += _QUOTED * quoted.score
        # What answers none of these, as what names a message that nobody here has, may begin.
        may_begin = answered[one.key] not in own_keys
        if may_begin and not is_reply_subject(one.subject):
            score += _BEGAN * (one.score + other)
        weighed.append(Ranked(one.key, score, one.has_all or quoted.has_all))
    weighed.sort(key=lambda one: (one.has_all, one.score, one.key), reverse=True)
    return [*weighed, *tail]


def _sharpen(head: Sequence[Ranked], part: float) -> dict[int, float]:
    """Return by key how much each says of the others; `part` is what having not all counts for."""
    top = max(one.score for one in head)
    return {
        one.key: one.score * (one.score / top) ** _SHARPNESS * (1 if one.has_all else part)
        for one in head
    }


def _hand_on(answered: Mapping[int, str], sharp: Mapping[int, float]) -> dict[str, float]:
    """Return by the key of a Message-ID what the best answer to that message hands on to it."""
    handed_on: dict[str, float] = {}
    for key, named in answered.items():
        if named:
            handed_on[named] = max(handed_on.get(named, 0.0), sharp[key])
    return handed_on


def _best_others(head: Sequence[Ranked], sharp: Mapping[int, float]) -> dict[int, float]:
    """Return for each how good the best other hit of its conversation is; 0 where there is none."""
    threads: dict[int, list[tuple[float, int]]] = {}
    for one in head:
        threads.setdefault(one.thread, []).append((sharp.get(one.key, 0.0), one.key))
    best = {thread: sorted(found, reverse=True)[:2] for thread, found in threads.items()}
    return {
        one.key: next((score for score, key in best[one.thread] if key != one.key), 0.0)
        for one in head
    }


def _find_told(span: Span, head: Sequence[Ranked], handed_on: Mapping[str, float]) -> _Told:
    """Return what hits tell of the messages that they answer; two queries.

    `handed_on` has by their keys those that answers of ours name, and how much these count.
    """
    top = max(one.score for one in head)
    best = heapq.nlargest(_MOST_ANSWERED, head, key=lambda one: (one.has_all, one.score))
    answered = heapq.nlargest(_MOST_ANSWERED, handed_on, key=handed_on.__getitem__)
    named = _named_by(best)
    there = _look_up(span, {*answered, *(key for keys in named.values() for key in keys)})
    quoted: dict[str, _Quoted] = {}
    for one in best:
        key = _past_missing(named[one.key], there)
        score = one.score * (one.score / top) ** _SHARPNESS
        found = _Quoted(one.has_all, score)
        known = quoted.get(key, _Quoted())
        if key and (found.has_all, found.score) > (known.has_all, known.score):
            quoted[key] = found
    wanted = {*answered, *quoted} - {one.own_key for one in head}
    joining = [row for row, may_hit in there.values() if may_hit and row.own_key in wanted]
    return _Told(joining, quoted)


def _named_by(best: Sequence[Ranked]) -> dict[int, list[str]]:
    """Return by message the keys of those that it names, the one that it answers first."""
    marks = ", ".join(["%s"] * len(best))
    sql = (
        'SELECT m.id, m."references" FROM inbox_message m '
        f'WHERE m.id IN ({marks}) AND length(CAST(m."references" AS text)) <= {_LONGEST_NAMED}'
    )
    references = dict(fetch_all(sql, [one.key for one in best]))
    named = {}
    for one in best:
        given = references.get(one.key, "[]")
        ids = json.loads(given) if isinstance(given, str) else given
        nearest = [one.answered, *(str(each) for each in reversed(ids[-_MOST_FOLLOWED:]))]
        keys = dict.fromkeys(map(reference_key, nearest))
        named[one.key] = [key for key in keys if key][:_MOST_FOLLOWED]
    return named


def _look_up(span: Span, keys: Collection[str]) -> dict[str, tuple[Ranked, bool]]:
    """Return by key the messages that are there, and whether each may be found."""
    if not keys:
        return {}
    here, inboxes = Span(span.inbox_ids).condition()
    holds, values = span.condition()
    marks = ", ".join(["%s"] * len(keys))
    sql = (
        f"SELECT m.id, {PLACE}, CASE WHEN {holds} THEN 1 ELSE 0 END FROM inbox_message m "
        f"WHERE m.message_id_key IN ({marks}) AND {here} ORDER BY m.id LIMIT {2 * len(keys)}"
    )
    rows = [
        (Ranked(int(key), 0.0, False, *place), bool(may_hit))
        for key, *place, may_hit in fetch_all(sql, [*values, *keys, *inboxes])
    ]
    return {row.own_key: (row, may_hit) for row, may_hit in rows}


def _past_missing(named: Sequence[str], there: Collection[str]) -> str:
    """Return the first that is there after one that is not; "" where there is none."""
    is_missing = False
    for key in named:
        if key in there and is_missing:
            return key
        is_missing = key not in there
    return ""
