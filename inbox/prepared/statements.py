"""Queries that are put together once: their SQL is kept, and run again with other values.

To put a query together takes Django longer than a database takes to answer it. `Prepared` wraps a
function that builds querysets. For each shape of what it is asked with it is called, twice, with
stand-ins for the values; where a stand-in stands in the parameters of the SQL, each run puts the
value. What the function works out of a value it has to be given as a value of its own: the two
builds would differ, and that is refused.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, TypeAlias, TypeVar, cast

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import QuerySet

from inbox.actor import Actor, reader
from inbox.operations.batched import in_chunks
from inbox.prepared.rows import RowPlan, Rows, plan_rows

Value: TypeAlias = int | str | datetime | tuple[int, ...] | tuple[str, ...] | Actor
Key = TypeVar("Key", int, str)
Build: TypeAlias = Callable[..., Sequence["QuerySet[Any]"]]

# So many shapes of one function are kept.
_MOST_SHAPES = 256
_COUNTED_AT_ONCE = 100
# Longer lists are rare, and would be long statements to keep.
_LONGEST_LIST = 1024
# Numbers that a column of 32 bits may hold: of others Django knows that no row has them.
_FIRST_NUMBER, _FIRST_DAY = 2_100_000_000, datetime(1903, 5, 7, 11, 13, 17, 190019, UTC)


class Prepared:
    """A function that builds querysets from a shape and values, put together once a shape.

    The shape is whatever the function asks about: what is None, how a list is sorted, a tab. Values
    are numbers, times, texts, tuples of numbers or of texts, whose length belongs to the shape, and
    who reads: the workspaces and the accounts that they see. A query that asks anything else about
    them is refused.
    """

    def __init__(self, build: Build) -> None:
        self._build = build
        self._kept: dict[Hashable, tuple[_Statement, ...]] = {}

    def rows(self, *shape: Hashable, **values: Value) -> Iterator[Any]:
        """Yield the rows of all its querysets, as they would yield them."""
        if not _is_kept_for(values):
            for rows in self._build(*shape, **values):
                yield from rows
            return
        for statement in self._statements(shape, values):
            yield from statement.run(values)

    def tuples(self, *shape: Hashable, **values: Value) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of all its querysets as the database gives them, one after the other.

        For lists of values that Django would not convert (`as_stored`). Whoever uses up each row
        before the next holds no more than one, however large they are.
        """
        if not _is_kept_for(values):
            yield from self.rows(*shape, **values)
            return
        for statement in self._statements(shape, values):
            yield from statement.stream(values)

    def united(self, *shape: Hashable, **values: Value) -> Iterator[tuple[int, Any]]:
        """Yield the rows of all its querysets by one statement, each after its queryset's number.

        As many columns each, of the same types; in which order the rows come is not said.
        """
        if not _is_kept_for(values):
            for number, part in enumerate(self._build(*shape, **values)):
                yield from ((number, row) for row in part)
            return
        statements = self._statements(shape, values)
        asked = {number: one for number, one in enumerate(statements) if one.sql}
        if not asked:
            return
        parts = (f"SELECT {at}, of_{at}.* FROM ({one.sql}) of_{at}" for at, one in asked.items())  # noqa: S608
        parameters = [each for one in asked.values() for each in one.bind(values)]
        with connections[statements[0].using].cursor() as cursor:
            cursor.execute(" UNION ALL ".join(parts), parameters)
            for number, *row in cursor.fetchall():
                yield number, next(asked[number].read([row]))

    def fetched(self, *shape: Hashable, **values: Value) -> list[tuple[Any, ...]]:
        """Return the rows of its one queryset as the database gives them, all at once: for a page.

        Each by itself, as `tuples` has them, takes twice as long to read.
        """
        if not _is_kept_for(values):
            return list(self.rows(*shape, **values))
        (statement,) = self._statements(shape, values)
        return statement.fetch(values)

    def sql(self, *shape: Hashable, **values: Value) -> tuple[str, tuple[Any, ...]]:
        """Return the SQL of its one queryset and the parameters, to be part of another statement.

        Raises EmptyResultSet, as Django does, where no row can be chosen.
        """
        if not _is_kept_for(values):
            (rows,) = self._build(*shape, **values)
            sql, parameters = rows.query.sql_with_params()
            return sql, tuple(parameters)
        (statement,) = self._statements(shape, values)
        if not statement.sql:
            raise EmptyResultSet
        return statement.sql, statement.bind(values)

    def counts(self, *shape: Hashable, **values: Value) -> tuple[int, ...]:
        """Return how many rows each of its querysets has, a hundred of them in one statement."""
        if not _is_kept_for(values):
            return tuple(rows.count() for rows in self._build(*shape, **values))
        found: list[int] = []
        for some in in_chunks(self._statements(shape, values), _COUNTED_AT_ONCE):
            parameters = [each for one in some for each in one.bind(values)]
            with connections[some[0].using].cursor() as cursor:
                cursor.execute(f"SELECT {', '.join(one.counting for one in some)}", parameters)
                found += cursor.fetchone()
        return tuple(found)

    def _statements(
        self, shape: tuple[Hashable, ...], values: dict[str, Value]
    ) -> tuple["_Statement", ...]:
        key = (shape, tuple(values), tuple(map(_size, values.values())))
        kept = self._kept.get(key)
        if kept is None:
            if len(self._kept) >= _MOST_SHAPES:
                self._kept.clear()
            kept = self._kept[key] = self._put_together(shape, values)
        return kept

    def _put_together(
        self, shape: tuple[Hashable, ...], values: dict[str, Value]
    ) -> tuple["_Statement", ...]:
        numbers = count()
        one, other = (
            {name: _stand_in(value, numbers) for name, value in values.items()} for _ in range(2)
        )
        pairs = zip(self._build(*shape, **one), self._build(*shape, **other), strict=True)
        found = tuple(_statement(*pair, one, other) for pair in pairs)
        for statement in found:
            used = {name for name, _, _ in statement.places.values()}
            unused = {name for name, value in values.items() if _listed(value)}
            if statement.sql and (left_out := unused - used):
                # It says whose rows they are.
                raise ValueError(f"a query has no place for {', '.join(sorted(left_out))}")
        return found


def padded(keys: Sequence[Key]) -> tuple[Key, ...]:
    """Return the keys with the last one repeated, so that lists come in few lengths."""
    length = 1 << max(len(keys) - 1, 0).bit_length()
    found = list(keys) + [keys[-1]] * (length - len(keys)) if keys else []
    return tuple(found)


# The name of a value, its number in a tuple or -1, and what makes a parameter of it.
_Place: TypeAlias = tuple[str, int, Callable[[Any], Any]]


@dataclass(frozen=True, slots=True)
class _Statement:
    """One queryset as SQL, and at which of its parameters which value stands."""

    rows: Any
    compiler: Any
    using: str
    sql: str
    parameters: tuple[Any, ...]
    places: dict[int, _Place]
    # Worked out by the first run: of one that nobody asks rows of, it is not needed.
    kept_plan: list[RowPlan | None] = field(default_factory=list)

    @property
    def counting(self) -> str:
        """What counts its rows, as a column."""
        if not self.sql:
            return "0"
        return f"(SELECT COUNT(*) FROM ({self.sql}) counted)"  # noqa: S608

    def bind(self, values: dict[str, Value]) -> tuple[Any, ...]:
        """Return the parameters with these values."""
        bound = list(self.parameters)
        for at, (name, number, adapt) in self.places.items():
            value: Any = values[name]
            bound[at] = adapt(value if number < 0 else (_listed(value) or ())[number])
        return tuple(bound)

    def run(self, values: dict[str, Value]) -> Iterator[Any]:
        """Return its rows with these values, as the queryset itself would yield them."""
        if not self.sql:
            return iter(())
        if self._plan() is None:
            return self._run_by_django(values)
        return self.read(self.fetch(values))

    def read(self, rows: Rows) -> Iterator[Any]:
        """Yield what the queryset would for rows as the database gives them."""
        plan = self._plan()
        if plan is None:
            raise TypeError("only plain rows are read together with others")
        yield from plan.read(rows, connections[self.using])

    def _plan(self) -> RowPlan | None:
        if not self.kept_plan:
            self.kept_plan.append(plan_rows(self.rows, self.compiler))
        return self.kept_plan[0]

    def _run_by_django(self, values: dict[str, Value]) -> Iterator[Any]:
        parameters = self.bind(values)
        compiler, query, rows = _twin(self.compiler), _twin(self.rows.query), _twin(self.rows)
        compiler.connection = connections[self.using]
        compiler.as_sql = lambda *_, **__: (self.sql, parameters)
        query.get_compiler = lambda *_, **__: compiler
        rows._query, rows._result_cache = query, None
        return iter(rows)

    def fetch(self, values: dict[str, Value]) -> list[tuple[Any, ...]]:
        """Return its rows with these values as the database gives them."""
        if not self.sql:
            return []
        with connections[self.using].cursor() as cursor:
            cursor.execute(self.sql, self.bind(values))
            return list(cursor.fetchall())

    def stream(self, values: dict[str, Value]) -> Iterator[tuple[Any, ...]]:
        """Yield its rows with these values as the database gives them."""
        if self.sql:
            with connections[self.using].cursor() as cursor:
                cursor.execute(self.sql, self.bind(values))
                yield from cursor


def _twin(one: Any) -> Any:
    """Return an object with the same attributes: `copy` asks each class first how it is copied."""
    other = object.__new__(type(one))
    other.__dict__ = one.__dict__.copy()
    return other


def _statement(rows: Any, again: Any, one: dict[str, Value], other: dict[str, Value]) -> _Statement:
    using = rows.db
    compiler = rows.query.get_compiler(using)
    try:
        sql, parameters = compiler.as_sql()
        same, others = again.query.get_compiler(using).as_sql()
    except EmptyResultSet:
        return _Statement(rows, compiler, using, "", (), {})
    places = _find_places(using, parameters, one)
    is_alike = sql == same and places.keys() == _find_places(using, others, other).keys()
    rest = [at for at in range(len(parameters)) if at not in places]
    if not is_alike or any(_plain(parameters[at]) != _plain(others[at]) for at in rest):
        raise ValueError("what is worked out of a value has to be given as a value")
    return _Statement(rows, compiler, using, sql, tuple(parameters), places)


def _find_places(
    using: str, parameters: Sequence[Any], values: dict[str, Value]
) -> dict[int, _Place]:
    named: dict[Any, tuple[str, int]] = {}
    for name, value in values.items():
        listed = _listed(value)
        if listed is None:
            named[_adapted(using, value)] = (name, -1)
        else:
            named.update({key: (name, number) for number, key in enumerate(listed)})
    return {
        at: (*named[parameter], _adapter(using, parameter))
        for at, parameter in enumerate(parameters)
        if isinstance(parameter, Hashable) and parameter in named
    }


def _stand_in(value: Value, numbers: Iterator[int]) -> Value:
    """Return something of the same type that stands nowhere else."""
    if isinstance(value, Actor):
        return _reader_like(value, numbers)
    if isinstance(value, tuple):
        each: Any = tuple(_stand_in(one, numbers) for one in value)
        return cast("Value", each)
    if isinstance(value, datetime):
        return _FIRST_DAY + timedelta(seconds=next(numbers))
    if isinstance(value, str):
        return f"stands in for a value, {next(numbers)}"
    return _FIRST_NUMBER + next(numbers)


def _reader_like(actor: Actor, numbers: Iterator[int]) -> Actor:
    """Return somebody else who sees as many workspaces and accounts; nothing of them is alike."""
    places = tuple(_FIRST_NUMBER + next(numbers) for _ in actor.workspace_ids)
    if actor.account_ids is None and actor.kind == "person":
        return reader(places)
    number = _FIRST_NUMBER + next(numbers)
    granted = actor.account_ids
    accounts = granted and frozenset(_FIRST_NUMBER + next(numbers) for _ in granted)
    return replace(
        actor, id=number, name=f"reader {number}", workspace_ids=places, account_ids=accounts
    )


def _size(value: Value) -> Hashable:
    """Return what of a value belongs to the shape."""
    if isinstance(value, Actor):
        granted = value.account_ids
        sees = (len(value.workspace_ids), -1 if granted is None else len(granted))
        return value.kind, *sees, value.scopes, value.tools
    return len(value) if isinstance(value, tuple) else -1


def _listed(value: Value) -> tuple[Any, ...] | None:
    """Return what a value of several holds; None where it is one."""
    if isinstance(value, Actor):
        return (*value.workspace_ids, *sorted(value.account_ids or ()))
    return value if isinstance(value, tuple) else None


def _is_kept_for(values: dict[str, Value]) -> bool:
    """Return True unless a list is long."""
    return all(len(_listed(value) or ()) <= _LONGEST_LIST for value in values.values())


def _plain(parameter: Any) -> Any:
    """Return a parameter as what compares by its value: psycopg's JSON does not."""
    return getattr(parameter, "obj", parameter)


def _adapted(using: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return connections[using].ops.adapt_datetimefield_value(value)
    return value


def _adapter(using: str, parameter: Any) -> Callable[[Any], Any]:
    """Return what makes of a value a parameter as this one."""
    if isinstance(parameter, int):
        return type(parameter)
    return lambda value: _adapted(using, value)
