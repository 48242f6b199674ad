"""Searching files and folders: their names and what the files say."""

# ruff: noqa: S608 (all that is put into SQL here are our own names and numbers)

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from django.db import connection

from inbox.actor import Actor
from inbox.models import Account, FileNode
from inbox.rfc5322.text.language import detect_language
from inbox.search.index import RANKED, tsquery
from inbox.search.snippets import snippet
from inbox.search.words import Term, open_last, parse_query

Mode: TypeAlias = Literal["all", "any"]
# In the order of database_rules.SEARCHED: the account's number does not count.
_BM25 = "bm25(inbox_file_search, 0.0, 8.0, 4.0, 1.0)"
# D, C, B, A: nothing, text, words of the name, the name.
_TS_RANK = "'{0, 0.125, 0.45, 1}'"
_SHOWN = 20_000
_MOST_TERMS = 32


@dataclass(frozen=True, slots=True)
class FileHit:
    """A file or folder that was found, how well (above zero, comparable within one search)."""

    file: FileNode
    score: float
    snippet: str


def find_files(
    *, actor: Actor, accounts: Sequence[Account], query: str, limit: int = 50, mode: Mode = "all"
) -> list[FileHit]:
    """Return the best hits in names and texts, best first; of equals the newest.

    Every word must hit, the last one perhaps as a beginning; where nothing has them all, what has
    some, as where the mode is `any` from the beginning. Four queries at most.
    """
    terms = parse_query(query)[:_MOST_TERMS]
    if not terms or not accounts:
        return []
    keys = [account.pk for account in accounts]
    if mode == "any":
        return _read(actor, dict(_search(keys, terms, limit, mode)), terms)[:limit]
    found = dict(_search(keys, terms, limit, "all"))
    opened = open_last(terms) if len(found) < limit else None
    if opened:
        lowest = min(found.values(), default=1.0)
        for pk, score in _search(keys, opened, limit, "all"):
            # Whole words first: what only begins like the last word stands behind them.
            found.setdefault(pk, lowest * min(score, 0.9))
    if not found and len(terms) > 1:
        found = dict(_search(keys, terms, limit, "any"))
    return _read(actor, found, terms)[:limit]


def _read(actor: Actor, found: dict[int, float], terms: Sequence[Term]) -> list[FileHit]:
    rows = FileNode.objects.visible_to(actor).kept().filter(pk__in=found).defer("search_extra")
    hits = [
        FileHit(row, found[row.pk], _snippet(terms, row.name, row.text[:_SHOWN])) for row in rows
    ]
    return sorted(
        hits, key=lambda hit: (hit.score, hit.file.modified_at, hit.file.pk), reverse=True
    )


def _snippet(terms: Sequence[Term], name: str, text: str) -> str:
    return snippet(terms, text, [("Name", name)], detect_language(f"{name}\n{text}"))


def _search(
    accounts: Sequence[int], terms: Sequence[Term], limit: int, mode: Mode
) -> list[tuple[int, float]]:
    build = _sqlite if connection.vendor == "sqlite" else _postgresql
    with connection.cursor() as cursor:
        cursor.execute(*build(accounts, terms, limit, mode))
        # A word that everything has scores next to nothing, but it was found.
        return [(int(pk), max(float(score), 1e-9)) for pk, score in cursor.fetchall()]


def _sqlite(
    accounts: Sequence[int], terms: Sequence[Term], limit: int, mode: Mode
) -> tuple[str, list[Any]]:
    """Return the query; each term is a string in it, of which no character has a meaning."""
    parts = [f'"{term.text.replace(chr(34), " ")}"{" *" if term.is_open else ""}' for term in terms]
    words = f" {'AND' if mode == 'all' else 'OR'} ".join(
        f"({{name search_extra text}} : {part})" for part in parts
    )
    own = " OR ".join(f'"{key}"' for key in accounts)
    hits = (
        "FROM inbox_file_search s CROSS JOIN inbox_filenode f ON f.id = s.rowid "
        f"WHERE inbox_file_search MATCH %s AND f.account_id IN ({_marks(accounts)}) "
        "AND f.deleted_at IS NULL"
    )
    sql = (
        f"SELECT s.rowid, -{_BM25} AS score {hits} AND s.rowid >= (SELECT min(id) FROM "
        f"(SELECT s.rowid AS id {hits} ORDER BY s.rowid DESC LIMIT {RANKED})) "
        f"ORDER BY score DESC, s.rowid DESC LIMIT {limit}"
    )
    values = [f"account_id : ({own}) AND ({words})", *accounts]
    return sql, [*values, *values]


def _postgresql(
    accounts: Sequence[int], terms: Sequence[Term], limit: int, mode: Mode
) -> tuple[str, list[Any]]:
    query, words = tsquery(terms, " && " if mode == "all" else " || ")
    # Materialised, or the planner may walk through all files from the newest on.
    sql = (
        "WITH matching AS MATERIALIZED (SELECT f.id FROM inbox_filenode f "
        f"WHERE f.search @@ {query} AND f.account_id IN ({_marks(accounts)}) "
        f"AND f.deleted_at IS NULL ORDER BY f.id DESC LIMIT {RANKED}) "
        f"SELECT id, ts_rank({_TS_RANK}, search, {query}, 1) AS score FROM inbox_filenode "
        f"WHERE id IN (SELECT id FROM matching) ORDER BY score DESC, id DESC LIMIT {limit}"
    )
    return sql, [*words, *accounts, *words]


def _marks(accounts: Sequence[int]) -> str:
    return ", ".join(["%s"] * len(accounts))
