"""The collections of one source at Microsoft Graph; what `ChangeStore` promises."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from inbox.providers.base import Connection
from inbox.providers.change_store import Applied, Change, Changes, Collection, Item
from inbox.providers.declaration import Declaration, Limits, SettingField
from inbox.providers.graph.asking import GraphApi, query
from inbox.providers.graph.calendars.events import Events
from inbox.providers.graph.calendars.listing import EventLister
from inbox.providers.graph.contacts import Contacts, folder_of
from inbox.providers.graph.delta import DeltaLister
from inbox.providers.graph.drive.files import Files
from inbox.providers.graph.drive.listing import DriveLister
from inbox.providers.graph.listing import collections_of
from inbox.providers.graph.todos import Todos, list_of
from inbox.providers.http.store import HttpStore
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

Some = TypeVar("Some")


class Lister(Protocol):
    """Tells what changed in the collections of a kind."""

    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since a position."""
        ...


class Kind(Protocol):
    """What is done with the collections of a kind."""

    def fetch(self, collection: Collection, ids: Sequence[str], /) -> Iterator[Item]:
        """Yield the items that are still there."""
        ...

    def apply(self, collection: Collection, change: Change, if_match: str, /) -> Applied:
        """Do one change, if the item is as `if_match` has it."""
        ...


class GraphStore(HttpStore[GraphApi]):
    """A way to the calendars, contacts, to-dos and files of an account at Microsoft."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(GraphApi(connection))
        self._kinds: dict[str, Kind] = {
            "calendar": Events(self._api, connection.address),
            "contacts": Contacts(self._api),
            "todos": Todos(self._api),
            "files": Files(self._api),
        }
        modified = query({"$select": "lastModifiedDateTime"})
        self._listers: dict[str, Lister] = {
            "calendar": EventLister(self._api),
            "contacts": DeltaLister(self._api, folder_of, modified),
            "todos": DeltaLister(self._api, list_of),
            "files": DriveLister(self._api),
        }

    def collections(self) -> list[Collection]:
        """Return all of every kind that was granted."""
        return collections_of(self._api)

    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since a position."""
        return _of(self._listers, collection).changes(collection, position)

    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the items that are still there."""
        return _of(self._kinds, collection).fetch(collection, ids)

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change, if the item is as `if_match` has it."""
        return _of(self._kinds, collection).apply(collection, change, if_match)


def _of(kinds: Mapping[str, Some], collection: Collection) -> Some:
    """Return what is for a collection; raises StoreError for a kind that is none."""
    found = kinds.get(collection.kind)
    if found is None:
        words = _("%(name)s has no address that can be used.", name=collection.name)
        raise StoreError("permanent", words)
    return found


DECLARATION = Declaration(
    name="graph",
    title=_("Microsoft"),
    carries=frozenset({"calendar", "contacts", "todos", "files"}),
    sign_in=("oauth",),
    signs_in_at="microsoft",
    fields=(
        SettingField(
            "api_url",
            _("Address"),
            kind="url",
            required=False,
            help=_("Only for a national cloud, or for a server that stands in for Microsoft's."),
        ),
    ),
    limits=Limits(calls_an_hour=3_600, seconds_between_looks=300),
    open_changes=GraphStore,
)
