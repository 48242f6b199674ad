"""The database without its triggers, as one who owns it could have it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def without_triggers(*tables: str) -> Iterator[None]:
    """Put aside what the database refuses for these tables."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = [(name, sql) for name, table, sql in cursor.fetchall() if table in tables]
            for name, _ in triggers:
                cursor.execute(f"DROP TRIGGER {name}")
            yield
            for _, create in triggers:
                cursor.execute(create)
        else:
            cursor.execute("SET session_replication_role = replica")
            yield
            cursor.execute("SET session_replication_role = DEFAULT")
