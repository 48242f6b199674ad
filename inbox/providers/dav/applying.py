"""Changes made at the server, each only if what it changes is as we know it."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from inbox.providers.change_store import (
    Applied,
    Change,
    Collection,
    Item,
    ItemChangedError,
    ItemRefusedError,
    Move,
    Put,
    Remove,
)
from inbox.providers.dav import names
from inbox.providers.dav.failures import REFUSES_ITEM, is_about_item, refused_item
from inbox.providers.dav.hrefs import origin, part, path_at
from inbox.providers.dav.multistatus import Response, propfind
from inbox.providers.dav.properties import etag_of_file, plain_etag, strong_etag
from inbox.providers.dav.scheduling import QUIET
from inbox.providers.dav.session import Session
from inbox.providers.http.reading import Answer
from inbox.providers.http.session import Asked, refused
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

_TYPES = {
    "calendar": "text/calendar; charset=utf-8",
    "todos": "text/calendar; charset=utf-8",
    "contacts": "text/vcard; charset=utf-8",
    "files": "application/octet-stream",
}
_ENDINGS = {"calendar": ".ics", "todos": ".ics", "contacts": ".vcf"}
_CONTENT_TYPE = re.compile(r"[\w.+-]{1,80}/[\w.+-]{1,80}(?:; ?[\w-]{1,40}=[\w.-]{1,80})*", re.ASCII)
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,150}")
# What servers say of a folder where something of its name is.
_TAKEN = frozenset({400, 405, 409})
_GONE = frozenset({404, 410})
_STATE = (names.ETAG, names.RESOURCE_TYPE, names.LENGTH, names.MODIFIED)


@dataclass(slots=True)
class Applier:
    """Makes changes; remembers what a server does with them."""

    session: Session
    # Reads one item as it lies there.
    read: Callable[[Collection, str], Item | None]
    # What keeps a server from writing to the people in events.
    as_sent: Callable[[Collection, Put], bytes]
    check_removal: Callable[[Collection, Remove], None]
    # Whether what a server says to have stored was there byte for byte, by the collection.
    _keeps_bytes: dict[tuple[str, str], bool] = field(default_factory=dict)

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change; raises ItemChangedError, ItemRefusedError or StoreError."""
        match change:
            case Remove():
                return self._remove(collection, change, if_match)
            case Move():
                return self._move(collection, change, if_match)
            case Put(is_folder=True):
                return self._make_folder(collection, change)
            case Put():
                return self._put(collection, change, if_match)

    # -- putting -----------------------------------------------------------------------------------
    def _put(self, collection: Collection, change: Put, if_match: str) -> Applied:
        path = change.id or _new_path(collection, change)
        if collection.kind == "files" and change.id and if_match:
            # Some make it anew, whatever If-Match says of what is not there.
            self._check_there(collection, path)
        sent = self.as_sent(collection, change)
        is_type = _CONTENT_TYPE.fullmatch(change.content_type)
        headers = {"Content-Type": change.content_type if is_type else _TYPES[collection.kind]}
        headers |= _quiet(collection)
        if not change.id:
            headers["If-None-Match"] = "*"
        asked = Asked("PUT", f"{origin(collection.id)}{path}", headers, sent)
        answer = self._conditionally(collection, asked, path, if_match if change.id else "")
        if answer.is_good:
            return self._stored(collection, answer, path, change.raw, sent)
        if answer.status == 412 and self._is_refusal(collection, change, path, answer):
            raise refused_item(answer.status, answer.body)
        if answer.status == 412 or (answer.status in _GONE and change.id and if_match):
            raise ItemChangedError
        _check_folder(collection, answer)
        raise _failure(answer)

    def _is_refusal(self, collection: Collection, change: Put, path: str, answer: Answer) -> bool:
        """Return True if 412 is about the item, not about what lies there.

        Some say so of an item that cannot be read as well, whether or not one of its name is there.
        """
        if is_about_item(answer.body):
            return True
        return not change.id and self._state(collection, path) is None

    def _stored(
        self, collection: Collection, answer: Answer, path: str, raw: bytes, sent: bytes
    ) -> Applied:
        """Return what became of a PUT; its etag only where the server keeps bytes as they are."""
        place = path_at(answer.url, answer.headers.get("location", "")) if path else None
        path = place if answer.headers.get("location") and place else path
        etag = strong_etag(answer.headers.get("etag", ""))
        if not etag or sent != raw:
            return Applied(path, "")
        key = (collection.id, collection.kind)
        if key not in self._keeps_bytes and collection.kind != "files":
            # Some say that what they stored is what we sent, and write it anew: looked at once.
            item = self.read(collection, path)
            self._keeps_bytes[key] = item is not None and item.raw == raw
        return Applied(path, etag if self._keeps_bytes.get(key, True) else "")

    # -- folders, moving, removing -----------------------------------------------------------------
    def _make_folder(self, collection: Collection, change: Put) -> Applied:
        path = f"{_below(collection, change.path)}/"
        answer = self.session.ask(Asked("MKCOL", f"{origin(collection.id)}{path}"))
        if answer.is_good:
            return Applied(path, "")
        there = self._state(collection, path.rstrip("/")) if answer.status in _TAKEN else None
        if there is None:
            _check_folder(collection, answer)
            raise _failure(answer)
        if names.COLLECTION in there.inside(names.RESOURCE_TYPE):
            return Applied(path, "")
        raise ItemChangedError

    def _move(self, collection: Collection, change: Move, if_match: str) -> Applied:
        at, is_folder = origin(collection.id), change.id.endswith("/")
        path = _below(collection, change.path) + ("/" if is_folder else "")
        if path == change.id:
            return Applied(path, if_match)
        headers = {"Destination": f"{at}{path}", "Overwrite": "F"}
        asked = Asked("MOVE", f"{at}{change.id}", headers)
        answer = self._conditionally(collection, asked, change.id, if_match)
        if answer.status == 412 or answer.status in _GONE:
            raise ItemChangedError
        _check_folder(collection, answer)
        if answer.status >= 500:
            # Apache's way to say that there is no such folder.
            self._check_there(collection, path.rstrip("/").rpartition("/")[0] + "/")
        if not answer.is_good or answer.status == 207:
            raise _failure(answer)
        return Applied(path, self._etag_after_move(collection, path, if_match))

    def _etag_after_move(self, collection: Collection, path: str, if_match: str) -> str:
        """Return the etag, if it is the same at the new place: then so is what lies there."""
        there = self._state(collection, path) if if_match else None
        return if_match if there is not None and _etag(collection, there) == if_match else ""

    def _remove(self, collection: Collection, change: Remove, if_match: str) -> Applied:
        self.check_removal(collection, change)
        if collection.kind == "files" and change.id.endswith("/"):
            # DELETE takes all that lies in it along (RFC 4918 9.6.1), also what came just now.
            self._check_empty(collection, change.id)
        elif if_match:
            self._check_same(collection, change.id, if_match)
        asked = Asked("DELETE", f"{origin(collection.id)}{change.id}", _quiet(collection))
        answer = self._conditionally(collection, asked, change.id, if_match)
        if answer.status in _GONE or (answer.is_good and answer.status != 207):
            return Applied(change.id, "")
        if answer.status == 412:
            raise ItemChangedError
        raise _failure(answer)

    def _check_same(self, collection: Collection, path: str, if_match: str) -> None:
        """Raise ItemChangedError for what is there in another state.

        SOGo removes an item whatever If-Match says: it must not be what somebody wrote meanwhile.
        """
        there = self._state(collection, path)
        if there is not None and _etag(collection, there) not in ("", if_match):
            raise ItemChangedError

    def _check_there(self, collection: Collection, path: str) -> None:
        if self._state(collection, path) is None:
            raise ItemChangedError

    def _check_empty(self, collection: Collection, path: str) -> None:
        url = f"{origin(collection.id)}{path}"
        at, answer = self.session.try_multistatus("PROPFIND", url, propfind(_STATE), "1")
        if isinstance(answer, Answer):
            if answer.status not in _GONE:
                raise refused(answer)
            return
        found = (path_at(at, each.href) for each in answer.responses)
        if any(each and each.rstrip("/") != path.rstrip("/") for each in found):
            raise ItemChangedError

    # -- conditions --------------------------------------------------------------------------------
    def _conditionally(
        self, collection: Collection, asked: Asked, path: str, if_match: str
    ) -> Answer:
        """Send a request that holds only for an item in this state.

        Where the server's etag is weak, or there is none, no If-Match ever holds (RFC 9110 13.1.1):
        then its state is asked for, and the request sent without.
        """
        if not if_match:
            return self.session.ask(asked)
        answer = self.session.ask(_with(asked, if_match))
        if answer.status != 412:
            return answer
        there = self._state(collection, path)
        if there is None or _etag(collection, there) != if_match:
            return Answer(answer.url, 404 if there is None else 412, answer.headers)
        answer = self.session.ask(asked)
        if answer.status == 412 and asked.method == "PUT":
            raise refused_item(answer.status, answer.body)
        return answer

    def _state(self, collection: Collection, path: str) -> Response | None:
        url = f"{origin(collection.id)}{path}"
        at, answer = self.session.try_multistatus("PROPFIND", url, propfind(_STATE))
        if isinstance(answer, Answer):
            if answer.status in _GONE:
                return None
            raise refused(answer)
        own = (each for each in answer.responses if path_at(at, each.href) is not None)
        there = next(own, None)
        return there if there is not None and there.status == 200 else None


def _quiet(collection: Collection) -> dict[str, str]:
    return QUIET if collection.kind in ("calendar", "todos") else {}


def _with(asked: Asked, if_match: str) -> Asked:
    return Asked(asked.method, asked.url, {**asked.headers, "If-Match": if_match}, asked.body)


def _etag(collection: Collection, there: Response) -> str:
    etag = plain_etag(there.text(names.ETAG))
    if collection.kind != "files":
        return etag
    length = there.text(names.LENGTH)
    size = int(length) if length.isdecimal() and len(length) < 18 else None
    return etag_of_file(etag, size, there.text(names.MODIFIED))


def _new_path(collection: Collection, change: Put) -> str:
    if collection.kind == "files":
        return _below(collection, change.path)
    name = change.name
    if not _PLAIN_NAME.fullmatch(name):
        # Not every server takes every letter.
        name = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:40]
    return f"{urlsplit(collection.id).path}{part(name)}{_ENDINGS[collection.kind]}"


def _below(collection: Collection, path: str) -> str:
    """Return the address of a path below a collection; raises ItemRefusedError for none such."""
    parts = path.split("/")
    if any(each in ("", ".", "..") or "\0" in each for each in parts):
        raise ItemRefusedError(_("%(path)s is no path of a file.", path=path))
    return urlsplit(collection.id).path + "/".join(map(part, parts))


def _check_folder(collection: Collection, answer: Answer) -> None:
    """Raise ItemChangedError where the folder is gone that something was to be put into.

    RFC 4918 9.3.1, 9.7.1, 9.9.4.
    """
    if collection.kind == "files" and answer.status in _GONE | {409}:
        raise ItemChangedError


def _failure(answer: Answer) -> StoreError | ItemRefusedError:
    if answer.status in REFUSES_ITEM:
        return refused_item(answer.status, answer.body)
    if answer.status == 207:
        return refused_item(424, answer.body)
    return refused(answer)
