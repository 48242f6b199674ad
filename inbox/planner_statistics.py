"""What SQLite is told of our tables before it could count them.

Its planner knows nothing of a database that nobody has analysed: an index that begins with the
workspace, which finds everything, then seems as good as one that finds a single thread. So after
each migration it is given the figures of a large installation; PostgreSQL counts by itself.
"""

from typing import Any

from django.apps import apps
from django.db import connections, transaction

_LARGE, _SMALL = 100_000, 10
# Tables of which each installation has few rows.
_FEW = frozenset(
    {
        "inbox_workspace", "inbox_membership", "inbox_account", "inbox_identity", "inbox_inbox",
        "calendar_app_calendar", "calendar_app_todolist", "agents_agent", "agents_grant",
        "agents_token", "agents_webhookendpoint",
    }
)  # fmt: skip
# What of events are few: those that recur, and single instances that differ from their series.
_FEWER = {"calendar_app_expansion": 2_000, "event_changed": 2_000}
# Columns that tell few rows apart.
_COARSE = frozenset(
    {
        "workspace_id", "account_id", "inbox_id", "calendar_id", "list_id", "agent_id",
        "author_id", "sender_id", "recipient_id", "actor", "source", "state", "status", "priority",
        "deleted_at", "approval", "merged_into_id",
    }
)  # fmt: skip
# Fewer than 18: from there on SQLite skips through an index whose first column nobody gave.
_OF_ONE_VALUE = 10
_OF_ONE_MAILBOX = 2_000


def describe_tables(*, using: str, **_: Any) -> None:
    """Write the figures of each of our indexes; connections that open from then on know them."""
    connection = connections[using]
    if connection.vendor != "sqlite":
        return
    names = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    ours = {name for name in names if name.startswith(("inbox_", "agents_", "calendar_app_"))}
    with transaction.atomic(using=using), connection.cursor() as cursor:
        rows = [row for table in sorted(ours) for row in _figures(cursor, table)]
        # Makes the table of figures where there is none.
        cursor.execute("ANALYZE sqlite_master")
        for table in sorted(ours):
            cursor.execute("DELETE FROM sqlite_stat1 WHERE tbl = %s", [table])
        cursor.executemany("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (%s, %s, %s)", rows)
        cursor.execute("ANALYZE sqlite_master")


def _figures(cursor: Any, table: str) -> list[tuple[str, str, str]]:
    cursor.execute(f"PRAGMA index_list('{table}')")
    found = []
    for _, index, is_unique, *_ in cursor.fetchall():
        cursor.execute(f"PRAGMA index_info('{index}')")
        columns = [str(column) for _, _, column in cursor.fetchall()]
        total = _SMALL if table in _FEW else _FEWER.get(table, _FEWER.get(index, _LARGE))
        coarse = frozenset() if total in _FEWER.values() else _COARSE
        found.append((table, index, _figure(columns, total, coarse, is_unique=bool(is_unique))))
    return found


def _figure(columns: list[str], total: int, coarse: frozenset[str], *, is_unique: bool) -> str:
    """Return the rows of an index, and how many have the same first, first two, … columns."""
    alike, parts = total, [total]
    for column in columns:
        alike = alike if column in coarse else _next(alike, column)
        parts.append(alike)
    if is_unique:
        parts[-1] = 1
    return " ".join(map(str, parts))


def _next(alike: int, column: str) -> int:
    """Return how many of so many rows are alike in this column too."""
    most = _OF_ONE_MAILBOX if column == "mailbox_id" else _OF_ONE_VALUE
    return most if alike > most else 1
