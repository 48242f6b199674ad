"""Values that say nothing beside the rest of what was found; pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from inbox.extract import roles
from inbox.extract.fields import Field
from inbox.languages import any_of, lazy_regex

SUPPLIERS = lazy_regex(lambda: any_of(lambda it: it.schemas.suppliers))
_OF_A_BILL = frozenset({"money", "id", "iban"})
_CALLED_OFF = frozenset({"returned", "cancelled", "canceled", "refunded"})


def idle_among(fields: Sequence[Field], values: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of fields whose values count for nothing.

    That is who supplies where nothing else says that it is a bill, and when something comes that
    was called off or sent back.
    """
    asked = {it.kind for it in fields}
    kinds = {it.kind for it in fields if it.name in values}
    idle: set[str] = set()
    if asked & _OF_A_BILL and not kinds & _OF_A_BILL:
        idle |= {it.name for it in fields if it.kind == "company" and SUPPLIERS.search(it.words)}
    chosen = [values[it.name] for it in fields if it.kind == "choice" and it.name in values]
    if any(isinstance(it, str) and it in _CALLED_OFF for it in chosen):
        days = [it for it in fields if it.kind == "date"]
        idle |= {it.name for it in days if it.role(roles.dates()) == "delivery"}
    return frozenset(idle)
