"""What Django makes of a statement's rows, made by a plan that is worked out once a statement.

For each row of each query Django asks anew what a model's constructor takes; here the columns,
their converters and the relations are looked up once. The objects are the same, to the state that
Django keeps of them. Whatever is not as plain as that (other ways of iterating, fields that do more
when they are set, listeners to a model's construction) has no plan, and is left to Django.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, TypeAlias

from django.db.models import Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.expressions import ColPairs
from django.db.models.fields.related_descriptors import ForeignKeyDeferredAttribute
from django.db.models.query import (
    FlatValuesListIterable,
    ModelIterable,
    ValuesIterable,
    ValuesListIterable,
)
from django.db.models.query_utils import DeferredAttribute
from django.db.models.signals import post_init, pre_init

Rows: TypeAlias = Iterable[Sequence[Any]]
Make: TypeAlias = Callable[[Sequence[Any]], Any]
# Setting a column of these sets what the object has under its name, and no more.
_PLAIN = (DeferredAttribute, ForeignKeyDeferredAttribute)


@dataclass(frozen=True, slots=True)
class RowPlan:
    """How the rows of one statement become what its queryset yields."""

    make: Make
    converters: tuple[tuple[int, tuple[Callable[[Any, Any, Any], Any], ...], Any], ...]

    def read(self, rows: Rows, connection: Any) -> Iterator[Any]:
        """Yield what stands for each row."""
        make, converters = self.make, self.converters
        if not converters:
            yield from map(make, rows)
            return
        for row in rows:
            values = list(row)
            for at, each, expression in converters:
                value = values[at]
                for convert in each:
                    value = convert(value, expression, connection)
                values[at] = value
            yield make(values)


def plan_rows(rows: QuerySet[Any], compiler: Any) -> RowPlan | None:
    """Return the plan of a queryset whose SQL the compiler has put together; None without one."""
    columns = [column for column, *_ in compiler.select[: compiler.col_count]]
    if any(isinstance(column, ColPairs) for column in columns):
        return None
    make = _maker(rows, compiler)
    if make is None:
        return None
    found = compiler.get_converters(columns)
    return RowPlan(make, tuple((at, tuple(each), what) for at, (each, what) in found.items()))


def _maker(rows: Any, compiler: Any) -> Make | None:
    if rows._iterable_class is ModelIterable:
        if rows._known_related_objects or rows._prefetch_related_lookups:
            return None
        return _object_maker(compiler, rows.db)
    if rows._iterable_class is ValuesIterable:
        query = rows.query
        names = query.selected or (
            *query.extra_select, *query.values_select, *query.annotation_select,
        )  # fmt: skip
        return partial(_as_values, tuple(names))
    if rows._iterable_class is FlatValuesListIterable:
        return itemgetter(0)
    return tuple if rows._iterable_class is ValuesListIterable else None


def _as_values(names: tuple[str, ...], row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(names, row, strict=False))


def _object_maker(compiler: Any, using: str) -> Make | None:
    main = _ModelPlan.of(compiler.klass_info, compiler.select, using)
    if main is None:
        return None
    annotations = tuple((compiler.annotation_col_map or {}).items())
    if not annotations:
        return main.make

    def make(row: Sequence[Any]) -> Any:
        found = main.make(row)
        for name, at in annotations:
            setattr(found, name, row[at])
        return found

    return make


@dataclass(frozen=True, slots=True)
class _ModelPlan:
    """How the columns of one model in a row become an object, with what was selected along."""

    model: type[Model]
    using: str
    names: tuple[str, ...]
    values: Callable[[Sequence[Any]], Sequence[Any]]
    key: int
    related: "tuple[tuple[_ModelPlan, Callable[..., None], Callable[..., None]], ...]"

    @staticmethod
    def of(info: Any, select: Any, using: str) -> "_ModelPlan | None":
        """Return the plan of a model and of its relations; None where one of them has none."""
        model = info["model"]
        places = list(info["select_fields"])
        names = [select[at][0].target.attname for at in places]
        if info.get("from_parent") or not _is_plain(model, names):
            return None
        related = []
        for each in info.get("related_klass_infos", ()):
            plan = _ModelPlan.of(each, select, using)
            if plan is None:
                return None
            related.append((plan, each["local_setter"], each["remote_setter"]))
        key = places[names.index(model._meta.pk.attname)]
        return _ModelPlan(model, using, tuple(names), _getter(places), key, tuple(related))

    def make(self, row: Sequence[Any]) -> Any:
        """Return the object that a row holds."""
        found = object.__new__(self.model)
        held, state = found.__dict__, ModelState()
        state.adding, state.db = False, self.using
        held["_state"] = state
        held.update(zip(self.names, self.values(row), strict=True))
        for plan, set_here, set_there in self.related:
            other = plan.make(row) if row[plan.key] is not None else None
            set_here(found, other)
            if other is not None:
                set_there(other, found)
        return found


def _getter(places: list[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Return what takes these columns out of a row; one after the other is the common case."""
    if places == list(range(places[0], places[-1] + 1)):
        return itemgetter(slice(places[0], places[-1] + 1))
    return itemgetter(*places)


def _is_plain(model: type[Model], names: Sequence[str]) -> bool:
    """Return True if an object of the model is no more than its columns."""
    return (
        model.__init__ is Model.__init__
        and model.from_db.__func__ is Model.from_db.__func__  # type: ignore[attr-defined]
        and not pre_init.has_listeners(model)
        and not post_init.has_listeners(model)
        and all(type(getattr(model, name, None)) in _PLAIN for name in names)
    )
