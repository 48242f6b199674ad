"""The collections of one source at Google; what `ChangeStore` promises."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from inbox.providers.base import Connection
from inbox.providers.change_store import (
    Applied,
    Change,
    Changes,
    Collection,
    CollectionKind,
    Item,
)
from inbox.providers.declaration import Declaration, Limits, SettingField
from inbox.providers.google.asking import GoogleApi
from inbox.providers.google.calendar.changing import EventChanger
from inbox.providers.google.calendar.reader import EventReader
from inbox.providers.google.drive.changing import DriveChanger
from inbox.providers.google.drive.reading import DriveReader
from inbox.providers.google.listing import collections_of
from inbox.providers.google.people import PeopleStore
from inbox.providers.google.tasks import TaskStore
from inbox.providers.http.store import HttpStore
from inbox.reasons import phrase as _


class _OneKind(Protocol):
    """What all collections of one kind are read and changed by."""

    def changes(self, collection: Collection, position: str) -> Changes: ...

    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]: ...

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied: ...


class _Calendars:
    """The calendars of a source."""

    def __init__(self, api: GoogleApi, owner: str, address: str) -> None:
        reader = EventReader(api)
        self.changes, self.fetch = reader.changes, reader.fetch
        self.apply = EventChanger(api, owner.lower(), address.lower(), reader.item).apply


class _Drive:
    """The files of a source."""

    def __init__(self, api: GoogleApi) -> None:
        reader = DriveReader(api)
        self.changes, self.fetch = reader.changes, reader.fetch
        self.apply = DriveChanger(api, reader).apply


class GoogleStore(HttpStore[GoogleApi]):
    """A way to what an account has at Google, each kind by an interface of its own."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(GoogleApi(connection))
        # An account of ours may have another address than the one that signs in there.
        owner = str(connection.settings.get("username") or connection.address)
        self._kinds: dict[CollectionKind, _OneKind] = {
            "calendar": _Calendars(self._api, owner, connection.address),
            "todos": TaskStore(self._api),
            "contacts": PeopleStore(self._api),
            "files": _Drive(self._api),
        }

    def collections(self) -> list[Collection]:
        """Return the calendars, and all else that was granted."""
        return collections_of(self._api)

    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since a position."""
        return self._kinds[collection.kind].changes(collection, position)

    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the items that are still there."""
        return self._kinds[collection.kind].fetch(collection, ids)

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change, if the item is as `if_match` has it."""
        return self._kinds[collection.kind].apply(collection, change, if_match)


DECLARATION = Declaration(
    name="google",
    title=_("Google"),
    summary=_("Calendars, contacts, to-dos and files of a Google account."),
    carries=frozenset({"calendar", "contacts", "files", "todos"}),
    sign_in=("oauth",),
    signs_in_at="google",
    fields=(
        SettingField(
            "api_url",
            _("Address"),
            kind="url",
            required=False,
            help=_("Only for a server that stands in for Google's."),
        ),
    ),
    # Google grants some hundred calls a minute and user; each look of ours takes one a calendar.
    limits=Limits(calls_an_hour=3_600, seconds_between_looks=300),
    open_changes=GoogleStore,
)
