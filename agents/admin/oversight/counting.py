"""Rows counted by the reader's days, by one statement each.

The days go along as a table of their own, so that the database counts each by a stretch of its
index: exact in every zone, with no arithmetic on dates, which SQLite would do in Python.
"""

from collections.abc import Hashable, Sequence
from typing import Any, cast

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import F, QuerySet

from agents.admin.oversight.scope import Day
from inbox.prepared import Prepared

KEYS = ("key_1", "key_2", "key_3")


def by_keys(rows: QuerySet[Any], at: str, **keys: Any) -> QuerySet[Any]:
    """Return the rows with what they are counted by: the time `at`, and `keys`, at most three."""
    named = dict(zip(KEYS, keys.values(), strict=False))
    counted: Any = rows.order_by().annotate(counted_at=F(at), **named)
    return cast("QuerySet[Any]", counted.values("counted_at", *named))


def per_day(
    counted: Prepared, keys: int, days: Sequence[Day], *shape: Hashable, **values: Any
) -> list[tuple[Any, ...]]:
    """Return (number of the day, *keys, count) for the rows of `by_keys`, which have so many keys.

    `counted` builds them of the shape and the values.
    """
    try:
        sql, parameters = counted.sql(*shape, **values)
    except EmptyResultSet:
        return []
    adapt = connection.ops.adapt_datetimefield_value
    table: list[Any] = []
    for number, day in enumerate(days):
        table += [number, adapt(day.begins), adapt(day.ends)]
    values_of_days = ", ".join(["(%s, %s, %s)"] * len(days))
    columns = ", ".join(["days.n", *(f"counted.{name}" for name in KEYS[:keys])])
    statement = (
        f"WITH days (n, begins, ends) AS (VALUES {values_of_days}) "  # noqa: S608
        f"SELECT {columns}, COUNT(*) FROM days CROSS JOIN ({sql}) counted "
        f"WHERE counted.counted_at >= days.begins AND counted.counted_at < days.ends "
        f"GROUP BY {columns}"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [*table, *parameters])
        return list(cursor.fetchall())
