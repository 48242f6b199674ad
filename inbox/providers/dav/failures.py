"""What a refusal of one item means (RFC 4918 11, RFC 4791 5.3.2.1, RFC 6352 6.3.2.1)."""

from inbox.providers.change_store import ItemRefusedError
from inbox.providers.dav.multistatus import read_failure
from inbox.providers.http.failures import shown
from inbox.reasons import own
from inbox.reasons import phrase as _

_RULES = frozenset(
    {
        "valid-calendar-data", "valid-calendar-object-resource", "supported-calendar-component",
        "supported-calendar-data", "valid-address-data", "supported-address-data",
        "no-uid-conflict", "max-resource-size", "min-date-time", "max-date-time",
        "max-instances", "max-attendees-per-instance",
    }
)  # fmt: skip
# The server takes this one item for good not.
REFUSES_ITEM = frozenset({400, 403, 405, 409, 413, 414, 415, 422, 424, 431, 507})


def refused_item(status: int, body: bytes) -> ItemRefusedError:
    """Return that the server does not take an item, with the precondition that it names."""
    failure = read_failure(body)
    why = ", ".join(name.replace("-", " ") for name in failure.conditions) or f"HTTP {status}"
    if failure.words:
        why = f"{why} ({failure.words})"
    words = _("The server does not take it: %(why)s.", why=own(why))
    return ItemRefusedError(words, shown(status, body))


def is_about_item(body: bytes) -> bool:
    """Return True if a refusal names a rule for what is stored (RFC 4791 5.3.2.1, 6352 6.3.2.1)."""
    return bool(set(read_failure(body).conditions) & _RULES)
