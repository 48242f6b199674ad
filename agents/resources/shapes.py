"""Rows as what is told of them: a field of a shape says where its value comes from.

Unless it says something else, a field has the attribute of its name, and `id` the public id. An
empty text is left out where the field may be.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from inbox import ids
from inbox.models.base import PublicModel

S = TypeVar("S", bound=BaseModel)
Reader: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True)
class From:
    """The attribute that a field has, like `recipient.name`; `made` makes of it what is told.

    Where a step of it is None, so is the value.
    """

    attribute: str
    made: Reader | None = None

    def reader(self, _name: str) -> Reader:
        """Return what reads a row."""
        read, made = _attribute(self.attribute), self.made
        return read if made is None else lambda row: made(read(row))


@dataclass(frozen=True)
class Made:
    """What a field has is made of the whole row."""

    made: Reader

    def reader(self, _name: str) -> Reader:
        """Return what reads a row."""
        return self.made


@dataclass(frozen=True)
class IdOf:
    """The public id of a row of this model whose key stands in a column, that of the field's name.

    There is no query for it, and no id where the row belongs to none.
    """

    model: type[PublicModel]
    column: str = ""

    def reader(self, name: str) -> Reader:
        """Return what reads a row."""
        read, prefix = _attribute(self.column or name), self.model.ID_PREFIX

        def public_id(row: Any) -> str | None:
            key = read(row)
            return None if key is None else ids.encode(prefix, key)

        return public_id


@dataclass(frozen=True)
class Together:
    """What is read once for all rows of a page: by their keys, what each of them has."""

    read: Callable[[Iterable[int]], Mapping[int, Any]]


@dataclass(frozen=True)
class TogetherOf:
    """The same, read by the rows themselves."""

    read: Callable[[Sequence[Any]], Mapping[int, Any]]


def shapes_of(item: type[S], rows: Sequence[Any]) -> list[S]:
    """Return what is told of the rows, in as many queries as `item` has fields read `Together`."""
    readers, together = _fields(item)
    found = {
        name: one.read(rows if isinstance(one, TogetherOf) else [row.pk for row in rows])
        for name, one in together.items()
    }
    return [
        item(
            **{name: read(row) for name, read in readers.items()},
            **{name: values.get(row.pk) for name, values in found.items()},
        )
        for row in rows
    ]


def shape_of(item: type[S], row: Any) -> S:
    """Return what is told of one row."""
    return shapes_of(item, [row])[0]


def _attribute(path: str) -> Reader:
    first, _, rest = path.partition(".")
    read = attrgetter(first)
    if not rest:
        return read
    read_rest = _attribute(rest)

    def read_path(row: Any) -> Any:
        value = read(row)
        return None if value is None else read_rest(value)

    return read_path


@cache
def _fields(item: type[BaseModel]) -> tuple[dict[str, Reader], dict[str, Together | TogetherOf]]:
    readers: dict[str, Reader] = {}
    together: dict[str, Together | TogetherOf] = {}
    for name, field in item.model_fields.items():
        for source in field.metadata:
            if isinstance(source, Together | TogetherOf):
                together[name] = source
            elif isinstance(source, From | Made | IdOf):
                readers[name] = _or_absent(field, source.reader(name))
        if name not in readers and name not in together:
            own = "public_id" if name == "id" else name
            readers[name] = _or_absent(field, attrgetter(own))
    return readers, together


def _or_absent(field: FieldInfo, read: Reader) -> Reader:
    if field.is_required():
        return read

    def read_text(row: Any) -> Any:
        value = read(row)
        return None if value == "" else value

    return read_text
