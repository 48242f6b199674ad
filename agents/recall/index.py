"""The full-text index of memories: FTS5 on SQLite, a tsvector on PostgreSQL.

Both are asked for single words of ours, made of letters and digits, and for the newest that have
them: a common word is in everything.
"""

# ruff: noqa: S608 (all that is put into SQL here are our own names and numbers)

from collections.abc import Sequence
from typing import Any

from django.db import connection

from agents.recall.words import index_word, owner_word

# How many memories one word brings, and from how many on it counts as a common one.
MOST_OF_ONE, COMMON = 400, 100
# Among so many of the newest PostgreSQL looks first: its index gives no order, so that a word
# which half of all memories have would be dear.
_RECENT = 1000


def find_with(
    agent_id: int,
    words: Sequence[Sequence[str]],
    holds: tuple[str, Sequence[Any]] = ("", ()),
) -> list[list[int]]:
    """Return for each list of stems the keys of the agent's newest memories that have all of them.

    At most `MOST_OF_ONE`; at least `COMMON` of them where there are so many. One query, on
    PostgreSQL two, however many lists. `holds` is a further condition on the memory `m`.
    """
    owner = owner_word(agent_id)
    asked = [[owner, *map(index_word, group)] for group in words]
    if connection.vendor == "sqlite":
        return _fetch(_SQLITE, [" AND ".join(group) for group in asked], holds)
    condition, given = holds
    recent = _RECENT_ROWS.format(condition=condition)
    texts = [" & ".join(group) for group in asked]
    found = _fetch(_AMONG_RECENT, texts, before=f"{recent} ", values=[agent_id, *given])
    rare = [place for place, keys in enumerate(found) if len(keys) < COMMON]
    for place, keys in zip(rare, _fetch(_BY_INDEX, [texts[i] for i in rare], holds), strict=True):
        found[place] = keys
    return found


def is_whole(keys: Sequence[int]) -> bool:
    """Return True if what one list of stems found is all that there is, not the newest of it."""
    return len(keys) < (MOST_OF_ONE if connection.vendor == "sqlite" else COMMON)


def _fetch(
    one: str,
    asked: Sequence[str],
    holds: tuple[str, Sequence[Any]] = ("", ()),
    *,
    before: str = "",
    values: Sequence[Any] = (),
) -> list[list[int]]:
    """Run one SELECT for each text, all as one statement; return the keys that each found."""
    found: list[list[int]] = [[] for _ in asked]
    if not asked:
        return found
    condition, given = holds
    selects = (one.format(place=place, condition=condition) for place in range(len(asked)))
    parts = [f"SELECT * FROM ({select}) AS t{place}" for place, select in enumerate(selects)]
    with connection.cursor() as cursor:
        own = [value for text in asked for value in (text, *given)]
        cursor.execute(before + " UNION ALL ".join(parts), [*values, *own])
        for key, place in cursor.fetchall():
            found[place].append(key)
    return found


_SQLITE = (
    "SELECT s.rowid AS id, {place} AS place FROM agents_memory_search s "
    "CROSS JOIN agents_memory m ON m.id = s.rowid "
    "WHERE agents_memory_search MATCH %s AND m.deleted_at IS NULL AND NOT m.waits{condition} "
    f"ORDER BY s.rowid DESC LIMIT {MOST_OF_ONE}"
)
_RECENT_ROWS = (
    "WITH recent AS MATERIALIZED (SELECT id, search FROM agents_memory m "
    "WHERE agent_id = %s AND deleted_at IS NULL AND NOT waits{condition} "
    f"ORDER BY id DESC LIMIT {_RECENT})"
)
_AMONG_RECENT = (
    "SELECT id, {place} AS place FROM recent WHERE search @@ to_tsquery('simple', %s) "
    f"ORDER BY id DESC LIMIT {MOST_OF_ONE}"
)
# Materialised, or the planner may walk through all memories from the newest on.
_BY_INDEX = (
    "WITH matching AS MATERIALIZED (SELECT id FROM agents_memory m "
    "WHERE search @@ to_tsquery('simple', %s) AND deleted_at IS NULL AND NOT waits{condition}) "
    f"SELECT id, {{place}} AS place FROM matching ORDER BY id DESC LIMIT {MOST_OF_ONE}"
)
