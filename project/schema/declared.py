"""The schema that the models and the database rules of this version declare."""

import re
from collections.abc import Iterator

from django.apps import apps
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

from inbox.database_rules import DatabaseRules
from project.schema.shape import APPS, Column, Shape, even

_ADDED = re.compile(r"\s*ALTER\s+TABLE\s+(\w+)\s+ADD\s+COLUMN\s+(\w+)\s+(\w+)", re.IGNORECASE)
_CREATED = re.compile(
    r"\s*CREATE\s+(?:UNIQUE\s+)?(TRIGGER|INDEX|VIRTUAL\s+TABLE|FUNCTION)\s+(\w+)", re.IGNORECASE
)
_DROPPED = re.compile(
    r"\s*DROP\s+(TRIGGER|INDEX|TABLE|FUNCTION)\s+(?:IF\s+EXISTS\s+)?(\w+)", re.IGNORECASE
)
# As PostgreSQL prints what Django calls otherwise.
_POSTGRESQL_TYPES = {"varchar": "character varying", "time": "time without time zone"}


def declared_shape(connection: BaseDatabaseWrapper) -> Shape:
    """Return what a database of this version has, in the words of its kind."""
    shape = Shape()
    for model in _models():
        table = model._meta.db_table
        shape.tables[table] = dict(_columns(model, connection))
        shape.indexes |= {index.name for index in model._meta.indexes}
        shape.constraints |= {each.name for each in model._meta.constraints}
    for statement in _rule_statements(connection.vendor):
        _apply(statement, shape)
    return shape


def _models() -> Iterator[type[models.Model]]:
    """Yield every model with a table of its own, those between two others included."""
    for app in APPS:
        for model in apps.get_app_config(app).get_models(include_auto_created=True):
            if model._meta.managed and not model._meta.proxy:
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


def _rule_statements(vendor: str) -> Iterator[str]:
    """Yield the statements of the database rules, in the order in which they are applied."""
    loader = MigrationLoader(None)
    for key in _in_order(loader):
        for operation in loader.graph.nodes[key].operations:
            if isinstance(operation, DatabaseRules):
                yield from operation.statements(vendor)


def _in_order(loader: MigrationLoader) -> Iterator[tuple[str, str]]:
    seen: set[tuple[str, str]] = set()
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
        shape.tables[table][name] = Column(type_.lower(), is_null=True, is_generated=True)
    elif gone := _DROPPED.match(statement):
        shape.indexes.discard(gone[2])
        shape.rules.pop(f"{gone[2]}()" if gone[1].upper() == "FUNCTION" else gone[2], None)


def _body(function: str) -> str:
    """Return what stands between the dollars of a PostgreSQL function."""
    return even(function.split("$$")[1])
