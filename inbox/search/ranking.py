"""Which messages answer a query best: those with all of its terms, then the others, by BM25.

In which inbox and when is asked of the messages and is no part of a score. To score a message is
dear, to count it is cheap, and a common word is in all of them. So the candidates are what the
rarest terms hit, as many terms as together hit `CANDIDATES` messages; what has none of these is
left out: of the query it has nothing but common words. PostgreSQL, which has no BM25, is asked in
another way (`inbox.search.lexemes`).

Of what somebody typed, what has every word is scored first. Only where that is too little are the
others, and of these at first what has a telling word: what has nothing but commoner ones is scored
if it might be better than the last of those, or would move one of the first.
"""

# ruff: noqa: S608 (all that is put into SQL here are our own names and numbers)

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any, TypeAlias

from django.db import connection

from inbox.intake.threading import is_reply_subject, reference_key
from inbox.search.index import (
    PLACE,
    RANKED,
    SUBJECT,
    Known,
    Ranked,
    Span,
    bm25,
    hits_sqlite,
    match_all,
    match_any,
    rarest,
    tell,
)
from inbox.search.lexemes import rank_postgresql
from inbox.search.running import fetch_all
from inbox.search.words import Term, is_message, words_of

# Of a whole message ten times as many are candidates.
CANDIDATES, _WHOLE_MESSAGE = 10_000, 10
# A form of a word that is in fewer messages is not worth leaving out.
_WORTH_LEAVING = 500
# FTS5's BM25: what a word tells at least, and how often it counts in a message at most (k1 + 1).
_LEAST_TOLD, _MOST_COUNTED = 1e-6, 2.2
# What an answer hands on by its fourth power (`inbox.search.conversations`) is lost in rounding.
_NEXT_TO_NOTHING = 1e-4
# So many deleted messages are reckoned with; where there are more, all that hit are put in order.
_MANY = 2_000
_HITS = "SELECT rowid FROM inbox_search WHERE inbox_search MATCH %s"
_Select: TypeAlias = tuple[str, list[Any]]
# FTS5 counts a word as often as it is asked for, so of a message the rarest are, up to thrice: with
# PostgreSQL their rarity counts twice.
_ASKED_ONCE, _MOST_ASKED = 3.0, 3


@dataclass(frozen=True, slots=True)
class _Query:
    """All terms, their words; those to score by; of these, whose hits are candidates, or none."""

    span: Span
    every: Sequence[Term]
    words: Sequence[Term]
    scored: Sequence[Known]
    rarest: Sequence[Known]
    limit: int
    is_whole_message: bool = False

    @property
    def subject(self) -> int:
        """How often a word of a message's subject counts."""
        return 1 if self.is_whole_message else SUBJECT


def rank(span: Span, terms: Sequence[Term], limit: int, shown: int | None = None) -> list[Ranked]:
    """Return the best messages that have at least one term, best first; six queries at most.

    Where `shown` of them have every term, what has nothing but words that are in most of the mail
    may be left out: BM25 gives it next to nothing.
    """
    if connection.vendor == "sqlite":
        rows = _rank_sqlite(span, terms, limit, limit if shown is None else shown)
    else:
        rows = rank_postgresql(span, terms, limit)
    found = [
        Ranked(int(key), max(float(score), 1e-9), bool(whole), *place)
        for key, score, whole, *place in rows
    ]
    return sorted(found, key=lambda one: (one.has_all, one.score, one.key), reverse=True)


def _terms(known: Sequence[Known]) -> list[Term]:
    return [one.term for one in known]


def _rank_sqlite(span: Span, terms: Sequence[Term], limit: int, shown: int) -> list[Any]:
    """Return rows of the fields of a Ranked."""
    words, is_whole_message = words_of(terms), is_message(terms)
    most = CANDIDATES * (_WHOLE_MESSAGE if is_whole_message else 1)
    forms = [] if is_whole_message else _count_forms(span, words, most + 1)
    if forms and sum(one.hits for one in forms) <= most:
        # What no mail has costs each query as much as a word.
        scored = _hitting(words, forms)
        asked = _Query(span, terms, words, scored, scored, limit)
    else:
        rows = fetch_all(*_count_sqlite(span, words, most + 1))
        known = [Known(words[place], hits, total) for place, hits, total in rows]
        scored = tell(known, is_whole_message=is_whole_message)
        asked = _Query(span, terms, words, scored, rarest(scored, most), limit, is_whole_message)
    if not scored:
        return []
    if is_whole_message or not asked.rarest:
        return fetch_all(*(_sqlite(asked) if is_whole_message else _newest_sqlite(asked)))
    return _whole_first(asked, forms, shown)


def _count_forms(span: Span, words: Sequence[Term], most: int) -> list[Known]:
    """Return each form of the words, in how many messages it is, and how many there may be.

    That is how many keys there are from the first to the last, which costs nothing to know.
    """
    forms = [Term(form, word.is_open) for word in words for form in word.forms]
    sql = (
        "SELECT key, (SELECT count(*) FROM (SELECT 1 FROM inbox_search "
        f"WHERE inbox_search MATCH value LIMIT {most})), (SELECT max(id) FROM inbox_message) "
        "- (SELECT min(id) FROM inbox_message) + 1 FROM json_each(%s)"
    )
    rows = fetch_all(sql, [json.dumps([match_all(span.named, [form]) for form in forms])])
    return [Known(forms[place], hits, total) for place, hits, total in rows]


def _hitting(words: Sequence[Term], forms: Sequence[Known]) -> list[Known]:
    """Return the words with those of their forms alone that hit, the rarest first."""
    counted = iter(forms)
    found = []
    for word in words:
        hitting = [one for one in islice(counted, len(word.forms)) if one.hits]
        if hitting:
            first, *others = (one.term.text for one in hitting)
            term = Term(first, word.is_open, tuple(others))
            found.append(Known(term, sum(one.hits for one in hitting), hitting[0].total))
    return sorted(found, key=lambda one: one.hits)


def _count_sqlite(span: Span, terms: Sequence[Term], most: int) -> tuple[str, list[Any]]:
    places = ", ".join("%s" for _ in span.inbox_ids)
    sql = (
        "SELECT key, (SELECT count(*) FROM (SELECT 1 FROM inbox_search "
        f"WHERE inbox_search MATCH value LIMIT {most})), (SELECT count(*) FROM (SELECT 1 FROM "
        f"inbox_message WHERE inbox_id IN ({places}) LIMIT {2 * most})) FROM json_each(%s)"
    )
    asked = json.dumps([match_all(span.named, [term]) for term in terms])
    return sql, [*span.inbox_ids, asked]


def _sqlite(asked: _Query) -> tuple[str, list[Any]]:
    condition, values = asked.span.condition()
    among, candidates = _candidates_sqlite(asked)
    # The plus keeps SQLite from asking the index anew for each candidate.
    scored = (
        f"SELECT s.rowid AS id, -{bm25(asked.subject)} AS score, "
        "+s.rowid IN (SELECT rowid FROM inbox_search WHERE inbox_search MATCH %s) AS has_all "
        "FROM inbox_search s "
    )
    matched = f"WHERE inbox_search MATCH %s{among}"
    best_first = "ORDER BY has_all DESC, score DESC, id DESC"
    if asked.span.is_bare:
        # To read a message is dearer than to score it: the best are read, until there are enough.
        # With a LIMIT the order of what is inside holds outside.
        inner, outer = f"{scored}{matched} {best_first} LIMIT -1", f"WHERE {condition}"
    else:
        joined = f"CROSS JOIN inbox_message m ON m.id = s.rowid {matched} AND {condition}"
        inner, outer = f"{scored}{joined} {best_first} LIMIT {asked.limit}", ""
    sql = (
        f"SELECT r.id, r.score, r.has_all, {PLACE} FROM ({inner}) r "
        f"CROSS JOIN inbox_message m ON m.id = r.id {outer} LIMIT {asked.limit}"
    )
    whole = match_all(asked.span.named, asked.every)
    scored_by = _repeated(asked.scored) if asked.is_whole_message else asked.scored
    return sql, [whole, match_any(_terms(scored_by)), *candidates, *values]


def _newest_sqlite(asked: _Query) -> tuple[str, list[Any]]:
    """Return the SELECT where each word is in very many messages: of the newest the best.

    First those that have every term; where these are too few, those with the rarest word. The
    index is read from the oldest of them on.
    """
    whole, whole_values = hits_sqlite(asked.span, asked.every, RANKED)
    some, some_values = hits_sqlite(asked.span, _terms(asked.scored[:1]), RANKED)
    scored = f"SELECT s.rowid AS id, -{bm25(asked.subject)} AS score"
    sql = (
        f"WITH whole AS MATERIALIZED ({whole}), some AS MATERIALIZED ({some}) "
        f"SELECT r.id, r.score, r.has_all, {PLACE} FROM ("
        f"SELECT * FROM ({scored}, 1 AS has_all FROM inbox_search s WHERE inbox_search MATCH %s "
        "AND s.rowid >= (SELECT min(id) FROM whole) AND +s.rowid IN (SELECT id FROM whole)) "
        f"UNION ALL SELECT * FROM ({scored}, 0 FROM inbox_search s WHERE inbox_search MATCH %s "
        f"AND (SELECT count(*) FROM whole) < {asked.limit} "
        "AND s.rowid >= (SELECT min(id) FROM some) AND +s.rowid IN (SELECT id FROM some) "
        "AND +s.rowid NOT IN (SELECT id FROM whole)) "
        "ORDER BY has_all DESC, score DESC, id DESC LIMIT -1) r "
        f"CROSS JOIN inbox_message m ON m.id = r.id LIMIT {asked.limit}"
    )
    words = _terms(asked.scored)
    return sql, [*whole_values, *some_values, match_all((), words), match_any(words)]


def _repeated(known: Sequence[Known]) -> list[Known]:
    """Return the words, the rare ones several times."""
    return [
        one
        for one in known
        for _ in range(max(1, min(_MOST_ASKED, round(one.rarity / _ASKED_ONCE))))
    ]


def _candidates_sqlite(asked: _Query) -> tuple[str, list[Any]]:
    if asked.rarest:
        all_are = len(asked.rarest) == len(asked.scored)
        if all_are and (asked.span.is_all_mail or not asked.span.is_bare):
            return "", []
        # Where the messages are not asked whose they are before they are scored, the index is.
        hits = "SELECT rowid FROM inbox_search WHERE inbox_search MATCH %s"
        own = asked.span.named if asked.span.is_bare else ()
        return f" AND +s.rowid IN ({hits})", [match_any(_terms(asked.rarest), own)]
    whole, whole_values = hits_sqlite(asked.span, asked.every, RANKED)
    some, some_values = hits_sqlite(asked.span, _terms(asked.scored[:1]), RANKED)
    hits = f"SELECT id FROM ({whole}) UNION ALL SELECT id FROM ({some})"
    return f" AND +s.rowid IN ({hits})", [*whole_values, *some_values]


# -- what somebody typed, on SQLite ----------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Split:
    """Forms of words: those whose hits are scored, and common ones whose other hits are left out.

    None of these scores as much as `most`.
    """

    telling: Sequence[Term]
    common: Sequence[Term]
    most: float = 0.0

    @property
    def match(self) -> str:
        """The query for what is left out, and more."""
        return match_any(self.common)


def _whole_first(asked: _Query, forms: Sequence[Known], shown: int) -> list[Any]:
    """Return the best rows that have every term and, where these are too few, the best others."""
    whole = _with_all(asked)
    wanted = asked.limit - len(whole)
    if wanted <= 0:
        return whole
    keys = [key for key, *_ in whole]
    least = min((row[1] for row in whole), default=0.0) if len(whole) >= shown else 0.0
    nothing = _NEXT_TO_NOTHING * least
    for split in _splits(asked, forms, nothing):
        rows = [*whole, *_fetch(asked, _scored_apart(asked, split, keys), 0, wanted)]
        if len(rows) == asked.limit and rows[-1][1] >= split.most:
            return rows
        if not split.most or (split.most <= nothing and _can_do_without(asked, split, rows)):
            return rows
    among, values = _candidates_sqlite(asked)
    scored = _scored(asked, match_any(_terms(asked.scored)), keys, among, values)
    return [*whole, *_fetch(asked, scored, 0, wanted)]


def _with_all(asked: _Query) -> list[Any]:
    """Return the best rows that have every term; each word of a term is in what has the term."""
    if len(asked.scored) < len(asked.words):
        return []
    among, values = "", []
    named = asked.span.named if asked.span.is_bare else ()
    if named or tuple(asked.every) != tuple(asked.words):
        among, values = f" AND +s.rowid IN ({_HITS})", [match_all(named, asked.every)]
    match = match_all((), _terms(asked.scored))
    return _fetch(asked, _scored(asked, match, (), among, values), 1, asked.limit)


def _splits(asked: _Query, forms: Sequence[Known], nothing: float) -> Iterator[_Split]:
    """Yield which forms to score by, at first without the commonest of the rarest words.

    Of these are left out as many as together score little beside the others, or next to `nothing`.
    """
    rare = {form for one in asked.rarest for form in one.term.forms}
    hitting = sorted((one for one in forms if one.hits), key=lambda one: one.hits)
    telling = [one for one in hitting if one.term.text in rare]
    common = [one for one in hitting if one.term.text not in rare]
    less, left, most = [*telling], [*common], sum(map(_most_scored, common))
    while less and less[-1].hits >= _WORTH_LEAVING:
        most += _most_scored(less[-1])
        if most > max(nothing, _told_by_enough(less[:-1], asked.limit) / 2):
            break
        left.append(less.pop())
    if less and len(less) < len(telling):
        yield _Split(_terms(less), _terms(left), sum(map(_most_scored, left)))
    if common:
        yield _Split(_terms(telling), _terms(common))


def _told_by_enough(forms: Sequence[Known], limit: int) -> float:
    """Return what the last of the rarest tells that may be in so many; 0 where all are in fewer."""
    together = accumulate(one.hits for one in forms)
    enough = (_told(one) for one, hits in zip(forms, together, strict=True) if hits >= limit)
    return next(enough, 0.0)


def _told(known: Known) -> float:
    """Return how much FTS5's BM25 has a form tell, or a little more: not each key has a message."""
    absent = max(known.total - known.hits, 0)
    return max(_LEAST_TOLD, math.log((absent + 0.5) / (known.hits + 0.5)))


def _most_scored(known: Known) -> float:
    return _MOST_COUNTED * _told(known)


def _can_do_without(asked: _Query, split: _Split, rows: Sequence[Any]) -> bool:
    """Return True if the best of what is left out would move nothing that has every term.

    It scores next to nothing. But what answers one of these does not begin a conversation; so it is
    seen whether there are enough that are better than those which are answered.
    """
    missing, whole = asked.limit - len(rows), [row for row in rows if row[2]]
    if not missing:
        return False
    begun = {reference_key(row[6]) for row in whole if not is_reply_subject(row[4])}
    answered = sorted(begun - {row[5] for row in rows} - {""})
    if not answered:
        return True
    holds, values = asked.span.condition()
    score, marks = f"-{bm25(asked.subject)}", ", ".join(["%s"] * len(answered))
    sql = (
        f"SELECT count(*) FROM (SELECT 1 FROM inbox_search s CROSS JOIN inbox_message m "
        f"ON m.id = s.rowid WHERE inbox_search MATCH %s AND {score} > (SELECT "
        f"coalesce(max(score), -1) FROM (SELECT {score} AS score FROM inbox_search s "
        "WHERE inbox_search MATCH %s AND +s.rowid IN (SELECT m.id FROM inbox_message m "
        f"WHERE m.message_id_key IN ({marks}) AND {holds}) LIMIT -1)) "
        "AND +s.rowid NOT IN (SELECT value FROM json_each(%s)) "
        f"AND {holds} LIMIT {missing})"
    )
    given = [split.match, split.match, *answered, *values, json.dumps([row[0] for row in rows])]
    ((better,),) = fetch_all(sql, [*given, *values])
    return bool(better == missing)


def _scored_apart(asked: _Query, split: _Split, keys: Sequence[int]) -> _Select:
    """Return the SELECT of what has a telling form, scored with the common ones that it has."""
    among, own = "", []
    if asked.span.is_bare and asked.span.named:
        among, own = f" AND +s.rowid IN ({_HITS})", [match_any(split.telling, asked.span.named)]
    told = match_any(split.telling)
    one, values = _scored(asked, told, keys, among, own)
    other, other_values = _scored(asked, f"({told}) AND ({split.match})", keys, among, own)
    sql = (
        f"SELECT id, max(score) AS score FROM (SELECT * FROM ({one}) UNION ALL "
        f"SELECT * FROM ({other})) GROUP BY id ORDER BY score DESC, id DESC LIMIT -1"
    )
    return sql, [*values, *other_values]


def _scored(
    asked: _Query, match: str, keys: Sequence[int], among: str, values: Sequence[Any]
) -> _Select:
    """Return the SELECT of the best that FTS5 finds, by id and score, without those of the keys."""
    joined, holds = "", ""
    given: list[Any] = []
    if asked.span.is_bare:
        # As many more as may be deleted; of very many, all.
        deleted = f"SELECT 1 FROM inbox_message WHERE NOT (deleted_at IS NULL) LIMIT {_MANY + 1}"
        most = f"CASE WHEN count(*) > {_MANY} THEN -1 ELSE count(*) + {asked.limit} END"
        limit = f"(SELECT {most} FROM ({deleted}))"
    else:
        condition, given = asked.span.condition()
        joined, holds = "CROSS JOIN inbox_message m ON m.id = s.rowid ", f" AND {condition}"
        limit = str(asked.limit)
    without = " AND +s.rowid NOT IN (SELECT value FROM json_each(%s))" if keys else ""
    sql = (
        f"SELECT s.rowid AS id, -{bm25(asked.subject)} AS score FROM inbox_search s {joined}"
        f"WHERE inbox_search MATCH %s{among}{without}{holds} "
        f"ORDER BY score DESC, id DESC LIMIT {limit}"
    )
    return sql, [match, *values, *([json.dumps(keys)] if keys else []), *given]


def _fetch(asked: _Query, scored: _Select, has_all: int, limit: int) -> list[Any]:
    """Return the best rows of a SELECT of ids and scores, as the fields of a Ranked."""
    condition, values = asked.span.condition() if asked.span.is_bare else ("1", [])
    sql = (
        f"SELECT r.id, r.score, {has_all}, {PLACE} FROM ({scored[0]}) r "
        f"CROSS JOIN inbox_message m ON m.id = r.id WHERE {condition} LIMIT {limit}"
    )
    return fetch_all(sql, [*scored[1], *values])
