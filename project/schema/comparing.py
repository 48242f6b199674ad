"""What a database lacks or has otherwise than this version needs it, and what to do about it."""

from collections.abc import Iterable, Iterator, Mapping

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from project.schema.declared import declared_shape, migrations_here
from project.schema.found import found_shape
from project.schema.shape import APPS, Column, Key, Shape

# How many differences are named; the others are counted.
_NAMED = 8
REMEDY = (
    "Nothing was changed. Go back to the version that made it, or start with a new database "
    "(another CHANCERY_VAR, or another DATABASE_URL) and bring the mail in again."
)


def missing_migrations(using: BaseDatabaseWrapper = connection) -> list[str]:
    """Return the names of the migrations that the database lacks."""
    loader = MigrationLoader(using)
    there = {key for key, one in loader.disk_migrations.items() if not one.replaces}
    missing = there - set(loader.applied_migrations)
    return [f"{app}.{name}" for app, name in sorted(missing)]


def schema_differences(using: BaseDatabaseWrapper = connection) -> list[str]:
    """Return in English how the schema differs from what its migrations should have made of it.

    Empty: it does not, and what it lacks of this version's migrations can be applied. A fixed
    number of queries.
    """
    applied = set(MigrationRecorder(using).applied_migrations())
    return [
        *unknown_migrations(applied),
        *compare(declared_shape(using, applied), found_shape(using)),
    ]


def unknown_migrations(applied: Iterable[Key]) -> list[str]:
    """Return in English which of these migrations of our applications this version has not."""
    known = migrations_here().disk_migrations
    unknown = {key for key in applied if key[0] in APPS and key not in known}
    return [f"a migration {app}.{name} that is not known here" for app, name in sorted(unknown)]


def column_differences(
    using: BaseDatabaseWrapper, columns: Mapping[str, list[str]], applied: Iterable[Key]
) -> list[str]:
    """Return in English what tables with these columns lack, or have too much, for this version.

    They are compared with what the migrations that were `applied` to them make, by name, and only
    the tables that have columns written by rows.
    """
    applied = set(applied)
    differences = unknown_migrations(applied)
    for table, wanted in declared_shape(using, applied).tables.items():
        written = {name for name, column in wanted.items() if not column.is_generated}
        found = set(columns.get(table, ()))
        differences += [f"no column {table}.{name}" for name in sorted(written - found)]
        differences += [f"a column {table}.{name} too many" for name in sorted(found - written)]
    return differences


def compare(declared: Shape, found: Shape) -> Iterator[str]:
    """Yield what is declared and was not found, or was found otherwise."""
    for table, columns in declared.tables.items():
        if table not in found.tables:
            yield f"no table {table}"
            continue
        yield from _compare_columns(table, columns, found.tables[table])
    yield from (f"no index {name}" for name in sorted(declared.indexes - found.indexes))
    lacking = sorted(declared.constraints - found.constraints)
    yield from (f"no constraint {name}" for name in lacking)
    yield from _compare_rules(declared.rules, found.rules)
    for table, name in sorted(found.required):
        if name not in declared.tables.get(table, {name: None}):
            yield f"a column {table}.{name} that is no longer filled"


def _compare_columns(
    table: str, columns: Mapping[str, Column], found: Mapping[str, Column]
) -> Iterator[str]:
    for name, column in columns.items():
        there = found.get(name)
        if there is None:
            yield f"no column {table}.{name}"
        elif there.type != column.type:
            yield f"column {table}.{name} is {there.type}, not {column.type}"
        elif there.is_null != column.is_null:
            yield f"column {table}.{name} {'may' if there.is_null else 'must not'} be empty"


def _compare_rules(declared: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    for name, statement in sorted(declared.items()):
        if name not in found:
            yield f"no rule {name}"
        elif found[name] and found[name] != statement:
            yield f"another rule {name}"


def explain(differences: list[str]) -> str:
    """Return in plain words what a database with these differences is."""
    named = "; ".join(differences[:_NAMED])
    rest = len(differences) - _NAMED
    more = f"; and {rest} more" if rest > 0 else ""
    return (
        "This database was made by an unreleased version of Chancery, by a newer one than this, "
        f"or changed by hand, and cannot be updated: {named}{more}."
    )
