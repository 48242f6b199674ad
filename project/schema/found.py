"""The schema that a database really has, read from its catalogue in a fixed number of queries."""

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from project.schema.shape import Column, Shape, even

_SQLITE_COLUMNS = """
SELECT m.name, c.name, lower(c.type), c."notnull", c.dflt_value IS NULL AND c.hidden = 0, c.pk
FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c WHERE m.type = 'table'
"""
_POSTGRESQL_COLUMNS = """
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
  NOT a.atthasdef AND a.attidentity = '', false
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
  AND a.attnum > 0 AND NOT a.attisdropped
"""
_POSTGRESQL_TRIGGERS = """
SELECT t.tgname, '' FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal
UNION ALL
SELECT p.proname || '()', p.prosrc FROM pg_proc p
WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f'
"""


def found_shape(connection: BaseDatabaseWrapper) -> Shape:
    """Return the schema as it is, tables of other packages included; SQLite or PostgreSQL."""
    with connection.cursor() as cursor:
        return _sqlite(cursor) if connection.vendor == "sqlite" else _postgresql(cursor)


def _sqlite(cursor: CursorWrapper) -> Shape:
    shape = Shape()
    _take_columns(cursor, _SQLITE_COLUMNS, shape)
    cursor.execute("SELECT type, name, sql FROM sqlite_master")
    for kind, name, statement in cursor.fetchall():
        if kind == "index":
            shape.indexes.add(name)
            # A unique constraint with a condition is an index here.
            shape.constraints.add(name)
            continue
        shape.rules[name] = even(statement)
        if kind == "table":
            shape.constraints |= _named_in(statement)
    return shape


def _named_in(statement: str) -> set[str]:
    """Return the names of the constraints in the making of a table."""
    parts = statement.split('CONSTRAINT "')[1:]
    return {part.partition('"')[0] for part in parts}


def _postgresql(cursor: CursorWrapper) -> Shape:
    shape = Shape()
    _take_columns(cursor, _POSTGRESQL_COLUMNS, shape)
    cursor.execute("SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()")
    shape.indexes = {name for (name,) in cursor.fetchall()}
    cursor.execute(
        "SELECT conname FROM pg_constraint WHERE connamespace = current_schema()::regnamespace"
    )
    shape.constraints = shape.indexes | {name for (name,) in cursor.fetchall()}
    cursor.execute(_POSTGRESQL_TRIGGERS)
    shape.rules = {name: even(source) for name, source in cursor.fetchall()}
    return shape


def _take_columns(cursor: CursorWrapper, query: str, shape: Shape) -> None:
    cursor.execute(query)
    for table, name, type_, is_not_null, has_no_default, is_key in cursor.fetchall():
        columns = shape.tables.setdefault(table, {})
        columns[name] = Column(type_, not (is_not_null or is_key))
        if is_not_null and has_no_default and not is_key:
            shape.required.add((table, name))
