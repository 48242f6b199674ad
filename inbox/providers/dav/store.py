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
from inbox.providers.dav.listing import (
    collections_in,
    file_collection,
    files_beside,
    find_file_collection,
)
from inbox.providers.dav.scheduling import address_of
from inbox.providers.dav.session import Session
from inbox.providers.dav.settings import DavSettings, hosts
from inbox.providers.declaration import Declaration, Limits, SettingField, Settings
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
        found: dict[str, Collection] = {}
        settings, files_url = self._settings, ""
        if settings.url or settings.domain or settings.contacts_url:
            for home in homes(self._api, settings):
                files_url = files_url or files_beside(home.url)
                for each in collections_in(self._api, home.url, itself=home.is_collection):
                    found.setdefault(each.key, each)
        if settings.files_url:
            folder: Collection | None = file_collection(self._api, settings.files_url)
        else:
            folder = find_file_collection(self._api, files_url) if files_url else None
        return [*found.values(), *([folder] if folder else [])]

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


def _as_files(settings: Settings) -> Settings | None:
    """Return settings whose address is that of a folder of files, and nothing else."""
    url = str(settings.get("url") or "")
    if "://" not in url or settings.get("files_url") or settings.get("contacts_url"):
        return None
    return {**settings, "url": "", "files_url": url}


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
        SettingField("username", _("User name")),
        SettingField(
            "contacts_url",
            _("Address of contacts"),
            kind="url",
            required=False,
            is_rare=True,
            help=_("Leave it empty where they are at the same address."),
        ),
        SettingField(
            "files_url",
            _("Address of files"),
            kind="url",
            required=False,
            is_rare=True,
            help=_(
                "A folder by WebDAV, alone or besides. Those of Nextcloud and ownCloud are found "
                "without it."
            ),
        ),
    ),
    limits=Limits(calls_an_hour=3_600, seconds_between_looks=300),
    hosts=lambda settings: hosts(dict(settings)),
    otherwise=_as_files,
    open_changes=DavStore,
)
