"""The schema that the models and the database rules declare, now or as of older migrations."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from django.apps import apps
from django.apps.registry import Apps
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

from inbox.database_rules import DatabaseRules
from project.schema.shape import APPS, Column, Key, Shape, even

_ADDED = re.compile(r"\s*ALTER\s+TABLE\s+(\w+)\s+ADD\s+COLUMN\s+(\w+)\s+(\w+)", re.IGNORECASE)
_REMOVED = re.compile(r"\s*ALTER\s+TABLE\s+(\w+)\s+DROP\s+COLUMN\s+(\w+)", re.IGNORECASE)
_CREATED = re.compile(
    r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:UNIQUE\s+)?(TRIGGER|INDEX|VIRTUAL\s+TABLE|FUNCTION)"
    r"\s+(\w+)",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    r"\s*DROP\s+(TRIGGER|INDEX|TABLE|FUNCTION)\s+(?:IF\s+EXISTS\s+)?(\w+)", re.IGNORECASE
)
# As PostgreSQL prints what Django calls otherwise.
_POSTGRESQL_TYPES = {"varchar": "character varying", "time": "time without time zone"}


@cache
def migrations_here() -> MigrationLoader:
    """Return all migrations of this version, read once: a process has no others while it runs."""
    return MigrationLoader(None, replace_migrations=False)


def our_migrations() -> set[Key]:
    """Return the migrations of our applications that this version has, as (app, name).

    Without those that stand for many: whatever those make is what the many make.
    """
    there = migrations_here().disk_migrations.items()
    return {key for key, one in there if key[0] in APPS and not one.replaces}


def declared_shape(connection: BaseDatabaseWrapper, applied: Iterable[Key] | None = None) -> Shape:
    """Return what a database of this version has, in the words of its kind.

    With `applied` migrations, as (app, name): what it had when those and no others were there.
    """
    ours = our_migrations()
    there = ours if applied is None else ours & set(applied)
    known = apps if there == ours else _apps_of(frozenset(there))
    shape = Shape()
    for model in _models(known):
        table = model._meta.db_table
        shape.tables[table] = dict(_columns(model, connection))
        shape.indexes |= {index.name for index in model._meta.indexes}
        shape.constraints |= {each.name for each in model._meta.constraints}
    for statement in rule_statements(connection.vendor, there):
        _apply(statement, shape)
    return shape


@lru_cache(maxsize=1)
def _apps_of(migrations: frozenset[Key]) -> Apps:
    """Return the models as they were when these migrations were applied; it takes a second."""
    return migrations_here().project_state(sorted(migrations)).apps


def _models(known: Apps) -> Iterator[type[models.Model]]:
    """Yield every model with a table of its own, those between two others included."""
    for model in known.get_models(include_auto_created=True):
        about = model._meta
        if about.app_label in APPS and about.managed and not about.proxy:
            yield model


def _columns(
    model: type[models.Model], connection: BaseDatabaseWrapper
) -> Iterator[tuple[str, Column]]:
    for each in model._meta.local_concrete_fields:
        type_ = each.db_type(connection)
        if type_ is not None and each.column is not None:
            # What the database works out itself is never declared NOT NULL.
            generated = isinstance(each, models.GeneratedField)
            spelled = _spelled(type_, connection.vendor)
            yield each.column, Column(spelled, each.null or generated, generated)


def _spelled(type_: str, vendor: str) -> str:
    if vendor != "postgresql":
        return type_.lower()
    word, bracket, rest = type_.lower().partition("(")
    return f"{_POSTGRESQL_TYPES.get(word, word)}{bracket}{rest}"


def rule_statements(vendor: str, there: set[Key]) -> Iterator[str]:
    """Yield the statements of the rules that these migrations apply, in their order."""
    loader = migrations_here()
    for key in _in_order(loader):
        if key in there:
            for operation in loader.graph.nodes[key].operations:
                if isinstance(operation, DatabaseRules):
                    yield from operation.statements(vendor)


def _in_order(loader: MigrationLoader) -> Iterator[Key]:
    seen: set[Key] = set()
    for leaf in sorted(loader.graph.leaf_nodes()):
        for key in loader.graph.forwards_plan(leaf):
            if key not in seen and key[0] in APPS:
                seen.add(key)
                yield key


def _apply(statement: str, shape: Shape) -> None:
    """Take into the shape what one statement makes or removes."""
    if made := _CREATED.match(statement):
        kind, name = made[1].upper(), made[2]
        if kind == "INDEX":
            shape.indexes.add(name)
        elif kind == "FUNCTION":
            shape.rules[f"{name}()"] = _body(statement)
        else:
            shape.rules[name] = even(statement)
    elif added := _ADDED.match(statement):
        table, name, type_ = added.groups()
        columns = shape.tables.setdefault(table, {})
        columns[name] = Column(type_.lower(), is_null=True, is_generated=True)
    elif removed := _REMOVED.match(statement):
        shape.tables[removed[1]].pop(removed[2], None)
    elif gone := _DROPPED.match(statement):
        shape.indexes.discard(gone[2])
        shape.rules.pop(f"{gone[2]}()" if gone[1].upper() == "FUNCTION" else gone[2], None)


def _body(function: str) -> str:
    """Return what stands between the dollars of a PostgreSQL function."""
    return even(function.split("$$")[1])
