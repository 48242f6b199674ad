"""Steps of migrations for tables with millions of rows.

They keep nobody from reading, and one that was killed goes on where it stood when it is run again.
Their migration has `atomic = False`, and nothing but such steps in it.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

from django.apps.registry import Apps
from django.db import NotSupportedError, migrations, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState
from django.db.models import QuerySet

# How far each step is that was begun; there only while one is under way.
_PROGRESS = "chancery_migration_steps"
# How often it is told how far a step is, in seconds.
_TOLD_EVERY = 10.0
_INDEX_IN = {
    "postgresql": (
        "SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE c.relname = %s AND c.relnamespace = current_schema()::regnamespace"
    ),
    "sqlite": "SELECT true FROM sqlite_master WHERE type = 'index' AND name = %s",
}
logger = logging.getLogger(__name__)


class InBatches(migrations.RunPython):
    """Change all rows of a table, in the order of their keys, each batch in its own transaction.

    `change` is a function of the migration's module. It is given the rows of one batch as a
    QuerySet, and must bear to be given the same ones again. How far it is, is committed with each
    batch. `model` is `app.Model`.
    """

    def __init__(
        self, model: str, change: Callable[[QuerySet[Any]], object], size: int = 1000
    ) -> None:
        self._model, self._change, self._size = model, change, size
        self._name = f"{change.__module__}.{change.__qualname__}"
        super().__init__(self._run, migrations.RunPython.noop)

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Return what a migration is written with."""
        given = {"model": self._model, "change": self._change, "size": self._size}
        return (type(self).__name__, [], given)

    def _run(self, apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        _check_own_transactions(schema_editor, type(self).__name__)
        connection = schema_editor.connection
        rows = apps.get_model(self._model)._base_manager.using(connection.alias).order_by("pk")
        done, told_at = _resume(connection, self._name), time.monotonic()
        while keys := list(rows.filter(pk__gt=done).values_list("pk", flat=True)[: self._size]):
            with transaction.atomic(using=connection.alias):
                self._change(rows.filter(pk__gt=done, pk__lte=keys[-1]))
                _keep(connection, self._name, keys[-1])
            done = keys[-1]
            if time.monotonic() - told_at > _TOLD_EVERY:
                logger.info("%s is at row %s", self._name, done)
                told_at = time.monotonic()
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {_PROGRESS}")


class AddIndexWithoutBlocking(migrations.AddIndex):
    """Add an index while others go on reading and, on PostgreSQL, writing."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,  # noqa: ARG002
        to_state: ProjectState,
    ) -> None:
        """Make the index, also where a run before this was killed while it did."""
        _check_own_transactions(schema_editor, type(self).__name__)
        connection = schema_editor.connection
        # A backup is restored in one transaction, and there is nobody to wait for.
        how = " CONCURRENTLY" if self._is_by_itself(connection) else ""
        model = to_state.apps.get_model(app_label, self.model_name)
        with connection.cursor() as cursor:
            cursor.execute(_INDEX_IN[connection.vendor], [self.index.name])
            found = cursor.fetchone()
        if found and found[0]:
            return
        if found:
            schema_editor.execute(f"DROP INDEX{how} {schema_editor.quote_name(self.index.name)}")
        options = {"concurrently": True} if how else {}
        schema_editor.add_index(model, self.index, **options)

    def _is_by_itself(self, connection: BaseDatabaseWrapper) -> bool:
        return connection.vendor == "postgresql" and not connection.in_atomic_block


def _check_own_transactions(schema_editor: BaseDatabaseSchemaEditor, name: str) -> None:
    if schema_editor.atomic_migration:
        raise NotSupportedError(f"A migration with {name} must have `atomic = False`.")


def _resume(connection: BaseDatabaseWrapper, step: str) -> int:
    """Return the key of the last row that a run before this one came to; 0: it is the first."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TABLE IF NOT EXISTS {_PROGRESS} "
            "(step varchar(300) PRIMARY KEY, done bigint NOT NULL)"
        )
        cursor.execute(f"SELECT done FROM {_PROGRESS} WHERE step = %s", [step])  # noqa: S608
        found = cursor.fetchone()
    return found[0] if found else 0


def _keep(connection: BaseDatabaseWrapper, step: str, done: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {_PROGRESS} (step, done) VALUES (%s, %s) "  # noqa: S608
            "ON CONFLICT (step) DO UPDATE SET done = excluded.done",
            [step, done],
        )
