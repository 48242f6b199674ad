"""The full-text indexes of rows other than mail, asked on SQLite and on PostgreSQL.

As with mail a query is put together from terms that are quoted, those who may see what is asked of
the rows and is no part of a score, and candidates are what the rarest terms hit.
"""

# ruff: noqa: S608 (all that is put into SQL here are our own names and numbers)

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from inbox.index_rules import plain_words
from inbox.search.field_words import quoted
from inbox.search.index import RANKED, tsquery
from inbox.search.rows.kinds import Kind
from inbox.search.running import fetch_all
from inbox.search.words import Term

# So many candidates are scored at most, as far as the words of a query differ in rarity.
_WORD = re.compile(r"[^\W_]+")
_CANDIDATES = {"sqlite": 10_000, "postgresql": 5_000}


@dataclass(frozen=True, slots=True)
class Scope:
    """Which rows of a kind may hit: those of the owners that the query set has."""

    kind: Kind
    owners: Sequence[int]
    rows: QuerySet[Any]

    def holds(self, key: str) -> tuple[str, list[Any]]:
        """Return the SQL condition that the row of a key is one of these, and its parameters."""
        mine: Any = self.rows.filter(pk=RawSQL(key, [])).order_by().values("pk")  # noqa: S611
        sql, values = mine.query.sql_with_params()
        return f"EXISTS ({sql})", list(values)

    @property
    def marks(self) -> str:
        """The place holders of the owners."""
        return ", ".join(["%s"] * len(self.owners))


@dataclass(frozen=True, slots=True)
class RowHit:
    """The key of a row that was found, how well (above zero), and whether it has every term."""

    key: int
    score: float
    has_all: bool


def rank_rows(scope: Scope, terms: Sequence[Term], limit: int) -> list[RowHit]:
    """Return the best rows that have at least one term, those with all first; two queries."""
    words = scope.kind.words(terms)
    counted = _count(scope, words)
    scored = sorted((one for one in counted if one[1]), key=lambda one: one[1])
    if not scored:
        return []
    rarest, hits = [], 0
    for word, number, _ in scored:
        hits += number
        if hits > _CANDIDATES[connection.vendor]:
            break
        rarest.append(word)
    build = _sqlite if connection.vendor == "sqlite" else _postgresql
    rows = fetch_all(*build(scope, terms, scored, rarest, limit))
    # A word that everything has scores next to nothing, but it was found.
    return [RowHit(int(key), max(float(score), 1e-9), bool(whole)) for key, score, whole in rows]


def find_begun(scope: Scope, terms: Sequence[Term], limit: int) -> list[RowHit]:
    """Return the best of the newest rows that have every term; one query."""
    query = _newest_with_all(scope, terms)
    if connection.vendor == "sqlite":
        newest, values = query
        sql = (
            f"SELECT f.rowid, -{_bm25(scope.kind)}, 1 FROM {scope.kind.index} f "
            f"WHERE {scope.kind.index} MATCH %s AND +f.rowid IN ({newest}) "
            f"ORDER BY 2 DESC, 1 DESC LIMIT {limit}"
        )
        rows = fetch_all(sql, [_match(scope.kind, terms, " AND "), *values])
    else:
        asked, words = _tsquery(scope.kind, terms)
        newest, values = query
        sql = (
            f"SELECT id, ts_rank({scope.kind.ts_rank}, search, {asked}, 1), true "
            f"FROM {scope.kind.table} WHERE id IN ({newest}) ORDER BY 2 DESC, 1 DESC LIMIT {limit}"
        )
        rows = fetch_all(sql, [*words, *values])
    return [RowHit(int(key), max(float(score), 1e-9), True) for key, score, _ in rows]


def with_all(kind: Kind, owners: Sequence[int], terms: Sequence[Term]) -> Any:
    """Return the keys of the rows that have every term, as a part of another query.

    Without owners those of whoever, for a query that says itself whose they are.
    """
    if connection.vendor == "sqlite":
        sql = f"SELECT rowid FROM {kind.index} WHERE {kind.index} MATCH %s"
        return RawSQL(sql, [_own(kind, owners, _match(kind, terms, " AND "))])  # noqa: S611
    query, words = _tsquery(kind, terms)
    sql = f"SELECT id FROM {kind.table} WHERE search @@ {query}"
    if owners:
        sql += f" AND {kind.owner} IN ({', '.join(['%s'] * len(owners))})"
    return RawSQL(sql, [*words, *owners])  # noqa: S611


def _count(scope: Scope, words: Sequence[Term]) -> list[tuple[Term, int, float]]:
    """Return each word, in how many of the owners' rows it is, and how much it tells by that."""
    kind, most = scope.kind, _CANDIDATES[connection.vendor] + 1
    own = f"SELECT 1 FROM {kind.table} r WHERE r.{kind.owner} IN ({scope.marks})"
    total = f"(SELECT count(*) FROM ({own} LIMIT {2 * most}) AS own)"
    if connection.vendor == "sqlite":
        hits = f"SELECT 1 FROM {kind.index} WHERE {kind.index} MATCH value LIMIT {most}"
        sql = f"SELECT key, (SELECT count(*) FROM ({hits})), {total} FROM json_each(%s)"
        asked = json.dumps([_own(kind, scope.owners, _match(kind, [one], "")) for one in words])
        rows = fetch_all(sql, [*scope.owners, asked])
    else:
        parts, values = [], []
        for place, word in enumerate(words):
            query, given = _tsquery(kind, [word])
            parts.append(f"({place}, {query})")
            values += given
        hits = f"{own} AND r.search @@ query LIMIT {most}"
        sql = (
            f"SELECT place, (SELECT count(*) FROM ({hits}) AS hits), {total} "
            f"FROM (VALUES {', '.join(parts)}) AS asked (place, query) WHERE numnode(query) > 0"
        )
        rows = fetch_all(sql, [*scope.owners, *scope.owners, *values])
    return [
        (words[place], number, math.log(1 + (max(every - number, 0) + 0.5) / (number + 0.5)))
        for place, number, every in rows
    ]


def _newest_with_all(scope: Scope, terms: Sequence[Term]) -> tuple[str, list[Any]]:
    kind = scope.kind
    if connection.vendor == "sqlite":
        holds, values = scope.holds("n.rowid")
        sql = (
            f"SELECT n.rowid FROM {kind.index} n WHERE {kind.index} MATCH %s AND {holds} "
            f"ORDER BY n.rowid DESC LIMIT {RANKED}"
        )
        return sql, [_own(kind, scope.owners, _match(kind, terms, " AND ")), *values]
    holds, values = scope.holds("r.id")
    query, words = _tsquery(kind, terms)
    # Materialised, or the planner may walk through all rows from the newest on.
    sql = (
        f"WITH matching AS MATERIALIZED (SELECT r.id FROM {kind.table} r WHERE r.search @@ {query} "
        f"AND r.{kind.owner} IN ({scope.marks}) AND {holds}) "
        f"SELECT id FROM matching ORDER BY id DESC LIMIT {RANKED}"
    )
    return sql, [*words, *scope.owners, *values]


# -- SQLite ----------------------------------------------------------------------------------------
def _bm25(kind: Kind) -> str:
    """Return FTS5's BM25; the owner's number comes first in the index and does not count."""
    return f"bm25({kind.index}, 0.0, {', '.join(map(str, kind.weights.values()))})"


def _match(kind: Kind, terms: Sequence[Term], joined_by: str) -> str:
    """Return an FTS5 query; each term is a string in it, of which no character has a meaning."""
    parts = [
        f"({' OR '.join(quoted(form, is_open=term.is_open) for form in term.forms)})"
        for term in terms
    ]
    columns = " ".join(kind.weights)
    return joined_by.join(f"{{{columns}}} : {part}" for part in parts)


def _own(kind: Kind, owners: Sequence[int], query: str) -> str:
    own = " OR ".join(f'{kind.owner} : "{owner}"' for owner in owners)
    return f"({own}) AND ({query})" if own else query


def _sqlite(
    scope: Scope,
    terms: Sequence[Term],
    scored: Sequence[tuple[Term, int, float]],
    rarest: Sequence[Term],
    limit: int,
) -> tuple[str, list[Any]]:
    kind = scope.kind
    holds, values = scope.holds("f.rowid")
    with_any = f"SELECT rowid FROM {kind.index} WHERE {kind.index} MATCH %s"
    near, near_values = "", []
    if rarest and len(rarest) < len(scored):
        near = f" AND +f.rowid IN ({with_any})"
        near_values = [_own(kind, scope.owners, _match(kind, rarest, " OR "))]
    elif not rarest:
        whole, whole_values = _newest_with_all(scope, terms)
        some, some_values = _newest_with_all(scope, [scored[0][0]])
        near = f" AND +f.rowid IN (SELECT * FROM ({whole}) UNION ALL SELECT * FROM ({some}))"
        near_values = [*whole_values, *some_values]
    # The plus keeps SQLite from asking the index anew for each candidate.
    sql = (
        f"SELECT f.rowid AS id, -{_bm25(kind)} AS score, +f.rowid IN ({with_any}) AS has_all "
        f"FROM {kind.index} f WHERE {kind.index} MATCH %s{near} AND {holds} "
        f"ORDER BY has_all DESC, score DESC, id DESC LIMIT {limit}"
    )
    every = _own(kind, scope.owners, _match(kind, terms, " AND "))
    some_of = _match(kind, [word for word, _, _ in scored], " OR ")
    return sql, [every, some_of, *near_values, *values]


# -- PostgreSQL ------------------------------------------------------------------------------------
def _tsquery(kind: Kind, terms: Sequence[Term], joined_by: str = " && ") -> tuple[str, list[Any]]:
    """Return PostgreSQL's query of the terms, and its parameters.

    Words that English leaves out are looked for as they stand, where the index has them.
    """
    if not kind.has_all_words:
        return tsquery(terms, joined_by)
    parts, values = [], []
    for term in terms:
        if term.is_open:
            query, given = tsquery([term])
            parts.append(query)
            values += given
            continue
        for form in term.forms:
            english, simple = (
                f"phraseto_tsquery('{words}', {plain_words('%s')})"
                for words in ("english", "simple")
            )
            # Of each word there is a lexeme, and between two an operator.
            nodes = 2 * len(_WORD.findall(form)) - 1
            parts.append(f"CASE WHEN numnode({english}) < {nodes} THEN {simple} ELSE {english} END")
            values += [form] * 3
        parts[-len(term.forms) :] = [f"({' || '.join(parts[-len(term.forms) :])})"]
    return f"({joined_by.join(parts)})", values


def _postgresql(
    scope: Scope,
    terms: Sequence[Term],
    scored: Sequence[tuple[Term, int, float]],
    rarest: Sequence[Term],
    limit: int,
) -> tuple[str, list[Any]]:
    """Score by how rare each word is, and by how often and where it stands in a row."""
    kind = scope.kind
    if rarest:
        holds, values = scope.holds("r.id")
        query, words = _tsquery(kind, rarest, " || ")
        near = (
            f"SELECT r.id FROM {kind.table} r WHERE r.search @@ {query} "
            f"AND r.{kind.owner} IN ({scope.marks}) AND {holds}"
        )
        near_values = [*words, *scope.owners, *values]
    else:
        whole, whole_values = _newest_with_all(scope, terms)
        some, some_values = _newest_with_all(scope, [scored[0][0]])
        near, near_values = f"({whole}) UNION ({some})", [*whole_values, *some_values]
    scores, score_values = [], []
    for word, _, tells in scored:
        query, words = _tsquery(kind, [word])
        scores.append(f"%s * ts_rank({kind.ts_rank}, r.search, {query}, 1)")
        score_values += [tells, *words]
    every, every_values = _tsquery(kind, terms)
    sql = (
        f"WITH near AS MATERIALIZED ({near}) "
        f"SELECT r.id, {' + '.join(scores)} AS score, r.search @@ {every} AS has_all "
        f"FROM {kind.table} r WHERE r.id IN (SELECT id FROM near) "
        f"ORDER BY has_all DESC, score DESC, r.id DESC LIMIT {limit}"
    )
    return sql, [*near_values, *score_values, *every_values]
