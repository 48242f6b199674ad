"""Asking the database in SQL of our own."""

from collections.abc import Sequence
from typing import Any

from django.db import connection


def fetch_all(sql: str, values: Sequence[Any]) -> list[Any]:
    """Run a SELECT and return its rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows: list[Any] = cursor.fetchall()
    return rows
