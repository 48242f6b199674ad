"""What a query may ask: options by name, properties, filters, pages that carry a token."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.machines.api_server import Call
from tests.machines.graph.checking import refuse
from tests.machines.graph.declared import properties

_PREFERRED = re.compile(
    r'IdType="ImmutableId"|outlook\.timezone="UTC"|outlook\.body-content-type="text"'
    r"|odata\.maxpagesize=[1-9]\d{0,2}"
)
_NAMED = re.compile(
    r"singleValueExtendedProperties/Any\(ep: ep/id eq '([^']+)' and ep/value eq '((?:[^']|'')*)'\)"
)
_EXPANDED = re.compile(r"(\w+)(?:\(([^()]*)\))?(?:,|$)")
_TEXTS = {
    "$filter": "filter", "$orderby": "orderby", "$skiptoken": "skip", "$deltatoken": "delta",
}  # fmt: skip
_PROPERTY = re.compile(r"id eq '([^']*)'")


@dataclass(slots=True)
class Asked:
    """The options of a query; `expand` has the ids of extended properties that are wanted."""

    select: list[str] | None = None
    expand: dict[str, set[str]] = field(default_factory=dict)
    filter: str = ""
    orderby: str = ""
    top: int = 10
    count: bool = False
    skip: str = ""
    delta: str = ""
    times: dict[str, str] = field(default_factory=dict)


def read_query(call: Call, kind: str, allowed: set[str], most: int = 1000) -> Asked:
    """Return what a query asks; raises RefusedError for whatever is not allowed there."""
    names = [name for name, _value in call.query]
    if len(names) != len(set(names)):
        raise refuse("a query option is given twice", "BadRequest")
    asked = Asked()
    for name, value in call.query:
        if name not in allowed | {"$skiptoken"}:
            raise refuse(f"The query parameter '{name}' is not supported.", "BadRequest")
        _read_option(asked, kind, name, value, most)
    is_selected = asked.select is not None and "exceptionOccurrences" in asked.select
    if is_selected and "exceptionOccurrences" not in asked.expand:
        raise refuse("exceptionOccurrences has to be expanded", "BadRequest")
    return asked


def _read_option(asked: Asked, kind: str, name: str, value: str, most: int) -> None:
    match name:
        case "$select":
            asked.select = _selected(kind, value)
        case "$expand":
            asked.expand = _expanded(kind, value)
        case "$top":
            if not value.isdecimal() or not 1 <= int(value) <= most:
                raise refuse(f"$top is from 1 to {most}", "BadRequest")
            asked.top = int(value)
        case "$count":
            if value not in ("true", "false"):
                raise refuse("$count is true or false", "BadRequest")
            asked.count = value == "true"
        case _ if name in _TEXTS:
            setattr(asked, _TEXTS[name], value)
        case _:
            asked.times[name] = value


def _selected(kind: str, value: str) -> list[str]:
    names = value.split(",")
    for name in names:
        if name not in properties(kind):
            raise refuse(
                f"Could not find a property named '{name}' on type '{kind}'.", "BadRequest"
            )
    return names


def _expanded(kind: str, value: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    at = 0
    while at < len(value):
        part = _EXPANDED.match(value, at)
        if part is None or part[1] not in properties(kind):
            raise refuse(f"$expand={value} cannot be read", "BadRequest")
        option = part[2] or ""
        if option and not option.startswith("$filter="):
            raise refuse(f"{option} is not supported within $expand", "BadRequest")
        found[part[1]] = set(_PROPERTY.findall(option))
        at = part.end()
    if "singleValueExtendedProperties" in found and not found["singleValueExtendedProperties"]:
        raise refuse("extended properties are expanded by their ids", "BadRequest")
    return found


def named_property(text: str) -> tuple[str, str]:
    """Return the extended property that a filter names, and what it has to say."""
    if (named := _NAMED.fullmatch(text)) is None:
        raise refuse(f"$filter={text} is not supported", "ErrorInvalidUrlQueryFilter")
    return named[1], named[2].replace("''", "'")


def check_prefers(call: Call) -> set[str]:
    """Return what a client prefers; raises RefusedError for what Graph does not know."""
    prefers = call.prefers()
    for each in prefers:
        if not _PREFERRED.fullmatch(each):
            raise refuse(f"Prefer: {each} is not known")
    return prefers


def page_size(call: Call, usual: int = 50) -> int:
    """Return how many items a page of changes has."""
    sizes = [one.partition("=")[2] for one in call.prefers() if "maxpagesize" in one]
    return int(sizes[0]) if sizes else usual


def select(asked: Asked, full: dict[str, Any], hidden: Sequence[str] = ()) -> dict[str, Any]:
    """Return what was selected of an item; `hidden` is shown only to who selects it."""
    wanted = asked.select
    if wanted is None:
        return {name: value for name, value in full.items() if name not in hidden}
    return {name: value for name, value in full.items() if name in wanted or name == "id"}
