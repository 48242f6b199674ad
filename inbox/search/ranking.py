"""Which messages answer a query best: those with all of its terms, then the others, by BM25.

In which inbox and when is asked of the messages and is no part of a score. To score a message is
dear, to count it is cheap, and a common word is in all of them. So the candidates are what the
rarest terms hit, as many terms as together hit `CANDIDATES` messages; what has none of these is
left out: of the query it has nothing but common words. PostgreSQL, which has no BM25, is asked in
another way (`inbox.search.lexemes`).
"""

# ruff: noqa: S608 (all that is put into SQL here are our own names and numbers)

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

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
# FTS5 counts a word as often as it is asked for, so of a message the rarest are, up to thrice: with
# PostgreSQL their rarity counts twice.
_ASKED_ONCE, _MOST_ASKED = 3.0, 3


@dataclass(frozen=True, slots=True)
class _Query:
    """All terms; words to score by; of these, those whose hits are candidates, perhaps none."""

    span: Span
    every: Sequence[Term]
    scored: Sequence[Known]
    rarest: Sequence[Known]
    limit: int
    is_whole_message: bool

    @property
    def subject(self) -> int:
        """How often a word of a message's subject counts."""
        return 1 if self.is_whole_message else SUBJECT


def rank(span: Span, terms: Sequence[Term], limit: int) -> list[Ranked]:
    """Return the best messages that have at least one term, best first; two queries."""
    by = _rank_sqlite if connection.vendor == "sqlite" else rank_postgresql
    found = [
        Ranked(int(key), max(float(score), 1e-9), bool(whole), *place)
        for key, score, whole, *place in by(span, terms, limit)
    ]
    return sorted(found, key=lambda one: (one.has_all, one.score, one.key), reverse=True)


def _terms(known: Sequence[Known]) -> list[Term]:
    return [one.term for one in known]


def _rank_sqlite(span: Span, terms: Sequence[Term], limit: int) -> list[Any]:
    """Return rows of the fields of a Ranked."""
    words, is_whole_message = words_of(terms), is_message(terms)
    most = CANDIDATES * (_WHOLE_MESSAGE if is_whole_message else 1)
    rows = fetch_all(*_count_sqlite(span, words, most + 1))
    known = [Known(words[place], hits, total) for place, hits, total in rows]
    scored = tell(known, is_whole_message=is_whole_message)
    if not scored:
        return []
    asked = _Query(span, terms, scored, rarest(scored, most), limit, is_whole_message)
    return fetch_all(*_sqlite(asked))


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
