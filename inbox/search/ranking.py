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

from inbox.index_rules import plain_words
from inbox.search.index import (
    RANKED,
    SUBJECT,
    Span,
    bm25,
    find_unindexed,
    hits_postgresql,
    hits_sqlite,
    match_all,
    match_any,
    tsquery,
    typed_of,
)
from inbox.search.running import fetch_all
from inbox.search.words import Term, words_of

CANDIDATES = {"sqlite": 10_000, "postgresql": 2_000}
# A query of more words than somebody types is a whole message. On SQLite it has ten times as many
# candidates. Its words that are in more messages than this are left out, unless it has no others.
MOST_TYPED, _WHOLE_MESSAGE = 16, 10
_COMMON_SHARE, _FEW, _LEAST_WORDS = 0.15, 100, 10
# The rarity of such a query's words counts twice, for the query and for the message, as where both
# are vectors: it is what both have to do with each other, not what both say anyway. FTS5 counts a
# word as often as it is asked for, so there the rarest are, up to thrice.
_RARITY_OF_TYPED, _RARITY_OF_MESSAGES = 1, 2
_ASKED_ONCE, _MOST_ASKED = 3.0, 3
# An inbox of so many messages is as large as all, as PostgreSQL's statistics have it.
_COUNTED = 10_000
# Of so many of the newest the average length is that of all.
_AVERAGED = 5_000
# Okapi's constants, as FTS5 has them.
_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Ranked:
    """A message by its key, its score, whether it has every term, and where it stands.

    That is its thread by key, its subject and Message-ID (hashed), and the one that it answers.
    """

    key: int
    score: float
    has_all: bool
    thread: int = 0
    subject: str = ""
    own_key: str = ""
    answered: str = ""


# What of the message `m` a Ranked has beside its score.
PLACE = "m.thread_id, m.subject, m.message_id_key, m.in_reply_to"


@dataclass(frozen=True, slots=True)
class _Known:
    """A word and in how many messages it is; PostgreSQL says of how many, and by which lexemes."""

    term: Term
    hits: int
    total: float = 0.0
    lexemes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Query:
    """All terms; words to score by; of these, those whose hits are candidates, perhaps none."""

    span: Span
    every: Sequence[Term]
    scored: Sequence[_Known]
    rarest: Sequence[_Known]
    limit: int
    is_whole_message: bool

    @property
    def subject(self) -> int:
        """How often a word of a message's subject counts."""
        return 1 if self.is_whole_message else SUBJECT


def rank(span: Span, terms: Sequence[Term], limit: int) -> list[Ranked]:
    """Return the best messages that have at least one term, best first; two queries."""
    on_sqlite, most = connection.vendor == "sqlite", CANDIDATES[connection.vendor]
    words = words_of(terms)
    is_whole_message = is_message(words)
    if is_whole_message and not on_sqlite:
        # There a lexeme is scored wherever it stands: as rare as itself, not as an address with it.
        words = words_of(terms, apart=True)
    most = most * _WHOLE_MESSAGE if is_whole_message and on_sqlite else most
    rows = fetch_all(*(_count_sqlite if on_sqlite else _count_postgresql)(span, words, most + 1))
    if not rows and not on_sqlite:
        return [Ranked(key, 1e-9, True) for key in find_unindexed(span, terms, limit)]
    known = [_Known(words[place], *rest) for place, *rest in rows]
    scored = sorted((one for one in known if one.hits), key=lambda one: one.hits)
    if is_whole_message:
        telling = [one for one in scored if one.hits <= max(_FEW, one.total * _COMMON_SHARE)]
        scored = telling or scored[:_LEAST_WORDS]
    if not scored:
        return []
    asked = _Query(span, terms, scored, _rarest(scored, most), limit, is_whole_message)
    rows = fetch_all(*(_sqlite if on_sqlite else _postgresql)(asked))
    found = [
        Ranked(int(key), max(float(score), 1e-9), bool(whole), *place)
        for key, score, whole, *place in rows
    ]
    return sorted(found, key=lambda one: (one.has_all, one.score, one.key), reverse=True)


def is_message(words: Sequence[Term]) -> bool:
    """Return True if these are more words than somebody types: a whole message is asked with."""
    return len(words) > MOST_TYPED


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


# -- SQLite ----------------------------------------------------------------------------------------
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


def _repeated(known: Sequence[_Known]) -> list[_Known]:
    """Return the words, the rare ones several times."""
    return [
        one
        for one in known
        for _ in range(max(1, min(_MOST_ASKED, round(_rarity(one) / _ASKED_ONCE))))
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


# -- PostgreSQL ------------------------------------------------------------------------------------
# What ANALYZE found out about the commonest lexemes. Beside them stand three figures more.
_COMMON = (
    "SELECT lexeme, share FROM pg_stats s, "
    "unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) AS e (lexeme, share) "
    "WHERE s.schemaname = current_schema() AND s.tablename = 'inbox_message' "
    "AND s.attname = 'search' AND lexeme IS NOT NULL"
)


def _count_postgresql(span: Span, terms: Sequence[Term], most: int) -> tuple[str, list[Any]]:
    """Count the hits of each term, but believe the statistics where they say it has more."""
    condition, values = span.condition()
    places = ", ".join("%s" for _ in span.inbox_ids)
    parts, asked = [], []
    for place, term in enumerate(terms):
        query, words = tsquery([term])
        parts.append(f"({place}, {query}, %s, %s)")
        asked += [*words, " ".join(term.forms), typed_of(term)]
    sql = (
        f"WITH common AS MATERIALIZED ({_COMMON}), "
        "own AS MATERIALIZED (SELECT count(*) AS number FROM (SELECT 1 FROM inbox_message "
        f"WHERE inbox_id IN ({places}) LIMIT {_COUNTED}) AS mine), "
        f"every AS MATERIALIZED (SELECT CASE WHEN number < {_COUNTED} THEN number ELSE "
        "greatest(number, (SELECT reltuples FROM pg_class WHERE oid = 'inbox_message'::regclass)) "
        "END AS total FROM own), "
        "asked AS MATERIALIZED (SELECT place, query, "
        f"tsvector_to_array(to_tsvector('english', {plain_words('word')})) AS lexemes, "
        f"tsvector_to_array(to_tsvector('english', {plain_words('own')})) AS own "
        f"FROM (VALUES {', '.join(parts)}) AS typed (place, query, word, own) "
        "WHERE numnode(query) > 0) "
        f"SELECT place, CASE WHEN share * total >= {most} THEN (share * total)::bigint ELSE "
        "(SELECT count(*) FROM (SELECT 1 FROM inbox_message m "
        f"WHERE m.search @@ query AND {condition} LIMIT {most}) AS hits) END, total, lexemes "
        "FROM asked CROSS JOIN every LEFT JOIN common ON asked.own = ARRAY[lexeme]"
    )
    return sql, [*span.inbox_ids, *asked, *values]


def _postgresql(asked: _Query) -> tuple[str, list[Any]]:
    """Score by lexemes, those of a term in equal shares; a text is as long as it has bytes."""
    weights = _weights(
        asked.scored, _RARITY_OF_MESSAGES if asked.is_whole_message else _RARITY_OF_TYPED
    )
    near, near_values = _candidates_postgresql(asked)
    whole, whole_values = tsquery(asked.every)
    in_subject = "coalesce(cardinality(array_positions(u.weights, 'A')), 0)"
    often = f"(coalesce(cardinality(u.positions), 1) + {asked.subject - 1} * {in_subject})"
    # Of what is kept compressed PostgreSQL knows the length without unpacking it.
    length = "(octet_length(subject) + octet_length(search_extra) + octet_length(text))::float"
    newest = f"SELECT {length} AS length FROM inbox_message ORDER BY id DESC LIMIT {_AVERAGED}"
    sql = (
        f"WITH near AS MATERIALIZED ({near}), "
        f"typical AS MATERIALIZED (SELECT greatest(avg(length), 1) AS length FROM ({newest}) n), "
        f"texts AS MATERIALIZED (SELECT m.id, m.search, m.search @@ {whole} AS has_all, "
        f"{_K1} * (1 - {_B} + {_B} * {length} / typical.length) AS damping "
        "FROM inbox_message m CROSS JOIN typical WHERE m.id IN (SELECT id FROM near)), "
        f"found AS (SELECT m.id, a.idf * {often} * {_K1 + 1} / ({often} + m.damping) AS score "
        "FROM texts m CROSS JOIN LATERAL unnest(m.search) u JOIN unnest(%s::text[], %s::float[]) "
        "AS a (lexeme, idf) USING (lexeme) WHERE u.lexeme = ANY(%s)), "
        "scores AS (SELECT id, sum(score) AS score FROM found GROUP BY id) "
        # What only the beginning of a lexeme hit, or a lexeme of another form, has no score.
        "SELECT id, coalesce(score, 0) AS score, has_all FROM texts LEFT JOIN scores USING (id) "
        f"ORDER BY has_all DESC, score DESC, id DESC LIMIT {asked.limit}"
    )
    placed = (
        f"SELECT r.id, r.score, r.has_all, {PLACE} FROM ({sql}) r "
        "JOIN inbox_message m ON m.id = r.id"
    )
    told = [list(weights), list(weights.values()), list(weights)]
    return placed, [*near_values, *whole_values, *told]


def _weights(known: Sequence[_Known], rarity: int) -> dict[str, float]:
    """Return how much each lexeme tells, by the rarity of its term."""
    weights: dict[str, float] = {}
    for one in known:
        idf = _rarity(one) ** rarity
        # Of words that stand together each tells its part, of those one is enough of each all.
        parts = 1 if one.term.others else len(one.lexemes)
        for lexeme in one.lexemes:
            weights[lexeme] = weights.get(lexeme, 0.0) + idf / parts
    return weights


def _rarity(one: _Known) -> float:
    absent = max(one.total, one.hits) - one.hits
    return math.log(1 + (absent + 0.5) / (one.hits + 0.5))


def _candidates_postgresql(asked: _Query) -> tuple[str, list[Any]]:
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
