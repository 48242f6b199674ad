"""Statements as SQLite takes them: those that come again are known, and are the same."""

import pytest
from django.db import connection

from project.sqlite3.base import _LONGEST_KEPT

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="of SQLite"),
]


def test_a_statement_that_comes_again_takes_other_values():
    with connection.cursor() as cursor:
        for value in (1, "two", None, "%s"):
            cursor.execute("SELECT %s, '100 %%', '%%s'", [value])
            assert cursor.fetchall() == [(value, "100 %", "%s")]
            cursor.execute("SELECT %(it)s, '%%'", {"it": value})
            assert cursor.fetchall() == [(value, "%")]


def test_a_statement_too_long_to_be_kept_is_run_as_well():
    numbers = list(range(_LONGEST_KEPT // 3))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FROM (VALUES {', '.join(['(%s)'] * len(numbers))})", numbers
        )
        assert cursor.fetchall() == [(len(numbers),)]
