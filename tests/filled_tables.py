"""Which tables hold rows: after a test that commits, these are the ones to empty.

What a migration leaves beside our rows stands: content types, permissions and the planner's
figures. Emptying tables would have them made again, which takes longer than most tests.
"""

from collections.abc import Sequence

from django.core.management.commands import flush
from django.db.backends.base.base import BaseDatabaseWrapper

_STANDING = frozenset({"django_content_type", "auth_permission"})
flush.emit_post_migrate_signal = lambda *_, **__: None


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
