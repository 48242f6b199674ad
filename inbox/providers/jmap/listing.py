"""The collections that an account has, by each form in which servers tell of them."""

import re
from collections.abc import Callable
from typing import Any, TypeAlias

from inbox.providers.change_store import Collection
from inbox.providers.http.json_values import object_of, text_of
from inbox.providers.jmap import objects
from inbox.providers.jmap.api import JmapApi, MethodError
from inbox.providers.jmap.calendars import events
from inbox.providers.jmap.contacts import cards
from inbox.providers.jmap.contacts.drafted import ALL
from inbox.reasons import phrase as _

# Of an account, and whether anything may be changed in it.
Lister: TypeAlias = Callable[[JmapApi, str, bool], list[Collection]]
_MOST = 500
_MAY_WRITE = ("mayWriteAll", "mayAddItems", "mayModifyItems")
_COLOR = re.compile(r"#[0-9A-Fa-f]{6}")


def address_books(api: JmapApi, account: str, writable: bool) -> list[Collection]:
    """Return the address books (RFC 9610 2); raises StoreError."""
    return [
        Collection(
            cards.id_of(str(one["id"])), "contacts", text_of(one, "name"),
            writable=writable and object_of(one, "myRights").get("mayWrite") is not False,
            is_default=one.get("isDefault") is True,
        )
        for one in listed(api, "AddressBook/get", account)
    ]  # fmt: skip


def calendars(api: JmapApi, account: str, writable: bool) -> list[Collection]:
    """Return the calendars whose events may be read; raises StoreError.

    What may be done in one is in its `myRights` (draft-ietf-jmap-calendars), in Cyrus by the side.
    """
    found = []
    for one in listed(api, "Calendar/get", account):
        rights, color = object_of(one, "myRights") or one, text_of(one, "color")
        may_write = any(rights.get(name) is True for name in _MAY_WRITE)
        if rights.get("mayReadItems") is not False:
            found.append(
                Collection(
                    events.id_of(str(one["id"])), "calendar", text_of(one, "name"),
                    color if _COLOR.fullmatch(color) else "", writable=writable and may_write,
                    is_default=one.get("isDefault") is True or one["id"] == "Default",
                )
            )  # fmt: skip
    return found


def whole_account(_api: JmapApi, _account: str, writable: bool) -> list[Collection]:
    """Return all contacts as one collection, where address books are not told of."""
    return [Collection(ALL, "contacts", str(_("Contacts")), writable=writable, is_default=True)]


def listed(api: JmapApi, method: str, account: str) -> list[dict[str, Any]]:
    """Return the objects of a `get` of all; raises StoreError."""
    try:
        answers = api.call((method, {"accountId": account, "ids": None}, "all"))
    except MethodError as error:
        raise error.as_store_error() from error
    return objects.listed(answers["all"])[:_MOST]
