"""Columns of JSON, and lists, as the database hands them out: short ones are read once at most."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from django.db.models import Func, Subquery, TextField

# As the database hands it out, or read.
Stored: TypeAlias = str | Sequence[Any] | None
Write: TypeAlias = Callable[[Sequence[dict[str, str]]], list[dict[str, Any]]]
# Longer ones are read anew each time: few rows have them.
_LONGEST_KEPT = 2000


class AsStored(Func):
    """A column as the database hands it out: SQLite's times are texts then, which nobody reads."""

    template = "%(expressions)s"
    arity = 1

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return it as an expression, of which SQLite does not say that it is a time."""
        return self.as_sql(compiler, connection, template="+%(expressions)s", **context)


class ListOf(Subquery):
    """The values of another query's one column, `named`, as a list in JSON."""

    template = "(SELECT json_group_array(named) FROM (%(subquery)s))"
    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return it as PostgreSQL says it; a list of none is null."""
        template = "(SELECT json_agg(named)::text FROM (%(subquery)s) names)"
        return self.as_sql(compiler, connection, template=template, **context)


def stored_list(stored: Stored) -> Sequence[Any]:
    """Return what a column of JSON lists; nothing of null."""
    if isinstance(stored, str):
        return _read(stored) if len(stored) <= _LONGEST_KEPT else json.loads(stored)
    return stored or ()


def written_once(write: Write) -> Callable[[Stored], list[dict[str, Any]]]:
    """Return what writes a column's list for an answer, the same short text once.

    The same people stand in most mail, and a list is asked for again and again. Nobody may change
    what is returned: others are answered with it.
    """
    kept = lru_cache(maxsize=2048)(lambda stored: write(stored_list(stored)))

    def written(stored: Stored) -> list[dict[str, Any]]:
        if isinstance(stored, str) and len(stored) <= _LONGEST_KEPT:
            return kept(stored)
        return write(stored_list(stored))

    return written


@lru_cache(maxsize=2048)
def _read(stored: str) -> Sequence[Any]:
    return tuple(json.loads(stored) or ())
