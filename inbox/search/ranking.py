"""Which messages answer a query best: those with all of its terms, then the others, by BM25.

In which inbox and when is asked of the messages and is no part of a score. To score a message is
dear, to count it is cheap, and a common word is in all of them. So the candidates are what the
rarest terms hit, as many terms as together hit `CANDIDATES` messages; what has none of these is
left out: of the query it has nothing but common words.
"""

# ruff: noqa: S608 (all that is put into SQL here are our own names and numbers)

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from inbox.search.index import (
    BM25,
    RANKED,
    Span,
    hits_postgresql,
    hits_sqlite,
    match_all,
    match_any,
    tsquery,
)
from inbox.search.words import Term, words_of

CANDIDATES = {"sqlite": 10_000, "postgresql": 2_000}
# A query of more words than somebody types is a letter: it has ten times as many candidates, and
# BM25 gives its words nothing that are in every second message, so they are left out.
MOST_TYPED, _LETTER = 16, 10
# Okapi's constants, as FTS5 has them.
_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Ranked:
    """A message by its key, its score, and whether it has every term."""

    key: int
    score: float
    has_all: bool


@dataclass(frozen=True, slots=True)
class _Known:
    """A word and in how many messages it is; PostgreSQL says of how many, and by which lexemes."""

    term: Term
    hits: int
    total: float = 0.0
    lexemes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Asked:
    """All terms; words to score by; of these, those whose hits are candidates, perhaps none."""

    span: Span
    every: Sequence[Term]
    scored: Sequence[_Known]
    rarest: Sequence[_Known]
    limit: int


def rank(span: Span, terms: Sequence[Term], limit: int) -> list[Ranked]:
    """Return the best messages that have at least one term, best first; two queries."""
    on_sqlite, most = connection.vendor == "sqlite", CANDIDATES[connection.vendor]
    words = words_of(terms)
    is_letter = len(words) > MOST_TYPED
    most = most * _LETTER if is_letter and on_sqlite else most
    rows = _run(*(_count_sqlite if on_sqlite else _count_postgresql)(span, words, most + 1))
    known = [_Known(words[place], *rest) for place, *rest in rows]
    scored = sorted((one for one in known if one.hits), key=lambda one: one.hits)
    if is_letter:
        scored = [one for one in scored if one.hits <= max(RANKED, one.total / 2)]
    if not scored:
        return []
    asked = _Asked(span, terms, scored, _rarest(scored, most), limit)
    found = _run(*(_sqlite if on_sqlite else _postgresql)(asked))
    return [Ranked(int(key), max(float(score), 1e-9), bool(whole)) for key, score, whole in found]


def _rarest(scored: Sequence[_Known], most: int) -> list[_Known]:
    """Return the first of the terms, the rarest, that together hit at most so many messages."""
    found, total = [], 0
    for one in scored:
        total += one.hits
        if total > most:
            break
        found.append(one)
    return found


def _terms(known: Sequence[_Known]) -> list[Term]:
    return [one.term for one in known]


def _run(sql: str, values: Sequence[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows: list[Any] = cursor.fetchall()
    return rows


# -- SQLite ----------------------------------------------------------------------------------------
def _count_sqlite(span: Span, terms: Sequence[Term], most: int) -> tuple[str, list[Any]]:
    places = ", ".join("%s" for _ in span.inbox_ids)
    sql = (
        "SELECT key, (SELECT count(*) FROM (SELECT 1 FROM inbox_search "
        f"WHERE inbox_search MATCH value LIMIT {most})), (SELECT count(*) FROM (SELECT 1 FROM "
        f"inbox_message WHERE inbox_id IN ({places}) LIMIT {2 * most})) FROM json_each(%s)"
    )
    asked = json.dumps([match_all(span.inbox_ids, [term]) for term in terms])
    return sql, [*span.inbox_ids, asked]


def _sqlite(asked: _Asked) -> tuple[str, list[Any]]:
    condition, values = asked.span.condition()
    among, candidates = _candidates_sqlite(asked)
    # The plus keeps SQLite from asking the index anew for each candidate.
    sql = (
        f"SELECT s.rowid AS id, -{BM25} AS score, "
        "+s.rowid IN (SELECT rowid FROM inbox_search WHERE inbox_search MATCH %s) AS has_all "
        "FROM inbox_search s CROSS JOIN inbox_message m ON m.id = s.rowid "
        f"WHERE inbox_search MATCH %s{among} AND {condition} "
        f"ORDER BY has_all DESC, score DESC, id DESC LIMIT {asked.limit}"
    )
    whole = match_all(asked.span.inbox_ids, asked.every)
    return sql, [whole, match_any(_terms(asked.scored)), *candidates, *values]


def _candidates_sqlite(asked: _Asked) -> tuple[str, list[Any]]:
    if len(asked.rarest) == len(asked.scored):
        return "", []
    if asked.rarest:
        hits = "SELECT rowid FROM inbox_search WHERE inbox_search MATCH %s"
        return f" AND +s.rowid IN ({hits})", [match_any(_terms(asked.rarest))]
    whole, whole_values = hits_sqlite(asked.span, asked.every, RANKED)
    some, some_values = hits_sqlite(asked.span, _terms(asked.scored[:1]), RANKED)
    hits = f"SELECT id FROM ({whole}) UNION ALL SELECT id FROM ({some})"
    return f" AND +s.rowid IN ({hits})", [*whole_values, *some_values]


# -- PostgreSQL ------------------------------------------------------------------------------------
def _count_postgresql(span: Span, terms: Sequence[Term], most: int) -> tuple[str, list[Any]]:
    condition, values = span.condition()
    parts, asked = [], []
    for place, term in enumerate(terms):
        query, words = tsquery([term])
        parts.append(f"({place}, {query}, %s)")
        asked += [*words, term.text]
    sql = (
        "SELECT place, (SELECT count(*) FROM (SELECT 1 FROM inbox_message m "
        f"WHERE m.search @@ query AND {condition} LIMIT {most}) AS hits), "
        "(SELECT reltuples FROM pg_class WHERE oid = 'inbox_message'::regclass), "
        "tsvector_to_array(to_tsvector('english', word)) "
        f"FROM (VALUES {', '.join(parts)}) AS asked (place, query, word) WHERE numnode(query) > 0"
    )
    return sql, [*values, *asked]


def _postgresql(asked: _Asked) -> tuple[str, list[Any]]:
    """Score by lexemes, those of a term in equal shares; a text is as long as it has different."""
    weights = _weights(asked.rarest or asked.scored[:1])
    near, near_values = _candidates_postgresql(asked)
    whole, whole_values = tsquery(asked.every)
    # A word of the subject counts twice, as with SQLite.
    often = "coalesce(cardinality(a.positions) + cardinality(array_positions(a.weights, 'A')), 1)"
    length = f"(1 - {_B} + {_B} * m.words / m.average)"
    sql = (
        f"WITH near AS MATERIALIZED ({near}), "
        f"texts AS MATERIALIZED (SELECT m.id, m.search, m.search @@ {whole} AS has_all, "
        "length(m.search)::float AS words, avg(length(m.search)) OVER () AS average "
        "FROM inbox_message m WHERE m.id IN (SELECT id FROM near)), "
        "asked AS MATERIALIZED (SELECT * FROM unnest(%s::text[], %s::float[]) AS a (lexeme, idf)) "
        # What only the beginning of a lexeme hit, or a lexeme of another form, has no score.
        f"SELECT m.id, coalesce(sum(a.idf * {often} * {_K1 + 1} / "
        f"({often} + {_K1} * {length})), 0) AS score, m.has_all "
        "FROM texts m LEFT JOIN LATERAL (SELECT * FROM unnest(m.search) u "
        "JOIN asked USING (lexeme)) a ON true GROUP BY m.id, m.has_all "
        f"ORDER BY has_all DESC, score DESC, id DESC LIMIT {asked.limit}"
    )
    return sql, [*near_values, *whole_values, list(weights), list(weights.values())]


def _weights(known: Sequence[_Known]) -> dict[str, float]:
    """Return how much each lexeme tells, by the rarity of its term."""
    weights: dict[str, float] = {}
    for one in known:
        absent = max(one.total, one.hits) - one.hits
        for lexeme in one.lexemes:
            share = math.log(1 + (absent + 0.5) / (one.hits + 0.5)) / len(one.lexemes)
            weights[lexeme] = weights.get(lexeme, 0.0) + share
    return weights


def _candidates_postgresql(asked: _Asked) -> tuple[str, list[Any]]:
    if not asked.rarest:
        whole, values = hits_postgresql(asked.span, asked.every, RANKED)
        some, some_values = hits_postgresql(asked.span, _terms(asked.scored[:1]), RANKED)
        return f"({whole}) UNION ({some})", [*values, *some_values]
    condition, values = asked.span.condition()
    query, words = tsquery(_terms(asked.rarest), " || ")
    return f"SELECT m.id FROM inbox_message m WHERE m.search @@ {query} AND {condition}", [
        *words,
        *values,
    ]
