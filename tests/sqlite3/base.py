"""SQLite, but a test's rows may be cleared away although triggers keep them.

Django empties the tables after a test that commits; here those that have rows, while the triggers
that refuse every removal from them are put aside.

A database that was made once by these very migrations is copied: making one takes as long as some
hundred tests.
"""

import hashlib
import shutil
from contextlib import closing, suppress
from pathlib import Path
from sqlite3 import connect

from django.conf import settings
from django.db.backends.sqlite3 import base as _loaded_first  # noqa: F401
from django.db.backends.sqlite3 import creation, operations

from project.sqlite3 import base
from tests.filled_tables import filled

_KEPT_IN = Path(settings.BASE_DIR) / ".pytest_cache" / "databases"
# What says how a database is made.
_MAKERS = (
    "*/migrations/*.py",
    "project/sqlite3/*.py",
    "inbox/*.py",
    "requirements/run.txt",
    "project/settings.py",
    "project/sign_in/settings.py",
)

_KEPT = (
    "SELECT tbl_name, name, sql FROM sqlite_master "
    "WHERE type = 'trigger' AND name LIKE '%\\_kept' ESCAPE '\\'"
)


class DatabaseOperations(operations.DatabaseOperations):
    def sql_flush(self, style, tables, *, reset_sequences=False, allow_cascade=False):
        emptied = filled(self.connection, tables)
        removals = super().sql_flush(
            style, emptied, reset_sequences=reset_sequences, allow_cascade=allow_cascade
        )
        with self.connection.cursor() as cursor:
            kept = [row for row in cursor.execute(_KEPT).fetchall() if row[0] in emptied]
        drops = [f"DROP TRIGGER {name}" for _, name, _ in kept]
        return [*drops, *removals, *(create for _, _, create in kept)]


class DatabaseCreation(creation.DatabaseCreation):
    def create_test_db(self, *args, **kwargs):
        name = super().create_test_db(*args, **kwargs)
        self._keep(Path(name))
        return name

    def _create_test_db(self, *args, **kwargs):
        name = super()._create_test_db(*args, **kwargs)
        with suppress(FileNotFoundError):
            put_copy(kept_database(), Path(name))
        return name

    def _keep(self, made: Path) -> None:
        kept = kept_database()
        if kept.exists():
            return
        _KEPT_IN.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_name(f"{kept.name}.{made.stat().st_ino}")
        fresh.unlink(missing_ok=True)
        with closing(connect(made)) as there:
            there.execute("VACUUM INTO ?", [str(fresh)])
        for old in _KEPT_IN.glob("*.sqlite3"):
            old.unlink(missing_ok=True)
        fresh.replace(kept)


def put_copy(kept: Path, place: Path) -> None:
    """Put a copy where a database is wanted, whole or not at all.

    A run that was killed may have left a log of writes there, which SQLite would add to the copy.
    """
    fresh = place.with_name(f"{place.name}.fresh")
    shutil.copyfile(kept, fresh)
    for ending in ("-wal", "-shm", "-journal"):
        place.with_name(place.name + ending).unlink(missing_ok=True)
    fresh.replace(place)


def put_empty_database(var: Path) -> None:
    """Put one without rows into a data folder, where one was kept; what comes up there makes it else."""
    with suppress(FileNotFoundError):
        var.mkdir(parents=True, exist_ok=True)
        put_copy(kept_database(), var / "chancery.sqlite3")


def kept_database() -> Path:
    """Return where the database of these migrations is kept."""
    digest = hashlib.sha256()
    for pattern in _MAKERS:
        for path in sorted(Path(settings.BASE_DIR).glob(pattern)):
            digest.update(path.read_bytes())
    return _KEPT_IN / f"{digest.hexdigest()}.sqlite3"


class DatabaseWrapper(base.DatabaseWrapper):
    creation_class = DatabaseCreation
    ops_class = DatabaseOperations
