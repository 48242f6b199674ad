"""The collections of one source at a DAV server; what `ChangeStore` promises."""

from collections.abc import Iterator, Sequence

from inbox.providers.base import Connection
from inbox.providers.change_store import (
    Applied,
    Change,
    Changes,
    Collection,
    Item,
    ItemRefusedError,
)
from inbox.providers.dav import changing, files
from inbox.providers.dav.applying import Applier
from inbox.providers.dav.discovery import homes
from inbox.providers.dav.fetching import Fetcher
from inbox.providers.dav.hrefs import UnfitAddressError, as_collection, checked
from inbox.providers.dav.inviting import Inviting
from inbox.providers.dav.listing import collections_in, file_collection
from inbox.providers.dav.scheduling import address_of
from inbox.providers.dav.session import Session
from inbox.providers.dav.settings import DavSettings, hosts
from inbox.providers.declaration import Declaration, Limits, SettingField
from inbox.providers.http.store import HttpStore
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _


class DavStore(HttpStore[Session]):
    """A way to a server that speaks CalDAV, CardDAV or WebDAV."""

    def __init__(self, connection: Connection) -> None:
        self._settings = DavSettings.read(connection)
        super().__init__(Session(self._settings, connection.secret, connection.renew))
        self._fetcher = Fetcher(self._api)
        known = frozenset(map(address_of, (connection.address, self._settings.username)))
        inviting = Inviting(self._api, self._fetcher.one, known)
        self._applier = Applier(
            self._api, self._fetcher.one, inviting.as_sent, inviting.check_removal
        )

    def collections(self) -> list[Collection]:
        """Return the calendars, address books, lists of to-dos, and the folder of files."""
        found: dict[tuple[str, str], Collection] = {}
        if self._settings.url or self._settings.domain:
            for home in homes(self._api, self._settings):
                for each in collections_in(self._api, home.url, itself=home.is_collection):
                    found.setdefault((each.kind, each.id), each)
        if self._settings.files_url:
            each = file_collection(self._api, self._settings.files_url)
            found[each.kind, each.id] = each
        return list(found.values())

    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since a position."""
        _check(collection)
        if collection.kind == "files":
            return files.changes_of(self._api, collection, position)
        return changing.changes_of(self._api, collection, position)

    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the items that are still there."""
        _check(collection)
        for each in ids:
            _check_id(each)
        return self._fetcher.fetch(collection, ids)

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change, if the item is as `if_match` has it."""
        _check(collection)
        if change.id:
            _check_id(change.id)
        return self._applier.apply(collection, change, if_match)


def _check(collection: Collection) -> None:
    """Raise StoreError for an address that passwords are not sent to."""
    try:
        is_fit = as_collection(checked(collection.id)) == collection.id
    except UnfitAddressError:
        is_fit = False
    if not is_fit:
        words = _("%(name)s has no address that can be used.", name=collection.name)
        raise StoreError("permanent", words)


def _check_id(path: str) -> None:
    """Raise ItemRefusedError for an id that is no path at a host."""
    if not path.startswith("/") or path.startswith("//") or not path.isascii():
        raise ItemRefusedError(_("%(path)s is no path of a file.", path=path))


DECLARATION = Declaration(
    name="dav",
    title=_("CalDAV, CardDAV and WebDAV"),
    carries=frozenset({"calendar", "contacts", "todos", "files"}),
    summary=_(
        "Nextcloud, iCloud, Fastmail, mailbox.org, Posteo, Radicale and most others, also "
        "their files: with a password."
    ),
    sign_in=("password", "oauth"),
    fields=(
        SettingField(
            "url",
            _("Address"),
            required=False,
            help=_("The server's address, or only its name or your e-mail address there."),
        ),
        SettingField(
            "files_url",
            _("Address of files"),
            kind="url",
            required=False,
            help=_(
                "A folder by WebDAV, such as "
                "https://cloud.example/remote.php/dav/files/mira/. Leave it empty without files."
            ),
        ),
        SettingField("username", _("User name")),
    ),
    limits=Limits(calls_an_hour=3_600, seconds_between_looks=300),
    hosts=lambda settings: hosts(dict(settings)),
    open_changes=DavStore,
)
