"""Words that no mail has, as whoever typed them may have meant them: by the words that it has.

The nearest word of these inboxes is taken, by how many letters are wrong, missing, too many or have
changed places (Damerau). On SQLite the vocabulary is that of the index, and has words of all mail:
of those near enough only what stands in a message of these inboxes counts. On PostgreSQL it is
that of the newest messages of these inboxes. To look for words may take a part of a second.
"""

# ruff: noqa: S608 (all that is put into SQL here are our own names and numbers)

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import snowballstemmer
from django.db import connection

from inbox.rfc5322.text.folds import folded
from inbox.rfc5322.text.word_forms import STEM_MARK
from inbox.search.attachments import match_attached
from inbox.search.index import Span, match_all, tsquery
from inbox.search.letters import distance, may_be_near
from inbox.search.running import fetch_all
from inbox.search.words import Term, in_all_forms

# In seconds, to look through the vocabulary.
_LONGEST: Final = 0.3
_AT_ONCE, _MOST_WORDS, _MOST_CANDIDATES = 500, 3, 20
# So many of the newest messages are the vocabulary on PostgreSQL; of a word so many places are
# looked at for one in these inboxes on SQLite.
_NEWEST, _MOST_PLACES = 2_000, 2_000
_SHORTEST, _LONGEST_WORD, _SHORTEST_FOR_TWO = 4, 30, 6
_READ = 50_000
_WORD = re.compile(r"[^\W\d_]{3,40}")
_TEXTS = "m.subject || ' ' || m.from_name || ' ' || substr(m.text, 1, {most})"


@dataclass(frozen=True, slots=True)
class Correction:
    """The terms that are looked for, and by each word that was typed what stands in its place."""

    terms: tuple[Term, ...]
    instead: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Sought:
    """A word that no mail has: as it was typed, folded, and its stem as the index has it."""

    typed: str
    plain: str
    stem: str

    @property
    def most(self) -> int:
        """How many letters may be wrong."""
        return 2 if len(self.plain) >= _SHORTEST_FOR_TWO else 1


def correct(span: Span, terms: Sequence[Term]) -> Correction | None:
    """Return other terms, where a word stands in no mail of these inboxes and one near it does.

    What was quoted is meant as it stands. Five statements at most; the times and conditions of the
    span have no part in it.
    """
    span = replace(span, start=None, end=None, conditions=())
    sought = [_sought(word) for word in _unknown(span, [it for it in terms if _may_err(it)])]
    if not sought:
        return None
    nearest = _nearest(span, sought[:_MOST_WORDS])
    if not nearest:
        return None
    replaced = (
        replace(term, text=nearest[term.text]) if _may_err(term) and term.text in nearest else term
        for term in terms
    )
    return Correction(tuple(replaced), nearest)


def _may_err(term: Term) -> bool:
    single = not (term.is_open or term.others or term.is_literal)
    return single and term.text.isalpha() and _SHORTEST <= len(term.text) <= _LONGEST_WORD


def _sought(word: str) -> _Sought:
    plain = folded(word)
    return _Sought(word, plain, _stem(plain))


def _stem(word: str) -> str:
    return str(_stemmer(connection.vendor).stemWord(word))


@cache
def _stemmer(vendor: str) -> Any:
    # That of FTS5 is Porter's first one.
    return snowballstemmer.stemmer("porter" if vendor == "sqlite" else "english")


def _unknown(span: Span, terms: Sequence[Term]) -> list[str]:
    """Return the words that no message of the inboxes has, in any form; one query."""
    if not terms:
        return []
    asked = in_all_forms(terms)
    if connection.vendor == "sqlite":
        sql = (
            "SELECT key FROM json_each(%s) WHERE NOT EXISTS "
            "(SELECT 1 FROM inbox_search WHERE inbox_search MATCH value) AND NOT EXISTS (SELECT 1 "
            "FROM inbox_attachment_search WHERE inbox_attachment_search MATCH json_extract(%s, "
            "'$[' || key || ']'))"
        )
        said = json.dumps([match_attached(span.inbox_ids, term) for term in asked])
        rows = fetch_all(sql, [json.dumps([match_all(span.named, [term]) for term in asked]), said])
    else:
        condition, values = span.condition()
        parts, given = [], []
        for place, term in enumerate(asked):
            query, words = tsquery([term])
            parts.append(f"({place}, {query})")
            given += words
        sql = (
            f"SELECT place FROM (VALUES {', '.join(parts)}) AS asked (place, query) "
            "WHERE numnode(query) > 0 AND NOT EXISTS (SELECT 1 FROM inbox_message m "
            f"WHERE m.search @@ query AND {condition}) AND NOT EXISTS "
            "(SELECT 1 FROM inbox_attachmenttext x WHERE x.search @@ query "
            f"AND x.inbox_id IN ({', '.join(['%s'] * len(span.inbox_ids))}))"
        )
        rows = fetch_all(sql, [*given, *values, *span.inbox_ids])
    return [terms[place].text for (place,) in rows]


def _nearest(span: Span, sought: Sequence[_Sought]) -> dict[str, str]:
    """Return by word what stands nearest to it in messages of the inboxes, where any is near."""
    on_sqlite = connection.vendor == "sqlite"
    words = _vocabulary_sqlite(sought) if on_sqlite else _vocabulary_postgresql(span)
    near: dict[str, list[tuple[int, int, str]]] = {one.typed: [] for one in sought}
    for word, often in words:
        for one in sought:
            if may_be_near(one.stem, word, one.most):
                off = distance(one.stem, word, one.most)
                if off <= one.most:
                    near[one.typed].append((off, -often, word))
    candidates = {
        typed: [word for *_, word in sorted(found)[:_MOST_CANDIDATES]]
        for typed, found in near.items()
    }
    every = list(dict.fromkeys(word for found in candidates.values() for word in found))
    if not every:
        return {}
    texts = (_texts_sqlite if on_sqlite else _texts_postgresql)(span, every)
    chosen = {one.typed: _as_written(one, candidates[one.typed], texts) for one in sought}
    return {typed: word for typed, word in chosen.items() if word}


def _as_written(one: _Sought, candidates: Sequence[str], texts: Mapping[str, str]) -> str:
    """Return what stands in the texts of the candidates, which are stems, nearest to the word.

    Where only the stem is near, the first word that has it.
    """
    best, written = one.most + 1, ""
    with_stem = ""
    for stem in candidates:
        for word in dict.fromkeys(_WORD.findall(texts.get(stem, "").lower())):
            plain = folded(word)
            if may_be_near(one.plain, plain, best - 1):
                off = distance(one.plain, plain, best - 1)
                if 0 < off < best:
                    best, written = off, word
            if not with_stem and plain.startswith(stem[:-1]) and _stem(plain) == stem:
                with_stem = word
    return written or with_stem


# -- SQLite ----------------------------------------------------------------------------------------
def _vocabulary_sqlite(sought: Sequence[_Sought]) -> Iterator[tuple[str, int]]:
    """Yield words of the index and in how many messages each is, until the time is over.

    Those with the same first two letters come first, in either order, then those with the first.
    """
    ranges = []
    for one in sought:
        first, second = one.stem[:1], one.stem[1:2]
        ranges += [first + second, second + first]
    ranges += [one.stem[:1] for one in sought]
    ranges = list(dict.fromkeys(ranges))
    parts = " UNION ALL ".join(
        "SELECT term, doc FROM temp.inbox_search_words WHERE term >= %s AND term < %s"
        for _ in ranges
    )
    bounds = [end for start in ranges for end in (start, f"{start[:-1]}{chr(ord(start[-1]) + 1)}")]
    until = time.monotonic() + _LONGEST
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.inbox_search_words "
            "USING fts5vocab('main', 'inbox_search', 'row')"
        )
        cursor.execute(parts, bounds)
        while time.monotonic() < until and (rows := cursor.fetchmany(_AT_ONCE)):
            yield from (row for row in rows if not row[0].startswith(STEM_MARK))


def _texts_sqlite(span: Span, words: Sequence[str]) -> dict[str, str]:
    """Return by word, as it stands in the index, the text of a message of the inboxes with it."""
    condition, values = span.condition()
    sql = (
        f"SELECT w.value, {_TEXTS.format(most=_READ)} FROM json_each(%s) w "
        "CROSS JOIN inbox_message m ON m.id = (SELECT m.id FROM (SELECT doc FROM "
        f"temp.inbox_search_places WHERE term = w.value LIMIT {_MOST_PLACES}) p "
        f"CROSS JOIN inbox_message m ON m.id = p.doc WHERE {condition} LIMIT 1)"
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.inbox_search_places "
            "USING fts5vocab('main', 'inbox_search', 'instance')"
        )
        cursor.execute(sql, [json.dumps(list(words)), *values])
        return dict(cursor.fetchall())


# -- PostgreSQL ------------------------------------------------------------------------------------
def _vocabulary_postgresql(span: Span) -> list[tuple[str, int]]:
    """Return the words of the newest messages of the inboxes, and in how many each is."""
    # ts_stat takes a query as text: all that is put into it are numbers.
    inbox_ids = ", ".join(str(int(inbox_id)) for inbox_id in span.inbox_ids)
    newest = (
        f"SELECT search FROM inbox_message WHERE inbox_id IN ({inbox_ids}) "
        f"AND deleted_at IS NULL ORDER BY received_at DESC, id DESC LIMIT {_NEWEST}"
    )
    sql = "SELECT word, ndoc FROM ts_stat(%s) WHERE word ~ '^[[:alpha:]]{3,40}$'"
    return [(word, often) for word, often in fetch_all(sql, [newest]) if word[:2] != STEM_MARK]


def _texts_postgresql(span: Span, words: Sequence[str]) -> dict[str, str]:
    condition, values = span.condition()
    sql = (
        "WITH newest AS MATERIALIZED (SELECT m.id, m.search FROM inbox_message m "
        f"WHERE {condition} ORDER BY m.received_at DESC, m.id DESC LIMIT {_NEWEST}) "
        f"SELECT w.word, {_TEXTS.format(most=_READ)} FROM unnest(%s::text[]) AS w (word) "
        "CROSS JOIN LATERAL (SELECT n.id FROM newest n "
        "WHERE n.search @@ to_tsquery('simple', w.word) LIMIT 1) f "
        "JOIN inbox_message m ON m.id = f.id"
    )
    return dict(fetch_all(sql, [*values, list(words)]))
