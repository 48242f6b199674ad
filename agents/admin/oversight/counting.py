"""Rows counted by the reader's days, by one statement each.

The days go along as a table of their own, so that the database counts each by a stretch of its
index: exact in every zone, with no arithmetic on dates, which SQLite would do in Python.
"""

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import F, QuerySet

from agents.admin.oversight.scope import Day


def per_day(
    rows: QuerySet[Any], days: Sequence[Day], at: str, **keys: Any
) -> list[tuple[Any, ...]]:
    """Return (number of the day, *keys, count) for rows by the time `at`.

    `keys` are columns or expressions to count by, in order.
    """
    names = [f"key_{name}" for name in keys]
    named = dict(zip(names, keys.values(), strict=True))
    inner = rows.order_by().annotate(counted_at=F(at), **named).values("counted_at", *names)
    sql, parameters = inner.query.sql_with_params()
    adapt = connection.ops.adapt_datetimefield_value
    table: list[Any] = []
    for number, day in enumerate(days):
        table += [number, adapt(day.begins), adapt(day.ends)]
    values = ", ".join(["(%s, %s, %s)"] * len(days))
    columns = ", ".join(["days.n", *(f"counted.{name}" for name in names)])
    statement = (
        f"WITH days (n, begins, ends) AS (VALUES {values}) "  # noqa: S608
        f"SELECT {columns}, COUNT(*) FROM days CROSS JOIN ({sql}) counted "
        f"WHERE counted.counted_at >= days.begins AND counted.counted_at < days.ends "
        f"GROUP BY {columns}"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [*table, *parameters])
        return list(cursor.fetchall())
