"""Messages whose attachments have the words that they lack themselves.

What attachments say has an index of its own: it makes nothing of the mail longer, and so nothing
of it weaker. What is found by them comes after the messages that have every word themselves.
"""

# ruff: noqa: S608 (all that is put into SQL here are our own names and numbers)

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from inbox.search.field_words import quoted
from inbox.search.index import RANKED, Span, match_any, own_mail, tsquery
from inbox.search.running import fetch_all
from inbox.search.words import Term

_COLUMNS = "{search_extra text}"
_TS_RANK = "'{0, 0.125, 0.25, 1}'"


@dataclass(frozen=True, slots=True)
class Attached:
    """A message by its key, its score, and the attachment by which it was found."""

    key: int
    score: float
    attachment: int


def find_attached(span: Span, terms: Sequence[Term], limit: int) -> list[Attached]:
    """Return messages that have every term with their attachments, one in these; best first.

    Of each term the newest attachments with it count. Three queries at most, of which the first
    tells where there is none.
    """
    on_sqlite = connection.vendor == "sqlite"
    best: dict[int, dict[int, tuple[float, int]]] = {}
    sql, values = (_said_sqlite if on_sqlite else _said_postgresql)(span, terms)
    for place, message, attachment, score in fetch_all(sql, values):
        of_terms = best.setdefault(int(message), {})
        of_terms[place] = max(of_terms.get(place, (0.0, 0)), (float(score), int(attachment)))
    lacking = {key for key, found in best.items() if len(found) < len(terms)}
    having = {
        place: {key for key, found in best.items() if place in found} for place in range(len(terms))
    }
    if lacking:
        sql, values = (_own_sqlite if on_sqlite else _own_postgresql)(terms, lacking)
        for place, message in fetch_all(sql, values):
            having[place].add(int(message))
    whole = set(best).intersection(*having.values())
    ranked = [_attached(key, best[key].values()) for key in _kept(span, whole)]
    return sorted(ranked, key=lambda one: (one.score, one.key), reverse=True)[:limit]


def _attached(key: int, found: Iterable[tuple[float, int]]) -> Attached:
    found = list(found)
    return Attached(key, max(sum(score for score, _ in found), 1e-9), max(found)[1])


def _kept(span: Span, keys: Iterable[int]) -> list[int]:
    """Return those of the messages of which the conditions of the span hold."""
    newest = sorted(keys, reverse=True)[:RANKED]
    if not newest:
        return []
    condition, values = span.condition()
    marks = ", ".join(["%s"] * len(newest))
    sql = f"SELECT m.id FROM inbox_message m WHERE m.id IN ({marks}) AND {condition}"
    return [int(key) for (key,) in fetch_all(sql, [*newest, *values])]


# -- SQLite ----------------------------------------------------------------------------------------
def match_attached(inbox_ids: Sequence[int], term: Term) -> str:
    """Return an FTS5 query for the attachments of these inboxes that have a term."""
    parts = " OR ".join(quoted(form, is_open=term.is_open) for form in term.forms)
    return " AND ".join([*own_mail(inbox_ids), f"{_COLUMNS} : ({parts})"])


def _said_sqlite(span: Span, terms: Sequence[Term]) -> tuple[str, list[Any]]:
    """Return the SELECT of the newest attachments of each term; an inbox's number has no score."""
    one = (
        "SELECT * FROM (SELECT %s AS place, x.message_id, x.attachment_id, "
        "-bm25(inbox_attachment_search, 0.0) AS score FROM inbox_attachment_search s "
        "CROSS JOIN inbox_attachmenttext x ON x.attachment_id = s.rowid "
        f"WHERE inbox_attachment_search MATCH %s ORDER BY s.rowid DESC LIMIT {RANKED})"
    )
    values: list[Any] = []
    for place, term in enumerate(terms):
        values += [place, match_attached(span.inbox_ids, term)]
    return " UNION ALL ".join([one] * len(terms)), values


def _own_sqlite(terms: Sequence[Term], keys: Iterable[int]) -> tuple[str, list[Any]]:
    one = (
        "SELECT %s, rowid FROM inbox_search WHERE inbox_search MATCH %s "
        "AND +rowid IN (SELECT value FROM json_each(%s))"
    )
    values: list[Any] = []
    told = json.dumps(sorted(keys))
    for place, term in enumerate(terms):
        values += [place, match_any([term]), told]
    return " UNION ALL ".join([one] * len(terms)), values


# -- PostgreSQL ------------------------------------------------------------------------------------
def _said_postgresql(span: Span, terms: Sequence[Term]) -> tuple[str, list[Any]]:
    inboxes = ", ".join(["%s"] * len(span.inbox_ids))
    parts, values = [], []
    for place, term in enumerate(terms):
        query, words = tsquery([term])
        parts.append(
            f"(SELECT {place} AS place, x.message_id, x.attachment_id, "
            f"ts_rank({_TS_RANK}, x.search, {query}, 1) AS score FROM inbox_attachmenttext x "
            f"WHERE x.search @@ {query} AND x.inbox_id IN ({inboxes}) "
            f"ORDER BY x.attachment_id DESC LIMIT {RANKED})"
        )
        values += [*words, *words, *span.inbox_ids]
    return " UNION ALL ".join(parts), values


def _own_postgresql(terms: Sequence[Term], keys: Iterable[int]) -> tuple[str, list[Any]]:
    """Return the SELECT of the messages of each term; a word that no index has they all have."""
    parts, values = [], []
    told = sorted(keys)
    for place, term in enumerate(terms):
        query, words = tsquery([term])
        parts.append(
            f"SELECT {place} AS place, m.id FROM inbox_message m WHERE m.id = ANY(%s) "
            f"AND (numnode({query}) = 0 OR m.search @@ {query})"
        )
        values += [told, *words, *words]
    return " UNION ALL ".join(parts), values
