"""The database backend that the settings name where the database is SQLite."""

from typing import Any

from django.db.backends.sqlite3 import base, schema
from django.db.models import Model

_TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"


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


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with that editor."""

    SchemaEditorClass = DatabaseSchemaEditor
