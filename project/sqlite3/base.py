"""The database backend that the settings name where the database is SQLite."""

import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Any

from django.db.backends.sqlite3 import base, schema
from django.db.models import Model

from inbox.background.precedence import is_in_background
from project.sqlite3.turns import Turn, Turns, turns_of

_WRITING = ("INSERT", "UPDATE", "DELETE", "REPLACE")
_TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"

# After so many changes, work in the background has its connection write them into the database.
CHECKPOINT_AFTER = 2000


# So many statements are kept, of so many characters at most.
_MOST_KEPT, _LONGEST_KEPT = 512, 20_000


@lru_cache(maxsize=_MOST_KEPT)
def _converted(query: str) -> str:
    """Return a statement with SQLite's marks of parameters."""
    return base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """Alters tables as Django does, and loses no trigger by it."""

    def _remake_table(self, model: type[Model], *args: Any, **kwargs: Any) -> None:
        """Make a table anew, as SQLite wants for most changes, with all triggers put aside.

        Its own go with the old table, and one of another table that reads it keeps the new one
        from taking its name. All of it is part of the migration's transaction.
        """
        with self.connection.cursor() as cursor:
            cursor.execute(_TRIGGERS)
            triggers = cursor.fetchall()
        for name, _ in triggers:
            self.execute(f"DROP TRIGGER {self.quote_name(name)}", None)
        super()._remake_table(model, *args, **kwargs)  # type: ignore[misc]
        for _, statement in triggers:
            self.execute(statement, None)


class Cursor(base.SQLiteCursorWrapper):
    """Django's; a statement that writes without a transaction waits for its turn."""

    database: "DatabaseWrapper"

    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        """Return a statement as SQLite takes it: of those that come again it is known."""
        if param_names is None and len(query) <= _LONGEST_KEPT:
            return _converted(query)
        converted: str = super().convert_query(query, param_names=param_names)
        return converted

    def execute(self, query: str, params: Any = None) -> Any:
        """Run a statement."""
        if self.database.in_atomic_block or not query.startswith(_WRITING):
            return super().execute(query, params)
        with self.database.turn.held():
            return super().execute(query, params)

    def executemany(self, query: str, param_list: Iterable[Any]) -> Any:
        """Run a statement with many parameters."""
        if self.database.in_atomic_block:
            return super().executemany(query, param_list)
        with self.database.turn.held():
            return super().executemany(query, param_list)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with that editor; what writes waits for its turn (`project.sqlite3.turns`)."""

    SchemaEditorClass = DatabaseSchemaEditor

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.turn = Turn(self._turns)
        # How many changes the connection had made when it last wrote the log into the database.
        self._checkpointed = 0

    def _turns(self) -> Turns | None:
        name = str(self.settings_dict["NAME"])
        return None if self.is_in_memory_db() else turns_of(name)

    def create_cursor(self, name: str | None = None) -> Any:  # noqa: ARG002
        """Return a cursor that knows its database."""
        cursor = self.connection.cursor(factory=Cursor)
        cursor.database = self
        return cursor

    def _start_transaction_under_autocommit(self) -> None:
        self.turn.take()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self.turn.end()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self.turn.end()
        if is_in_background():
            self._checkpoint()

    def _checkpoint(self) -> None:
        """Copy the log into the database, where much was written, while others may write.

        SQLite would do it as part of a commit, by and by in one of somebody who is waited for.
        """
        changes = self.connection.total_changes
        if changes - self._checkpointed < CHECKPOINT_AFTER:
            return
        self._checkpointed = changes
        # What was committed stays so; the next one copies it as well.
        with suppress(sqlite3.Error):
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self.turn.end()

    def _close(self) -> None:
        self._checkpointed = 0
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self.turn.end()
