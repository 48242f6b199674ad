"""Writing many rows of a model at once, as `bulk_create` does, for less of the processor's time.

On SQLite, Django writes so few rows with each statement, and asks each field of each row so much,
that storing a message cost more than reading it. Here one statement serves for many rows, and as
many each time, so that SQLite need not read it again; inside a savepoint, a statement for each
(`executemany`) on a table with triggers copies all the pages that it changes once more for every
row.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

from django.db import connections, models, router, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.constants import OnConflict

from inbox.database_rules import indexed_together

Row = TypeVar("Row", bound=models.Model)
# One statement has so many rows: as often as it comes again, it is not read again by SQLite.
_ROWS_AT_ONCE = 64
# What type a column takes as it is, and what makes a value of another one fit for it.
_Adapter: TypeAlias = tuple[type, Callable[[Any], Any]]

_AS_IT_IS: dict[str, type] = {
    "AutoField": int, "BigAutoField": int, "BigIntegerField": int, "BooleanField": bool,
    "CharField": str, "IntegerField": int, "PositiveBigIntegerField": int,
    "PositiveIntegerField": int, "TextField": str,
}  # fmt: skip


def insert(
    rows: Iterable[Row],
    *,
    ignore_conflicts: bool = False,
    unique_fields: Sequence[str] = (),
    update_fields: Sequence[str] = (),
) -> list[Row]:
    """Write rows of one model and return them; without a conflict to be minded, each has its key.

    As with `bulk_create`, no signals are sent. With `ignore_conflicts` rows that are there already
    are left as they are; with `unique_fields`, those that agree with a row in these take over its
    place for the `update_fields`. Values are plain ones: no expressions, no files. Raises what
    `bulk_create` raises.
    """
    rows = list(rows)
    if not rows:
        return rows
    model = type(rows[0])
    connection = connections[router.db_for_write(model)]
    if connection.vendor != "sqlite":
        return model._default_manager.bulk_create(
            rows, ignore_conflicts=ignore_conflicts, update_conflicts=bool(unique_fields),
            unique_fields=unique_fields or None, update_fields=update_fields or None,
        )  # fmt: skip
    conflict = _Conflict(
        _kind_of_conflict(ignore_conflicts, unique_fields), unique_fields, update_fields
    )
    with transaction.atomic(using=connection.alias, savepoint=False):
        if conflict.kind is None and all(row.pk is None for row in rows):
            with indexed_together(connection, model._meta.db_table, _give_keys(rows, connection)):
                _write(rows, connection, conflict)
        else:
            _write_by_key(rows, connection, conflict)
    for row in rows:
        row._state.adding, row._state.db = False, connection.alias
    return rows


def insert_values(
    model: type[models.Model],
    names: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    ignore_conflicts: bool = False,
) -> None:
    """Write rows that are given as the values of these fields, without a row's model for each.

    Foreign keys are named and given as `thread_id`; other fields have their defaults. As `insert`
    otherwise; a table with a full-text index is not for this.
    """
    given = list(rows)
    if not given:
        return
    connection = connections[router.db_for_write(model)]
    if connection.vendor != "sqlite":
        made = (model(**dict(zip(names, row, strict=True))) for row in given)
        model._default_manager.bulk_create(made, ignore_conflicts=ignore_conflicts)
        return
    blank = model()
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    _stamp([blank], fields)
    columns = dict(zip(names, zip(*given, strict=True), strict=True))
    usual = ([getattr(blank, field.attname)] * len(given) for field in fields)
    written = [
        _adapted(columns.get(field.attname, default), _adapter(field, connection))
        for field, default in zip(fields, usual, strict=True)
    ]
    conflict = _Conflict(_kind_of_conflict(ignore_conflicts, ()), (), ())
    with transaction.atomic(using=connection.alias, savepoint=False):
        _write_columns(model._meta, fields, written, connection, conflict)


@dataclass(frozen=True, slots=True)
class _Conflict:
    """What becomes of a row that is there already; with no kind, it is an error."""

    kind: OnConflict | None
    unique_fields: Sequence[str]
    update_fields: Sequence[str]

    def suffix(self, fields: Sequence[Any], meta: Any, connection: BaseDatabaseWrapper) -> str:
        """Return the clause that says so."""
        update = [meta.get_field(name).column for name in self.update_fields]
        unique = [meta.get_field(name).column for name in self.unique_fields]
        return connection.ops.on_conflict_suffix_sql(fields, self.kind, update, unique)


def _kind_of_conflict(ignore: bool, unique_fields: Sequence[str]) -> OnConflict | None:
    if unique_fields:
        return OnConflict.UPDATE
    return OnConflict.IGNORE if ignore else None


def _give_keys(rows: Sequence[models.Model], connection: BaseDatabaseWrapper) -> int:
    """Give each row the next key and return the first.

    Nobody else writes meanwhile, for SQLite has one writer at a time.
    """
    table = rows[0]._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        found = cursor.fetchone()
    first: int = (found[0] if found else 0) + 1
    for key, row in enumerate(rows, first):
        row.pk = key
    return first


def _write_by_key(
    rows: Sequence[models.Model], connection: BaseDatabaseWrapper, conflict: _Conflict
) -> None:
    """Write rows some of which may have a key already."""
    keyless = [row for row in rows if row.pk is None]
    if keyless and conflict.kind is None:
        _give_keys(keyless, connection)
        keyless = []
    for part in (keyless, [row for row in rows if row.pk is not None]):
        if part:
            _write(part, connection, conflict)


def _write(
    rows: Sequence[models.Model], connection: BaseDatabaseWrapper, conflict: _Conflict
) -> None:
    """Write rows which all have a key, or all have none."""
    meta = rows[0]._meta
    fields = [
        field
        for field in meta.concrete_fields
        if not field.generated and (rows[0].pk is not None or not field.primary_key)
    ]
    _stamp(rows, fields)
    columns = [
        _adapted(map(attrgetter(field.attname), rows), _adapter(field, connection))
        for field in fields
    ]
    _write_columns(meta, fields, columns, connection, conflict)


def _write_columns(
    meta: Any, fields: Sequence[Any], columns: Sequence[Sequence[Any]],
    connection: BaseDatabaseWrapper, conflict: _Conflict,
) -> None:  # fmt: skip
    """Write the values of fields, those of each row at one place."""
    rows = list(zip(*columns, strict=True))
    step = _most_rows(connection, len(fields))
    with connection.cursor() as cursor:
        for at in range(0, len(rows), step):
            part = rows[at : at + step]
            statement = _statement(meta, fields, len(part), connection, conflict)
            cursor.execute(statement, list(chain.from_iterable(part)))


def _most_rows(connection: BaseDatabaseWrapper, columns: int) -> int:
    """Return for how many rows one statement has room."""
    most: int = connection.connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
    return max(min(most // columns, _ROWS_AT_ONCE), 1)


def _statement(
    meta: Any, fields: Sequence[Any], rows: int, connection: BaseDatabaseWrapper,
    conflict: _Conflict,
) -> str:  # fmt: skip
    quote = connection.ops.quote_name
    row = f"({', '.join(['%s'] * len(fields))})"
    return " ".join(
        (
            connection.ops.insert_statement(on_conflict=conflict.kind),
            quote(meta.db_table),
            f"({', '.join(quote(field.column) for field in fields)})",
            f"VALUES {', '.join([row] * rows)}",
            conflict.suffix(fields, meta, connection),
        )
    )


def _stamp(rows: Sequence[models.Model], fields: Sequence[Any]) -> None:
    """Set the times that a row gets when it is made."""
    stamped = [
        field
        for field in fields
        if getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False)
    ]
    for row in rows:
        for field in stamped:
            field.pre_save(row, add=True)


# -- values ----------------------------------------------------------------------------------------
def _adapter(field: Any, connection: BaseDatabaseWrapper) -> _Adapter:
    """Return what a column takes as it is, and what adapts the rest, as the field would."""
    usual = partial(field.get_db_prep_save, connection=connection)
    target = field
    while target.is_relation:
        target = target.target_field
    match target.get_internal_type():
        case "JSONField":
            return _Never, partial(_as_json, encoder=field.encoder)
        case "DateTimeField" if connection.timezone is UTC:
            return _Never, partial(_as_time, usual=usual)
        case kind:
            return _AS_IT_IS.get(kind, _Never), usual


class _Never:
    """A type that no value has: each is adapted."""


def _adapted(values: Iterable[Any], adapter: _Adapter) -> list[Any]:
    """Return the values of one column as they are written."""
    kind, adapt = adapter
    return [value if value is None or type(value) is kind else adapt(value) for value in values]


def _as_json(value: Any, encoder: type[json.JSONEncoder] | None) -> str:
    if not value:
        if type(value) is list:
            return "[]"
        if type(value) is dict:
            return "{}"
    return json.dumps(value, cls=encoder)


def _as_time(value: Any, usual: Callable[[Any], Any]) -> Any:
    if type(value) is datetime and value.tzinfo is UTC:
        return str(value.replace(tzinfo=None))
    return usual(value)
