"""`completion/complete`: what may stand in an argument of a prompt or of a resource's address."""

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CompleteResult,
    Completion,
    PromptReference,
    ResourceTemplateReference,
)

from agents.directory import KINDS, Kind, kinds_for, list_kind
from agents.surfaces.mcp.callers import Caller
from agents.surfaces.mcp.prompts import takes
from agents.surfaces.mcp.templates import has_template
from agents.tools.shapes import ThreadState

_MOST = 100
# So many rows of a kind are looked at.
_LOOKED_AT = 500
# What names a row, in the order in which it is offered.
_NAMES = ("address", "name", "path", "role", "id")
_KIND_OF = {"inbox_id": "inboxes", "label": "mailboxes"}


def complete(
    caller: Caller,
    ref: PromptReference | ResourceTemplateReference,
    argument: str,
    begun: str,
    others: Mapping[str, str],
) -> CompleteResult:
    """Return the values that begin so, whatever their case.

    `others` are the arguments that are filled in already. Raises MCPError where there is nothing to
    complete.
    """
    if isinstance(ref, PromptReference):
        known = takes(ref.name, argument)
    else:
        known = has_template(ref.uri, argument)
    if not known:
        raise MCPError(INVALID_PARAMS, "There is no such argument to complete")
    wanted = begun.casefold()
    offered = _values(caller, argument, others)
    found = [value for value in offered if value.casefold().startswith(wanted)]
    return CompleteResult(
        completion=Completion(values=found[:_MOST], total=len(found), has_more=len(found) > _MOST)
    )


def _values(caller: Caller, argument: str, others: Mapping[str, str]) -> list[str]:
    """Return what is few and known beforehand; ids of threads and messages are neither."""
    if argument == "status":
        return list(get_args(ThreadState))
    if argument == "kind":
        return [kind.plural for kind in kinds_for(caller.actor)]
    plural = others.get("kind", "") if argument == "search" else _KIND_OF.get(argument, "")
    kind = KINDS.get(plural)
    if kind is None or kind not in kinds_for(caller.actor):
        return []
    return _names_of(caller, kind, with_ids=argument.endswith("_id"))


def _names_of(caller: Caller, kind: Kind, *, with_ids: bool) -> list[str]:
    """Return the names and addresses of the rows that the caller may see; ids after them."""
    rows, _ = list_kind(caller.actor, kind, search=None, cursor=None, limit=_LOOKED_AT)
    fields = _NAMES if with_ids else _NAMES[:-1]
    return list(dict.fromkeys(name for field in fields for name in _each(rows, field)))


def _each(rows: Iterable[Mapping[str, Any]], field: str) -> list[str]:
    return [str(row[field]) for row in rows if field in row]
