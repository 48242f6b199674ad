"""Which messages answer a query best, on PostgreSQL: by BM25 over the lexemes of its index.

To take a message apart into its lexemes is dear. So the index gives the messages that have the
rarest words, by `ts_rank` or, of a whole message, by what these words weigh it is told which are
the best, and only of those it is asked how often each word stands where.
"""

# ruff: noqa: S608 (all that is put into SQL here are our own names and numbers)

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inbox.index_rules import plain_words
from inbox.search.field_words import Condition
from inbox.search.index import (
    PLACE,
    RANKED,
    SUBJECT,
    TS_RANK,
    Known,
    Span,
    find_unindexed,
    hits_postgresql,
    rarest,
    tell,
    tsquery,
    typed_of,
)
from inbox.search.running import fetch_all
from inbox.search.words import Term, is_message, words_of

# What the rarest words of a query bring together, at most.
CANDIDATES = 2_000
# A word of a whole message that is in more messages than this brings none. Of the first so many
# that have a word it is asked whether they may be found: other inboxes may have it often.
_MOST_OF_ONE, _MOST_ASKED = 200, 2_000
# So many messages are scored.
_SCORED = 300
# An inbox of so many messages is as large as all, as PostgreSQL's statistics have it.
_COUNTED = 10_000
# Of so many of the newest the average length is that of all.
_AVERAGED = 1_000
# Okapi's constants, as FTS5 has them.
_K1, _B = 1.2, 0.75
# What ANALYZE found out about the commonest lexemes. Beside them stand three figures more.
_COMMON = (
    "SELECT lexeme, share FROM pg_stats s, "
    "unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) AS e (lexeme, share) "
    "WHERE s.schemaname = current_schema() AND s.tablename = 'inbox_message' "
    "AND s.attname = 'search' AND lexeme IS NOT NULL"
)


def rank_postgresql(span: Span, terms: Sequence[Term], limit: int) -> list[Any]:
    """Return the best messages: key, score, whether it has every term, and `PLACE`; two queries."""
    is_whole_message = is_message(terms)
    look_up = _look_up_message if is_whole_message else _look_up_typed
    known = look_up(span, words_of(terms, apart=is_whole_message))
    if not known:
        return [(key, 0, True) for key in find_unindexed(span, terms, limit)]
    scored = tell(known, is_whole_message=is_whole_message)
    if not scored:
        return []
    best_of = _best_of_message if is_whole_message else _best_of_typed
    weights = _weights(scored, is_whole_message=is_whole_message)
    subject = 1 if is_whole_message else SUBJECT
    best = best_of(span, scored, terms)
    return fetch_all(*_score(best, weights, subject=subject, limit=limit))


# -- what somebody typed ---------------------------------------------------------------------------
def _look_up_typed(span: Span, terms: Sequence[Term]) -> list[Known]:
    """Return what is known of the terms, but for those that no index has.

    The statistics are believed where they say that one is in more than the candidates.
    """
    parts, asked = [], []
    for place, term in enumerate(terms):
        query, words = tsquery([term])
        parts.append(f"({place}, {query}, %s, %s)")
        asked += [*words, " ".join(term.forms), typed_of(term)]
    typed = (
        "SELECT place, query, "
        f"tsvector_to_array(to_tsvector('english', {plain_words('word')})) AS lexemes, "
        f"tsvector_to_array(to_tsvector('english', {plain_words('own')})) AS own "
        f"FROM (VALUES {', '.join(parts)}) AS typed (place, query, word, own)"
    )
    condition, values = span.condition()
    some = f"SELECT m.id FROM inbox_message m WHERE m.search @@ query AND {condition}"
    return _look_up(span, terms, (typed, asked), (some, values), CANDIDATES)


def _best_of_typed(span: Span, scored: Sequence[Known], terms: Sequence[Term]) -> Condition:
    """Return the SELECT of what is to be scored, and whether it has every term."""
    telling = rarest(scored, CANDIDATES)
    near, values = _among({key for one in telling for key in one.keys})
    if not telling:
        near, values = _newest_with(span, terms, scored[0].term, RANKED)
    whole, asked = tsquery(terms)
    parts, ranked = [], []
    for one in scored:
        query, words = tsquery([one.term])
        parts.append(f"%s * ts_rank({TS_RANK}, search, {query}, 1)")
        ranked += [one.rarity, *words]
    sql = (
        f"SELECT id, search @@ {whole} AS has_all FROM "
        # What is added to is unpacked once, not for each word.
        "(SELECT m.id, m.search || ''::tsvector AS search FROM inbox_message m "
        f"WHERE m.id IN ({near}) OFFSET 0) AS near "
        f"ORDER BY has_all DESC, {' + '.join(parts)} DESC, id DESC LIMIT {_SCORED}"
    )
    return sql, [*asked, *values, *ranked]


# -- a whole message -------------------------------------------------------------------------------
def _look_up_message(span: Span, terms: Sequence[Term]) -> list[Known]:
    """Return what is known of the words, but for those that no index has."""
    said = plain_words("word")
    typed = (
        f"SELECT place - 1 AS place, phraseto_tsquery('english', {said}) AS query, lexemes, "
        "lexemes AS own FROM unnest(%s::text[]) WITH ORDINALITY AS typed (word, place), "
        f"LATERAL tsvector_to_array(to_tsvector('english', {said})) AS lexemes"
    )
    words = [Term(form) for term in terms for form in term.forms]
    condition, values = span.condition()
    some = (
        "SELECT m.id FROM (SELECT * FROM inbox_message m WHERE m.search @@ query "
        f"LIMIT {_MOST_ASKED}) m WHERE {condition}"
    )
    return _look_up(
        span, words, (typed, [[word.text for word in words]]), (some, values), _MOST_OF_ONE
    )


def _best_of_message(span: Span, scored: Sequence[Known], terms: Sequence[Term]) -> Condition:
    """Return the SELECT of what is to be scored, and whether it has every term."""
    scores: dict[int, float] = {}
    for one in scored:
        for key in one.keys:
            scores[key] = scores.get(key, 0.0) + one.rarity**2
    best = heapq.nlargest(_SCORED, scores, key=lambda key: (scores[key], key))
    near, values = _among(best)
    if not best:
        near, values = _newest_with(span, terms, scored[0].term, _SCORED)
    whole, asked = _every(terms)
    sql = f"SELECT m.id, m.search @@ {whole} AS has_all FROM inbox_message m WHERE m.id IN ({near})"
    return sql, [*asked, *values]


def _every(terms: Sequence[Term]) -> Condition:
    """Return the query of every term, put together there: hundreds written out are long planned."""
    plain = [term.text for term in terms if not term.is_open and not term.others]
    others = [term for term in terms if term.is_open or term.others]
    phrase = f"phraseto_tsquery('english', {plain_words('word')})"
    sql = (
        f"(SELECT coalesce(string_agg('(' || {phrase}::text || ')', ' & '), '')::tsquery "
        f"FROM unnest(%s::text[]) AS typed (word) WHERE numnode({phrase}) > 0)"
    )
    if not others:
        return sql, [plain]
    query, values = tsquery(others)
    return f"({sql} && {query})", [plain, *values]


# -- both ------------------------------------------------------------------------------------------
def _look_up(
    span: Span, terms: Sequence[Term], typed: Condition, some: Condition, most: int
) -> list[Known]:
    """Return what is known of the terms.

    `typed` is the SELECT of their places, queries and lexemes, `own` without other forms; `some`
    that of the messages that a query hits, of which no more than `most` are wanted. Where the
    statistics say that there are more, they are believed.
    """
    inboxes = ", ".join("%s" for _ in span.inbox_ids)
    sql = (
        f"WITH common AS MATERIALIZED ({_COMMON}), "
        "least AS MATERIALIZED (SELECT min(share) AS share FROM common), "
        "own AS MATERIALIZED (SELECT count(*) AS number FROM (SELECT 1 FROM inbox_message "
        f"WHERE inbox_id IN ({inboxes}) LIMIT {_COUNTED}) AS mine), "
        f"every AS MATERIALIZED (SELECT CASE WHEN number < {_COUNTED} THEN number ELSE "
        "greatest(number, (SELECT reltuples FROM pg_class WHERE oid = 'inbox_message'::regclass)) "
        f"END AS total FROM own), asked AS MATERIALIZED ({typed[0]}), "
        "told AS (SELECT asked.*, total, common.share * total AS believed, "
        "least.share * total AS least FROM asked CROSS JOIN every CROSS JOIN least "
        "LEFT JOIN common ON asked.own = ARRAY[lexeme] WHERE numnode(query) > 0) "
        f"SELECT place, total, lexemes, CASE WHEN believed > {most} THEN believed END, least, "
        f"CASE WHEN coalesce(believed, 0) <= {most} THEN ARRAY({some[0]} LIMIT {most + 1}) END "
        "FROM told"
    )
    rows = fetch_all(sql, [*span.inbox_ids, *typed[1], *some[1]])
    return [_known(terms[place], most, *row) for place, *row in rows]


def _known(term: Term, most: int, total: float, lexemes: Sequence[str], *found: Any) -> Known:
    """Return in how many messages a term is: counted or believed.

    Of one that is in too many to count, and in fewer than the least of the statistics, it is in the
    middle.
    """
    believed, least, keys = found
    one = Known(term, float(believed or 0), float(total), lexemes)
    if believed:
        return one
    if len(keys) <= most:
        return replace(one, hits=len(keys), keys=keys)
    return replace(one, hits=math.sqrt(most * max(float(least or total), most)))


def _among(keys: Iterable[int]) -> Condition:
    return "SELECT unnest(%s::bigint[])", [list(keys)]


def _newest_with(span: Span, terms: Sequence[Term], rarest: Term, limit: int) -> Condition:
    """Return the SELECT of the newest that have every term, and that have the rarest."""
    whole, values = hits_postgresql(span, terms, limit)
    some, some_values = hits_postgresql(span, [rarest], limit)
    return f"({whole}) UNION ({some})", [*values, *some_values]


def _weights(known: Sequence[Known], *, is_whole_message: bool) -> dict[str, float]:
    """Return how much each lexeme tells, by the rarity of its term.

    With a whole message twice, for the query and for the message, as where both are vectors: it is
    what both have to do with each other, not what both say anyway.
    """
    weights: dict[str, float] = {}
    for one in known:
        # Of words that stand together each tells its part, of those one is enough of each all.
        parts = 1 if one.term.others else len(one.lexemes)
        for lexeme in one.lexemes:
            told = one.rarity ** (2 if is_whole_message else 1)
            weights[lexeme] = weights.get(lexeme, 0.0) + told / parts
    return weights


def _score(
    best: Condition, weights: Mapping[str, float], *, subject: int, limit: int
) -> Condition:  # fmt: skip
    """Return the SELECT of the messages by their scores.

    `subject` is how often a lexeme of it counts. A text is as long as it has bytes. What only the
    beginning of a lexeme hit, or one of another form, has no score.
    """
    in_subject = "coalesce(cardinality(array_positions(u.weights, 'A')), 0)"
    often = f"(coalesce(cardinality(u.positions), 1) + {subject - 1} * {in_subject})"
    # Of what is kept compressed PostgreSQL knows the length without unpacking it.
    length = "(octet_length(subject) + octet_length(search_extra) + octet_length(text))::float"
    newest = f"SELECT {length} AS length FROM inbox_message ORDER BY id DESC LIMIT {_AVERAGED}"
    sql = (
        f"WITH best AS MATERIALIZED ({best[0]}), "
        f"typical AS MATERIALIZED (SELECT greatest(avg(length), 1) AS length FROM ({newest}) n), "
        "texts AS MATERIALIZED (SELECT m.id, m.search, best.has_all, "
        f"{_K1} * (1 - {_B} + {_B} * {length} / typical.length) AS damping "
        "FROM best JOIN inbox_message m ON m.id = best.id CROSS JOIN typical), "
        f"found AS (SELECT m.id, a.idf * {often} * {_K1 + 1} / ({often} + m.damping) AS score "
        "FROM texts m CROSS JOIN LATERAL unnest(m.search) u JOIN unnest(%s::text[], %s::float[]) "
        "AS a (lexeme, idf) USING (lexeme) WHERE u.lexeme = ANY(%s)), "
        "scores AS (SELECT id, sum(score) AS score FROM found GROUP BY id), "
        "ranked AS (SELECT id, coalesce(score, 0) AS score, has_all "
        "FROM texts LEFT JOIN scores USING (id) "
        f"ORDER BY has_all DESC, score DESC, id DESC LIMIT {limit}) "
        f"SELECT r.id, r.score, r.has_all, {PLACE} FROM ranked r "
        "JOIN inbox_message m ON m.id = r.id"
    )
    return sql, [*best[1], list(weights), list(weights.values()), list(weights)]
