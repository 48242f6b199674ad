"""The collections in a home, as their server describes them."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote, urlsplit

from inbox.providers.change_store import Collection, CollectionKind
from inbox.providers.dav import names
from inbox.providers.dav.hrefs import as_collection, host_of, origin, path_at
from inbox.providers.dav.multistatus import Response, propfind
from inbox.providers.dav.properties import color, components, is_writable
from inbox.providers.dav.session import Session
from inbox.providers.mail_store import StoreError

MOST_COLLECTIONS = 500
LONGEST_NAME = 200
_ASKED = (
    names.RESOURCE_TYPE, names.DISPLAY_NAME, names.COLOR, names.COMPONENTS, names.PRIVILEGES,
    names.DEFAULT_CALENDAR,
)  # fmt: skip
_OF_NEXTCLOUD = re.compile(
    r"(?P<root>https?://.+/remote\.php/dav/)(?:calendars|addressbooks/users)/(?P<user>[^/]+)/"
)
_COMPONENT_KINDS: dict[str, CollectionKind] = {"VEVENT": "calendar", "VTODO": "todos"}


def collections_in(session: Session, home: str, *, itself: bool) -> list[Collection]:
    """Return the calendars, lists of to-dos and address books of a home, or what it is itself."""
    depth = "0" if itself else "1"
    at, answer = session.multistatus("PROPFIND", home, propfind(_ASKED), depth)
    told = [each for each in answer.responses if each.status == 200]
    usual = {path_at(at, href) for each in told for href in each.hrefs(names.DEFAULT_CALENDAR)}
    found: list[Collection] = []
    for each in told:
        path = path_at(at, each.href)
        if path is not None:
            url = as_collection(f"{origin(at)}{path}")
            found += _read(url, each, is_usual=path in usual)
    return found[:MOST_COLLECTIONS]


def file_collection(session: Session, url: str) -> Collection:
    """Return the folder that a source's files lie in."""
    asked = (names.RESOURCE_TYPE, names.DISPLAY_NAME, names.PRIVILEGES)
    at, answer = session.multistatus("PROPFIND", url, propfind(asked))
    here = answer.responses[0] if answer.responses else Response("", 200, {})
    url = as_collection(at)
    name = here.text(names.DISPLAY_NAME) or _last_part(url) or host_of(url)
    return Collection(url, "files", name[:LONGEST_NAME], writable=is_writable(here))


def files_beside(home: str) -> str:
    """Return where Nextcloud and ownCloud have the files of whose home this is; else empty.

    Their homes are at `remote.php/dav/calendars/USER/`, or `addressbooks/users/USER/`, and the
    files at `remote.php/dav/files/USER/` (https://docs.nextcloud.com, WebDAV).
    """
    parts = _OF_NEXTCLOUD.fullmatch(home)
    return f"{parts['root']}files/{parts['user']}/" if parts else ""


def find_file_collection(session: Session, url: str) -> Collection | None:
    """Return the folder at an address, None where there is none or we may not see it."""
    try:
        return file_collection(session, url)
    except StoreError as error:
        if error.kind in {"permanent", "gone"}:
            return None
        raise


def _read(url: str, told: Response, *, is_usual: bool) -> Iterator[Collection]:
    types = told.inside(names.RESOURCE_TYPE)
    if types & names.NOT_FOR_US:
        return
    name = (told.text(names.DISPLAY_NAME) or _last_part(url))[:LONGEST_NAME]
    shown, writable = color(told.text(names.COLOR)), is_writable(told)
    for kind in _kinds(types, told):
        default = is_usual and kind == "calendar"
        yield Collection(url, kind, name, shown, writable, is_default=default)


def _kinds(types: Iterable[str], told: Response) -> list[CollectionKind]:
    if names.ADDRESSBOOK in types:
        return ["contacts"]
    if names.CALENDAR not in types:
        return []
    taken = components(told)
    return [kind for name, kind in _COMPONENT_KINDS.items() if name in taken]


def _last_part(url: str) -> str:
    return unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2])
