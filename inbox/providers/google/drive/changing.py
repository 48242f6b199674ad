"""Changes of files in a drive: each after a look at what is there, for Drive has no conditions.

What somebody writes between our look and our change is kept by Google as a revision.
"""

import json
import secrets
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

from inbox.providers.change_store import (
    Applied,
    Change,
    Collection,
    ItemChangedError,
    ItemRefusedError,
    Move,
    Put,
    Remove,
)
from inbox.providers.google.asking import GoogleApi, fields_of, refused_change
from inbox.providers.google.drive.tree import (
    FIELDS,
    FILES,
    FOLDER,
    File,
    Tree,
    digest_of,
    etag_of,
    is_folder,
    key_of,
    name_in,
    parent_of,
)
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import text_of
from inbox.providers.http.reading import Answer
from inbox.providers.http.session import Asked
from inbox.reasons import phrase as _

# The most that goes in one piece with what is said of it.
_MOST_AT_ONCE = 5 * 1024 * 1024
_SAID = {"fields": FIELDS}
_BYTES = "application/octet-stream"


class Reader(Protocol):
    """What is there now."""

    def file(self, key: str) -> File | None:
        """Return a file; None where it is not there, or in the bin."""
        ...

    def named(self, folder: str, name: str) -> list[File]:
        """Return what has a name in a folder."""
        ...

    def tree(self, collection: Collection) -> Tree:
        """Return the folders of a drive."""
        ...


@dataclass(slots=True)
class DriveChanger:
    """Makes changes in a drive."""

    api: GoogleApi
    reader: Reader

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change; raises ItemChangedError, ItemRefusedError or StoreError."""
        match change:
            case Put(id=""):
                return self._create(collection, change)
            case Put():
                return self._write(change, if_match)
            case Move():
                return self._move(collection, change, if_match)
            case Remove():
                return self._remove(change, if_match)

    def _create(self, collection: Collection, change: Put) -> Applied:
        name, folder = _name(change.path), self._folder(collection, change.parent)
        there = self.reader.named(folder, name)
        if there and not (change.is_folder and is_folder(there[0])):
            raise ItemChangedError
        if there:
            return Applied(key_of(there[0]), "")
        body = {"name": name, "parents": [folder]}
        if change.is_folder:
            made = _done(self.api.ask("POST", FILES, _SAID, {**body, "mimeType": FOLDER}))
            self.reader.tree(collection).add_folders([made])
            return Applied(key_of(made), "")
        return _applied(_done(self._upload("POST", FILES, body, change.raw)), change.raw)

    def _folder(self, collection: Collection, parent: str) -> str:
        """Return the folder to put something into; raises ItemChangedError where it is gone.

        Google would put it into one in the bin as well.
        """
        if parent and parent != collection.id and self.reader.file(parent) is None:
            raise ItemChangedError
        return parent or collection.id

    def _write(self, change: Put, if_match: str) -> Applied:
        self._there(change.id, if_match)
        path = f"{FILES}/{part(change.id)}"
        return _applied(_done(self._upload("PATCH", path, {}, change.raw)), change.raw)

    def _there(self, key: str, if_match: str) -> File:
        """Return a file that is as it is known; raises ItemChangedError."""
        file = self.reader.file(key)
        if file is None or (if_match and etag_of(file) != if_match):
            raise ItemChangedError
        return file

    def _move(self, collection: Collection, change: Move, if_match: str) -> Applied:
        file = self._there(change.id, if_match)
        folder, name = self._folder(collection, change.parent), _name(change.path)
        body, query = {}, dict[str, Any](_SAID)
        if name != name_in(file):
            body["name"] = name
        if folder != parent_of(file):
            query |= {"addParents": folder, "removeParents": parent_of(file)}
        if not body and len(query) == 1:
            return Applied(change.id, if_match)
        named = self.reader.named(folder, body.get("name", text_of(file, "name")))
        if any(key_of(one) != change.id for one in named):
            raise ItemChangedError
        moved = _done(self.api.ask("PATCH", f"{FILES}/{part(change.id)}", query, body))
        self.reader.tree(collection).add_folders([moved])
        return Applied(change.id, etag_of(moved))

    def _remove(self, change: Remove, if_match: str) -> Applied:
        file = self.reader.file(change.id)
        if file is None:
            return Applied(change.id, "")
        if if_match and etag_of(file) != if_match:
            raise ItemChangedError
        # Into the bin, from which it can be had again for 30 days.
        answer = self.api.ask("PATCH", f"{FILES}/{part(change.id)}", _SAID, {"trashed": True})
        if answer.status != 404:
            _done(answer)
        return Applied(change.id, "")

    # -- uploading ---------------------------------------------------------------------------------
    def _upload(self, method: str, path: str, body: dict[str, Any], raw: bytes) -> Answer:
        if len(raw) > _MOST_AT_ONCE:
            return self._upload_in_two(method, path, body, raw)
        mark = f"chancery-{secrets.token_hex(16)}"
        said = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        parts = [("application/json; charset=UTF-8", said), (_BYTES, raw)]
        content = b"".join(
            f"--{mark}\r\nContent-Type: {kind}\r\n\r\n".encode() + text + b"\r\n"
            for kind, text in parts
        )
        headers = {"Content-Type": f"multipart/related; boundary={mark}"}
        url = self._upload_url(path, "multipart")
        return self.api.send(Asked(method, url, headers, content + f"--{mark}--\r\n".encode()))

    def _upload_in_two(self, method: str, path: str, body: dict[str, Any], raw: bytes) -> Answer:
        """Ask where a large content goes, and send it there."""
        url = self._upload_url(path, "resumable")
        headers = {"X-Upload-Content-Length": str(len(raw)), "X-Upload-Content-Type": _BYTES}
        begun = self.api.send(Asked.json(method, url, fields=body, headers=headers))
        place = begun.headers.get("location", "")
        if not begun.is_good:
            return begun
        if urlsplit(place)[:2] != urlsplit(url)[:2]:
            # A token goes to no other host.
            raise ItemRefusedError(_("Google names no place for the upload."))
        return self.api.send(Asked("PUT", place, {"Content-Type": _BYTES}, raw))

    def _upload_url(self, path: str, kind: str) -> str:
        query = urlencode({"uploadType": kind, **_SAID})
        return self.api.url(f"/upload{path}?{query}")


def _name(path: str) -> str:
    """Return the last part of a path; raises ItemRefusedError where that is no name."""
    parts = path.split("/")
    if any(each in ("", ".", "..") or "\0" in each for each in parts):
        raise ItemRefusedError(_("%(path)s is no path of a file.", path=path))
    return parts[-1]


def _applied(made: File, raw: bytes) -> Applied:
    etag = etag_of(made)
    return Applied(key_of(made), etag if etag == digest_of(raw) else "")


def _done(answer: Answer) -> dict[str, Any]:
    if answer.status == 404:
        raise ItemChangedError
    if not answer.is_good:
        raise refused_change(answer)
    return fields_of(answer)
