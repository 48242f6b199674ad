"""The database in a backup: SQLite's own copy of itself, or PostgreSQL's tables by COPY."""

import gzip
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from inbox.files.storage import blob_name
from project.backups.archive import BackupError
from project.schema.comparing import column_differences, explain, schema_differences
from project.schema.shape import Key
from project.sqlite3.turns import SUFFIX

SQLITE_FILE = "chancery.sqlite3"
_ENDING = ".copy.gz"
_PIECE = 2**20


def applied_migrations() -> list[str]:
    """Return the migrations that the database has, as `app.name`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
        return [f"{app}.{name}" for app, name in cursor.fetchall()]


def is_empty() -> bool:
    """Return True if the database holds no tables yet."""
    return not connection.introspection.table_names()


# -- taking ----------------------------------------------------------------------------------------
def dump(folder: Path) -> tuple[dict[str, list[str]], Iterator[str]]:
    """Write the database into a folder, as of one moment.

    Returns the columns of each table (for PostgreSQL; SQLite's file knows them) and the names of
    the stored bytes that its rows speak of.
    """
    if connection.vendor == "sqlite":
        return {}, _dump_sqlite(folder)
    return _dump_postgresql(folder)


def _dump_sqlite(folder: Path) -> Iterator[str]:
    path = folder / SQLITE_FILE
    connection.ensure_connection()
    with closing(sqlite3.connect(path)) as copy:
        # All at once: in pieces it would begin anew whenever somebody writes meanwhile.
        connection.connection.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
    return _blobs_of_sqlite(path)


def _blobs_of_sqlite(path: Path) -> Iterator[str]:
    with closing(sqlite3.connect(path)) as copy:
        for workspace, sha256 in copy.execute("SELECT workspace_id, sha256 FROM inbox_blob"):
            yield blob_name(workspace, sha256)


def _dump_postgresql(folder: Path) -> tuple[dict[str, list[str]], Iterator[str]]:
    with transaction.atomic(), connection.cursor() as cursor:
        # Every table as of the first of them, whatever is written meanwhile.
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        columns = _columns(cursor)
        for table, names in columns.items():
            _copy_out(cursor, table, names, folder / f"{table}{_ENDING}")
        cursor.execute("SELECT workspace_id, sha256 FROM inbox_blob")
        blobs = [blob_name(workspace, sha256) for workspace, sha256 in cursor]
    return columns, iter(blobs)


def _columns(cursor: Any) -> dict[str, list[str]]:
    """Return the columns of each table but those that the database makes itself."""
    cursor.execute(
        "SELECT c.table_name, c.column_name FROM information_schema.columns c "
        "JOIN information_schema.tables t USING (table_schema, table_name) "
        "WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' "
        "AND c.is_generated = 'NEVER' ORDER BY c.table_name, c.ordinal_position"
    )
    found: dict[str, list[str]] = {}
    for table, column in cursor.fetchall():
        found.setdefault(table, []).append(column)
    return found


def _listed(names: list[str]) -> str:
    return ", ".join(connection.ops.quote_name(name) for name in names)


def _copy_out(cursor: Any, table: str, names: list[str], path: Path) -> None:
    statement = f"COPY {connection.ops.quote_name(table)} ({_listed(names)}) TO STDOUT"
    with gzip.open(path, "wb", compresslevel=1) as file, cursor.copy(statement) as copy:
        for piece in copy:
            file.write(piece)


# -- putting back ----------------------------------------------------------------------------------
def check_fits(folder: Path, columns: dict[str, list[str]], applied: set[Key]) -> None:
    """Raise BackupError where this version cannot take the dumped database over.

    `applied` are the migrations that it had.
    """
    if connection.vendor == "sqlite":
        with _connected_to(folder / SQLITE_FILE):
            differences = schema_differences()
    else:
        differences = column_differences(connection, columns, applied)
    if differences:
        raise BackupError(
            f"{explain(differences)} Restore it with the version that made it; nothing was changed."
        )


@contextmanager
def _connected_to(path: Path) -> Iterator[None]:
    """Have the connection lead to another SQLite file in the block."""
    place = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = str(path)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = place


@contextmanager
def loaded(folder: Path, columns: dict[str, list[str]], applied: set[Key]) -> Iterator[None]:
    """Put the database back and update it; the block sees it, and others once it is through.

    What the block raises leaves the place as empty as it was.
    """
    is_sqlite = connection.vendor == "sqlite"
    with _loaded_sqlite(folder) if is_sqlite else _loaded_tables(folder, columns, applied):
        yield


@contextmanager
def _loaded_sqlite(folder: Path) -> Iterator[None]:
    place = Path(connection.settings_dict["NAME"])
    beside = place.with_name(f".{place.name}.restoring")
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(folder / SQLITE_FILE, beside)
    beside.chmod(0o600)
    try:
        with _connected_to(beside):
            call_command("migrate", verbosity=0, interactive=False)
            yield
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _remove_sqlite(place)
        beside.replace(place)
    finally:
        _remove_sqlite(beside)


def _remove_sqlite(path: Path) -> None:
    for ending in ("", "-wal", "-shm", SUFFIX):
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).unlink()


@contextmanager
def _loaded_tables(
    folder: Path, columns: dict[str, list[str]], applied: set[Key]
) -> Iterator[None]:
    with transaction.atomic():
        # The tables of then, their rows, and only then what was changed since.
        _migrate_to(applied)
        with connection.cursor() as cursor:
            if _sets(_columns(cursor)) != _sets(columns):
                raise BackupError(
                    "The backup is of another version's tables. Restore it with the version that "
                    "made it, then update."
                )
            _fill(cursor, folder, columns)
            _set_sequences(cursor, columns)
            # A table with checks that wait cannot be altered.
            call_command("migrate", verbosity=0, interactive=False)
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        yield


def _migrate_to(applied: set[Key]) -> None:
    """Make the tables that an empty database has after these migrations."""
    executor = MigrationExecutor(connection)
    loader = executor.loader
    whole = {key for key, one in loader.replacements.items() if applied.issuperset(one.replaces)}
    if whole != loader.replacements.keys():
        # Some of what one migration stands for came later, so all are done one by one.
        executor.loader = MigrationLoader(connection, replace_migrations=False)
        applied, whole = applied - loader.replacements.keys(), set()
    graph = executor.loader.graph
    known = (applied | whole) & set(graph.nodes)
    # Each app's last: one before it would be gone back to.
    before = {
        each.key for key in known for each in graph.node_map[key].parents if each.key[0] == key[0]
    }
    executor.migrate(sorted(known - before))


def _sets(columns: dict[str, list[str]]) -> dict[str, set[str]]:
    return {table: set(names) for table, names in columns.items()}


def _fill(cursor: Any, folder: Path, columns: dict[str, list[str]]) -> None:
    # What `migrate` wrote is checked first: tables with checks that wait cannot be altered.
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    cursor.execute(f"TRUNCATE {_listed(list(columns))}")
    cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    # The triggers are for what is to happen, and these rows are what did.
    _switch_triggers(cursor, columns, "DISABLE")
    for table, names in columns.items():
        _copy_in(cursor, table, names, folder / f"{table}{_ENDING}")
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    _switch_triggers(cursor, columns, "ENABLE")


def _switch_triggers(cursor: Any, tables: Iterable[str], verb: str) -> None:
    for table in tables:
        cursor.execute(f"ALTER TABLE {connection.ops.quote_name(table)} {verb} TRIGGER USER")


def _copy_in(cursor: Any, table: str, names: list[str], path: Path) -> None:
    statement = f"COPY {connection.ops.quote_name(table)} ({_listed(names)}) FROM STDIN"
    with gzip.open(path, "rb") as file, cursor.copy(statement) as copy:
        while piece := file.read(_PIECE):
            copy.write(piece)


def _set_sequences(cursor: Any, columns: dict[str, list[str]]) -> None:
    """Have each table go on counting where its rows end."""
    for table, names in columns.items():
        if "id" in names:
            quoted = connection.ops.quote_name(table)
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence(%s, 'id'), "  # noqa: S608
                f"coalesce(max(id), 1), count(*) > 0) FROM {quoted} "
                "WHERE pg_get_serial_sequence(%s, 'id') IS NOT NULL",
                [table, table],
            )
