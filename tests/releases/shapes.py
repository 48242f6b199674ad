"""Everything that the catalogue of a database says of its schema, so that two can be compared whole."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg

from project.schema.shape import even

_POSTGRESQL = {
    "columns": (
        "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, "
        "a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid) "
        "FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
        "LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum "
        "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') "
        "AND a.attnum > 0 AND NOT a.attisdropped"
    ),
    "indexes": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "constraints": (
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE connamespace = 'public'::regnamespace AND convalidated"
    ),
    "triggers": (
        "SELECT pg_get_triggerdef(t.oid), t.tgenabled FROM pg_trigger t WHERE NOT t.tgisinternal"
    ),
    "functions": (
        "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
    ),
}


def plain(expression: str) -> str:
    """Return what PostgreSQL prints, without casts and brackets: a dump that was restored has more."""
    return re.sub(r"::[a-z]+( varying)?(\[\])?|[()\s]", "", expression)


def postgresql_shape(url: str) -> set[tuple]:
    """Return everything that a database has, each as (kind, …)."""
    with psycopg.connect(url) as database:
        return {
            (kind, *(plain(each) if isinstance(each, str) else each for each in row))
            for kind, sql in _POSTGRESQL.items()
            for row in database.execute(sql)
        }


def sqlite_shape(path: Path) -> set[tuple]:
    """Return everything that a database has, each as (kind, …).

    The parts of a table are its columns and constraints, in whatever order they came to be there.
    """
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    found: set[tuple] = set()
    for kind, name, table, sql in rows:
        if kind == "table" and "VIRTUAL" not in sql:
            found |= {("table", name, part) for part in parts_of(sql)}
        elif sql is not None:
            found.add((kind, name, table, even(sql)))
    return found


def parts_of(create: str) -> list[str]:
    """Return what stands between the outer brackets of a CREATE TABLE, by the commas there."""
    inside = create[create.index("(") + 1 : create.rindex(")")]
    parts, depth, start = [], 0, 0
    for at, token in ((it.start(), it[0]) for it in re.finditer(r"'(?:[^']|'')*'|[(),]", inside)):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if token == "," and depth == 0:
            parts.append(even(inside[start:at]))
            start = at + 1
    return [*parts, even(inside[start:])]
