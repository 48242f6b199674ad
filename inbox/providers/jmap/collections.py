"""Calendars and contacts by JMAP, where a server offers them; what `ChangeStore` promises.

A server offers contacts by RFC 9610, whose cards are JSContact, and calendars by the draft whose
events are JSCalendar; or both by the drafts that Cyrus 3.6 has.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from inbox.providers.base import Connection
from inbox.providers.change_store import (
    Applied,
    Change,
    Changes,
    Collection,
    CollectionKind,
    Item,
)
from inbox.providers.http.store import HttpStore
from inbox.providers.jmap.api import JmapApi
from inbox.providers.jmap.calendars.events import CyrusEvents, Events
from inbox.providers.jmap.contacts.cards import Cards
from inbox.providers.jmap.contacts.drafted import DraftedContacts
from inbox.providers.jmap.items import Items, ObjectType
from inbox.providers.jmap.listing import Lister, address_books, calendars, whole_account
from inbox.providers.jmap.resource import CALENDARS, CONTACTS, CYRUS_CALENDARS, CYRUS_CONTACTS
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

# What a server may offer of a kind, the best first: how collections are listed, and their objects.
_OFFERED: Mapping[CollectionKind, Mapping[str, tuple[Lister, Callable[[str], ObjectType]]]] = {
    "calendar": {
        CALENDARS: (calendars, Events), CYRUS_CALENDARS: (calendars, CyrusEvents),
    },
    "contacts": {
        CONTACTS: (address_books, Cards), CYRUS_CONTACTS: (whole_account, DraftedContacts),
    },
}  # fmt: skip


class JmapCollections(HttpStore[JmapApi]):
    """A signed-in way to the collections of an account."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(JmapApi(connection))
        self._kinds: dict[CollectionKind, Items] = {}

    def collections(self) -> list[Collection]:
        """Return all of every kind that the server offers; raises StoreError where it has none."""
        resource = self._api.look_anew()
        found: list[Collection] = []
        for kind in _OFFERED:
            if capability := self._offered(kind):
                account = resource.accounts[capability]
                listed = _OFFERED[kind][capability][0]
                found += listed(self._api, account, account not in resource.read_only)
        if not found:
            words = _("The server offers neither calendars nor contacts by JMAP.")
            raise StoreError("permanent", words)
        return found

    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since a position."""
        return self._of(collection).changes(collection, position)

    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the items that are still there."""
        return self._of(collection).fetch(collection, ids)

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change, if the item is as `if_match` has it."""
        return self._of(collection).apply(collection, change, if_match)

    def _of(self, collection: Collection) -> Items:
        """Return what is for a collection; raises StoreError where the server has none such."""
        if collection.kind not in self._kinds:
            capability = self._offered(collection.kind)
            if not capability:
                words = _("The server does not offer %(name)s any more.", name=collection.name)
                raise StoreError("gone", words)
            account = self._api.resource.accounts[capability]
            kind = _OFFERED[collection.kind][capability][1](account)
            self._kinds[collection.kind] = Items(self._api, kind)
        return self._kinds[collection.kind]

    def _offered(self, kind: CollectionKind) -> str:
        """Return the capability by which the server has a kind of collections; empty: none."""
        accounts = self._api.resource.accounts
        return next((it for it in _OFFERED.get(kind, {}) if it in accounts), "")
