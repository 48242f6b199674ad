"""What the messages of a conversation say of each other: an answer is about what it answers.

As the words of a link tell what is behind it, those of an answer tell what it answers; and what is
looked for by its subject is, more often than not, what began the conversation. So a message gains
by the best of its answers that hit, a little by the others of its conversation, and a little by
having begun one.
"""

# ruff: noqa: S608 (all that is put into SQL here are our own names and numbers)

from collections.abc import Mapping, Sequence

from django.db import connection

from inbox.intake.threading import is_reply_subject, reference_key
from inbox.search.index import Span
from inbox.search.ranking import PLACE, Ranked

# So many of the best hits are looked at.
LOOKED_AT = 100
# Measured on two corpora of mail, see bench/RESULTS.md: what the best answer, the best other of the
# conversation, and having begun it count for.
_ANSWER, _OTHER, _BEGAN = 0.8, 0.2, 0.3
# An answer counts by the fourth power of how good it is beside the best hit: one that hits a
# little says nothing of what it answers.
_SHARPNESS = 4
# Where a whole message is asked with, what has all of it is that message or quotes it; what has a
# part of it says less.
_PART_OF_MESSAGE = 0.3
_MOST_ANSWERED = 20


def weigh_conversations(
    span: Span, ranked: Sequence[Ranked], *, is_whole_message: bool
) -> list[Ranked]:
    """Return the hits in the order in which their conversations put them; one query at most.

    Those that have every term stay first. Where a whole message was asked with, what its nearest
    answers answer joins them though it has none of the words.
    """
    head, tail = list(ranked[:LOOKED_AT]), ranked[LOOKED_AT:]
    if not head:
        return []
    sharp = _sharpen(head, _PART_OF_MESSAGE if is_whole_message else 1.0)
    answered = {one.key: reference_key(one.answered) for one in head}
    handed_on = _hand_on(answered, sharp)
    if is_whole_message:
        joining = _answered(span, handed_on, {one.own_key for one in head})
        answered |= {one.key: reference_key(one.answered) for one in joining}
        head += joining
    others = _best_others(head, sharp)
    own_keys = {one.own_key for one in head} - {""}
    weighed = []
    for one in head:
        other = others[one.key]
        score = one.score + _ANSWER * handed_on.get(one.own_key, 0.0) + _OTHER * other
        # What answers none of these, as what names a message that nobody here has, may begin.
        may_begin = answered[one.key] not in own_keys
        if may_begin and not is_reply_subject(one.subject):
            score += _BEGAN * (one.score + other)
        weighed.append(Ranked(one.key, score, one.has_all))
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


def _answered(span: Span, handed_on: Mapping[str, float], there: set[str]) -> list[Ranked]:
    """Return what the best hits answer, where it has no word of the query itself."""
    keys = sorted(handed_on.keys() - there, key=handed_on.__getitem__, reverse=True)
    keys = keys[:_MOST_ANSWERED]
    if not keys:
        return []
    condition, values = span.condition()
    marks = ", ".join(["%s"] * len(keys))
    sql = (
        f"SELECT m.id, {PLACE} FROM inbox_message m WHERE m.message_id_key IN ({marks}) "
        f"AND {condition} ORDER BY m.id DESC LIMIT {2 * _MOST_ANSWERED}"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [*keys, *values])
        return [Ranked(int(key), 0.0, False, *place) for key, *place in cursor.fetchall()]
