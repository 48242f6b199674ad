"""Which tables hold rows: after a test that commits, these are the ones to empty."""

from collections.abc import Sequence

from django.db.backends.base.base import BaseDatabaseWrapper

# Django would fill these again at once, row by row.
_STANDING = frozenset({"django_content_type", "auth_permission"})


def filled(connection: BaseDatabaseWrapper, tables: Sequence[str]) -> list[str]:
    """Return those of the tables that have any row, asked in one query, but for what stands."""
    tables = [table for table in tables if table not in _STANDING]
    asked = [
        f"SELECT %s WHERE EXISTS (SELECT 1 FROM {connection.ops.quote_name(table)})"
        for table in tables
    ]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(asked), tables)
        return [table for (table,) in cursor.fetchall()]
