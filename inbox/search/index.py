"""The full-text index of each database: FTS5 on SQLite, a tsvector on PostgreSQL.

A query is always put together from terms that are quoted, so nothing that somebody types is ever
the database's query language.
"""

# ruff: noqa: S608 (all that is put into SQL here are our own names and numbers)

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

from django.db import connection

from inbox.index_rules import plain_words
from inbox.rfc5322.text.word_forms import STEM_MARK
from inbox.search.conditions import are_indexed, condition_of
from inbox.search.field_words import TEXT_COLUMNS, quoted
from inbox.search.operators import Test
from inbox.search.running import fetch_all
from inbox.search.words import Term

# Where more hit than can be ranked, the newest are.
RANKED = 1000
# PostgreSQL's English index leaves out its commonest words: they are looked for in so many of the
# newest messages, which takes it a second at most.
LOOKED_THROUGH = 2_000
# Of so many inboxes it is asked whether there is mail of others.
_MOST_ASKED = 20
# So many messages are asked, one after the other, for what no index tells; a part of a second.
WALKED = 50_000
# How often a word of the subject counts. In a whole message that is asked with it counts once: that
# has words of other subjects.
SUBJECT = 4
# What of the message `m` says where it stands: its thread, and what threads are made by.
PLACE = "m.thread_id, m.subject, m.message_id_key, m.in_reply_to"
# A word of a whole message that is in more than this share of the mail is left out, unless it has
# no others: so few messages are no share of anything, and so many words are left.
_COMMON_SHARE, _FEW, _LEAST_WORDS = 0.15, 100, 10
_DIGIT = re.compile(r"\d")
# D, C, B, A: nothing, text, sender and attachment names, subject.
TS_RANK = "'{0, 0.125, 0.45, 1}'"


def bm25(subject: int = SUBJECT) -> str:
    """Return FTS5's BM25; the inbox's number, first of database_rules.SEARCHED, is no text."""
    return f"bm25(inbox_search, 0.0, {subject}.0)"


@dataclass(frozen=True, slots=True)
class Span:
    """What may hit: mail of these inboxes received from `start` on and before `end`.

    Of each of the `conditions` one test must hold. `is_all_mail` where there is no mail but that of
    these inboxes: an index need not be asked whose a message is.
    """

    inbox_ids: tuple[int, ...]
    start: datetime | None = None
    end: datetime | None = None
    conditions: tuple[tuple[Test, ...], ...] = ()
    is_all_mail: bool = False

    @property
    def named(self) -> tuple[int, ...]:
        """The inboxes that a query of FTS5 has to name; none where all mail is theirs."""
        return () if self.is_all_mail else self.inbox_ids

    @property
    def is_bare(self) -> bool:
        """Return True if nothing but the inbox decides what may hit."""
        return self.start is None and self.end is None and not self.conditions

    def condition(self, *, kept: bool = True) -> tuple[str, list[Any]]:
        """Return the SQL condition on the message `m`, and its parameters.

        Unless `kept`, what was deleted counts as well.
        """
        places = ", ".join("%s" for _ in self.inbox_ids)
        values: list[Any] = [*self.inbox_ids]
        sql = f"m.inbox_id IN ({places}){' AND m.deleted_at IS NULL' if kept else ''}"
        bounds: list[Any] = []
        if self.start is not None:
            sql += " AND m.received_at >= %s"
            bounds.append(self.start)
        if self.end is not None:
            sql += " AND m.received_at < %s"
            bounds.append(self.end)
        adapt = connection.ops.adapt_datetimefield_value
        values += map(adapt, bounds)
        for tests in self.conditions:
            holds, given = condition_of(tests)
            sql += f" AND {holds}"
            values += given
        return sql, values


@dataclass(frozen=True, slots=True)
class Known:
    """A word and in how many messages it is, of how many there are.

    PostgreSQL tells by which lexemes and in which messages, unless it is in too many.
    """

    term: Term
    hits: float
    total: float
    lexemes: Sequence[str] = ()
    keys: Sequence[int] = ()

    @property
    def rarity(self) -> float:
        """How much it tells that the word is there, as BM25 has it."""
        absent = max(self.total, self.hits) - self.hits
        return math.log(1 + (absent + 0.5) / (self.hits + 0.5))


class Ranked(NamedTuple):
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


def tell(known: Sequence[Known], *, is_whole_message: bool) -> list[Known]:
    """Return the words to score by, the rarest first."""
    found = sorted((one for one in known if one.hits), key=lambda one: one.hits)
    if not is_whole_message:
        return found
    telling = [one for one in found if one.hits <= max(_FEW, one.total * _COMMON_SHARE)]
    return telling or found[:_LEAST_WORDS]


def rarest(known: Sequence[Known], most: int) -> list[Known]:
    """Return the first of the words, the rarest, that together hit at most so many messages."""
    found, total = [], 0.0
    for one in known:
        total += one.hits
        if total > most:
            break
        found.append(one)
    return found


def look_around(span: Span) -> Span:
    """Return the span, knowing whether there is mail of other inboxes; one look at an index each.

    FTS5 walks through all mail of an inbox that a query names. Only SQLite is asked.
    """
    inbox_ids = sorted(span.inbox_ids)
    if connection.vendor != "sqlite" or len(inbox_ids) > _MOST_ASKED:
        return span
    before = [f"inbox_id < {inbox_ids[0]}"] if inbox_ids else []
    gaps = [f"inbox_id > {one} AND inbox_id < {next_}" for one, next_ in pairwise(inbox_ids)]
    after = [f"inbox_id > {inbox_ids[-1]}"] if inbox_ids else []
    others = (f"EXISTS (SELECT 1 FROM inbox_message WHERE {it})" for it in [*before, *gaps, *after])
    ((has_others,),) = fetch_all(f"SELECT {' OR '.join(others)}", [])
    return replace(span, is_all_mail=not has_others)


def find_all(span: Span, terms: Sequence[Term], limit: int) -> list[tuple[int, float]]:
    """Return messages in which every term hits, best first, each with its score above zero."""
    if connection.vendor == "sqlite":
        return _run(*_all_sqlite(span, terms, limit))
    return _run(*_all_postgresql(span, terms, limit))


def matching(span: Span, terms: Sequence[Term]) -> tuple[str, list[Any]]:
    """Return the SELECT of all messages that have every term, in no order, and its parameters."""
    condition, values = span.condition()
    sql = f"SELECT m.id FROM inbox_message m WHERE {condition}"
    if not terms:
        return sql, values
    if connection.vendor == "sqlite":
        found = "m.id IN (SELECT rowid FROM inbox_search WHERE inbox_search MATCH %s)"
        return f"{sql} AND {found}", [*values, match_all(span.named, terms)]
    query, words = tsquery(terms)
    return f"{sql} AND m.search @@ {query}", [*values, *words]


def find_newest(span: Span, limit: int) -> list[int]:
    """Return the newest messages of which the conditions hold, newest first.

    What no index tells is asked of the `WALKED` newest that an index gives, one after the other
    until there are enough.
    """
    asked = tuple(tests for tests in span.conditions if not are_indexed(tests))
    newest, newest_values = _newest(span)
    holds, values = Span(span.inbox_ids, span.start, span.end, asked).condition()
    # What is inside is read off an index of times. It is joined in its order.
    joined = f"CROSS JOIN inbox_message m ON m.id = n.id WHERE {holds}"
    if connection.vendor != "sqlite":
        joined = (
            "CROSS JOIN LATERAL (SELECT m.id, m.received_at FROM inbox_message m "
            f"WHERE m.id = n.id AND {holds} LIMIT 1) m"
        )
    sql = f"SELECT m.received_at, m.id FROM ({newest}) n {joined} LIMIT {limit}"
    rows = fetch_all(sql, [*newest_values, *values])
    return [int(pk) for _, pk in sorted(rows, reverse=True)]


def _newest(span: Span) -> tuple[str, list[Any]]:
    """Return the SELECT of the newest messages that the indexes give, and its parameters."""
    told = tuple(tests for tests in span.conditions if are_indexed(tests))
    match told:
        case ((Test(operator="label", value=(int(mailbox),)),),) if not span.start and not span.end:
            # A mailbox has an index of its own.
            return (
                "SELECT x.message_id AS id FROM inbox_message_mailboxes x WHERE x.mailbox_id = %s "
                f"ORDER BY x.received_at DESC, x.message_id DESC LIMIT {WALKED}",
                [mailbox],
            )
    among, values = replace(span, conditions=told).condition(kept=False)
    return (
        f"SELECT m.id FROM inbox_message m WHERE {among} "
        f"ORDER BY m.received_at DESC, m.id DESC LIMIT {WALKED}",
        values,
    )


def is_cut(span: Span) -> bool:
    """Return True if `find_newest` does not look at all messages of the span."""
    if all(map(are_indexed, span.conditions)):
        return False
    told = tuple(tests for tests in span.conditions if are_indexed(tests))
    among, values = replace(span, conditions=told).condition(kept=False)
    most = WALKED + 1
    some = f"SELECT 1 FROM inbox_message m WHERE {among} LIMIT {most}"
    ((walked,),) = fetch_all(f"SELECT count(*) FROM ({some}) AS walked", values)
    return bool(walked == most)


def _run(sql: str, values: Sequence[Any]) -> list[tuple[int, float]]:
    return [(int(pk), float(score)) for pk, score in fetch_all(sql, values)]


# -- SQLite ----------------------------------------------------------------------------------------
def match_all(inbox_ids: Sequence[int], terms: Sequence[Term]) -> str:
    """Return an FTS5 query for what has every term, in these inboxes; in all where none is named.

    What is scored names none: BM25 would count all mail of an inbox as the hits of its number.
    """
    return " AND ".join([*own_mail(inbox_ids), *(f"({match_any([term])})" for term in terms)])


def match_any(terms: Sequence[Term], inbox_ids: Sequence[int] = ()) -> str:
    """Return an FTS5 query; each term is a string in it, of which no character has a meaning.

    The number of an inbox is no word of its mail. What has no digit is in no number: of that FTS5
    need not look in which column it is, which is a third of its work.
    """
    parts = [quoted(form, is_open=term.is_open) for term in terms for form in term.forms]
    columns = f"{TEXT_COLUMNS} : " if any(map(_DIGIT.search, parts)) else ""
    return " AND ".join([*own_mail(inbox_ids), f"{columns}({' OR '.join(parts)})"])


def own_mail(inbox_ids: Sequence[int]) -> list[str]:
    """Return the part of an FTS5 query that names inboxes; none for none."""
    inboxes = " OR ".join(f'inbox_id : "{inbox_id}"' for inbox_id in inbox_ids)
    return [f"({inboxes})"] if inboxes else []


def hits_sqlite(span: Span, terms: Sequence[Term], limit: int) -> tuple[str, list[Any]]:
    """Return the SELECT of the newest that have every term, and its parameters."""
    condition, values = span.condition()
    sql = (
        "SELECT s.rowid AS id FROM inbox_search s CROSS JOIN inbox_message m ON m.id = s.rowid "
        f"WHERE inbox_search MATCH %s AND {condition} ORDER BY s.rowid DESC LIMIT {limit}"
    )
    return sql, [match_all(span.named, terms), *values]


def _all_sqlite(span: Span, terms: Sequence[Term], limit: int) -> tuple[str, list[Any]]:
    newest, newest_values = hits_sqlite(span, terms, RANKED)
    sql = (
        f"SELECT s.rowid, -{bm25()} AS score FROM inbox_search s "
        f"WHERE inbox_search MATCH %s AND +s.rowid IN (SELECT id FROM ({newest})) "
        f"ORDER BY score DESC, s.rowid DESC LIMIT {limit}"
    )
    return sql, [match_all((), terms), *newest_values]


# -- PostgreSQL ------------------------------------------------------------------------------------
def tsquery(terms: Sequence[Term], joined_by: str = " && ") -> tuple[str, list[Any]]:
    """Return PostgreSQL's query of the terms, and its parameters."""
    parts, values = [], []
    for term in terms:
        if term.is_open and term.text.isalnum():
            parts.append("to_tsquery('english', %s)")
            values.append(f"'{term.text}':*")
        else:
            phrase = f"phraseto_tsquery('english', {plain_words('%s')})"
            any_form = f"({' || '.join([phrase] * len(term.forms))})"
            # What the index leaves out all have, and in no other form.
            parts.append(f"CASE WHEN numnode({phrase}) > 0 THEN {any_form} ELSE '' END")
            values += [typed_of(term), *term.forms]
    return f"({joined_by.join(parts)})", values


def typed_of(term: Term) -> str:
    """Return what somebody typed of a term, without the stems that are looked for beside it."""
    return " ".join(form for form in term.forms if not form.startswith(STEM_MARK))


def hits_postgresql(span: Span, terms: Sequence[Term], limit: int) -> tuple[str, list[Any]]:
    """Return the SELECT of the newest that have every term, and its parameters."""
    condition, values = span.condition()
    query, words = tsquery(terms)
    # Materialised, or the planner may walk through all mail from the newest on and look at each.
    sql = (
        "WITH matching AS MATERIALIZED (SELECT m.id FROM inbox_message m "
        f"WHERE m.search @@ {query} AND {condition}) "
        f"SELECT id FROM matching ORDER BY id DESC LIMIT {limit}"
    )
    return sql, [*words, *values]


def _all_postgresql(span: Span, terms: Sequence[Term], limit: int) -> tuple[str, list[Any]]:
    hits, values = hits_postgresql(span, terms, RANKED)
    query, words = tsquery(terms)
    sql = (
        f"SELECT id, ts_rank({TS_RANK}, search, {query}, 1) AS score FROM inbox_message "
        f"WHERE id IN ({hits}) ORDER BY score DESC, id DESC LIMIT {limit}"
    )
    return sql, [*words, *values]


def find_unindexed(span: Span, terms: Sequence[Term], limit: int) -> list[int]:
    """Return the newest messages that have every one of terms that PostgreSQL does not index.

    They are "the", "will" or "don" and the like, some of them names. Only `LOOKED_THROUGH` of the
    newest messages are read for them, and of each text the beginning.
    """
    condition, values = span.condition()
    parts = ("subject", "from_name", "from_email", "left(search_extra, 10000)", "left(text, 50000)")
    text = " || ' ' || ".join(parts)
    lexemes = f"to_tsvector('simple', {plain_words('said')})"
    # To look for letters is much quicker: only what has them is read as words.
    asked = " AND ".join(
        f"strpos(lower(said), lower(%s)) > 0 AND {lexemes} @@ "
        f"phraseto_tsquery('simple', {plain_words('%s')})"
        for _ in terms
    )
    sql = (
        f"SELECT id FROM (SELECT m.id, m.received_at, {text} AS said FROM inbox_message m "
        f"WHERE {condition} ORDER BY m.received_at DESC, m.id DESC LIMIT {LOOKED_THROUGH}) "
        f"AS newest WHERE {asked} ORDER BY received_at DESC, id DESC LIMIT {limit}"
    )
    words = [each for term in terms for each in (term.text.split()[0], term.text)]
    return [int(pk) for (pk,) in fetch_all(sql, [*values, *words])]
