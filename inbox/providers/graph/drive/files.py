"""Files in a drive: fetched, written, moved and removed, each over the state that was seen."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inbox.providers.change_store import (
    LARGEST_FILE,
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
from inbox.providers.graph.answers import Json
from inbox.providers.graph.asking import GraphApi, query
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import text_of
from inbox.providers.http.reading import entries_of
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

_STATE = query({"$select": "id,eTag,cTag,size,file,folder"})
_ROOT = "root"
# What becomes of an item of the same name that stands there.
CONFLICT = "@microsoft.graph.conflictBehavior"
# Bytes that one request takes; parts of a larger one are multiples of 320 KiB.
MOST_AT_ONCE = 4 * 1024 * 1024
PART = 12 * 320 * 1024


class _Uploader:
    """Puts content into a drive; what is made or replaced is returned as it is told."""

    def __init__(self, api: GraphApi) -> None:
        self._api = api

    def create(self, place: str, name: str, raw: bytes) -> Mapping[str, Any]:
        """Make a file in a folder; raises ItemChangedError where one of its name stands there."""
        path = f"/me/drive/items/{part(place)}:/{part(name)}:"
        if len(raw) > MOST_AT_ONCE:
            return self._in_parts(f"{path}/createUploadSession", raw, "fail", "")
        options = query({CONFLICT: "fail"})
        return self._api.put(f"{path}/content?{options}", raw)

    def replace(self, id_: str, raw: bytes, etag: str) -> Mapping[str, Any]:
        """Have a file that is still `etag` hold this content; raises ItemChangedError."""
        path = f"/me/drive/items/{part(id_)}"
        if len(raw) > MOST_AT_ONCE:
            return self._in_parts(f"{path}/createUploadSession", raw, "replace", etag)
        return self._api.put(f"{path}/content", raw, etag)

    def _in_parts(self, path: str, raw: bytes, behaviour: str, etag: str) -> Mapping[str, Any]:
        session = self._api.change("POST", path, {"item": {CONFLICT: behaviour}}, etag)
        url = text_of(session, "uploadUrl")
        made: Mapping[str, Any] = {}
        for first in range(0, len(raw), PART):
            piece = raw[first : first + PART]
            span = f"bytes {first}-{first + len(piece) - 1}/{len(raw)}"
            made = self._api.put_open(url, piece, {"Content-Range": span})
        if not text_of(made, "id"):
            raise StoreError("transient", _("The server did not finish its answer in time."))
        return made


class Files:
    """The files of an account's drive."""

    def __init__(self, api: GraphApi) -> None:
        self._api = api
        self._uploader = _Uploader(api)

    def fetch(self, _collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the files that are still there and not too large."""
        ids = list(dict.fromkeys(ids))
        states = self._api.batch([f"{_path(id_)}?{_STATE}" for id_ in ids])
        for id_, got in zip(ids, states, strict=True):
            size = got.fields.get("size")
            is_fit = isinstance(size, int) and size <= LARGEST_FILE and "file" in got.fields
            if got.status == 200 and is_fit:
                raw = self._api.download(f"{_path(id_)}/content", LARGEST_FILE)
                if raw is not None:
                    yield Item(id_, text_of(got.fields, "cTag"), raw)

    def apply(self, _collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change; raises ItemChangedError, ItemRefusedError."""
        match change:
            case Put(id="", is_folder=True):
                return self._make_folder(change)
            case Put(id=""):
                made = self._uploader.create(self._place(change), _name(change.path), change.raw)
                return Applied(text_of(made, "id"), "")
            case Put():
                found = self._seen(change.id, if_match)
                self._uploader.replace(change.id, change.raw, text_of(found, "eTag"))
                return Applied(change.id, "")
            case Move():
                return self._move(change, if_match)
            case Remove():
                return self._remove(change, if_match)

    def _make_folder(self, change: Put) -> Applied:
        place, name = self._place(change), _name(change.path)
        body = {"name": name, "folder": {}, CONFLICT: "fail"}
        try:
            made = self._api.change("POST", f"{_path(place)}/children", body)
        except ItemChangedError:
            there = self._api.find(f"/me/drive/root:/{_spelled(change.path)}?{_STATE}")
            if there is None or "folder" not in there:
                raise
            made = dict(there)
        return Applied(text_of(made, "id"), "")

    def _move(self, change: Move, if_match: str) -> Applied:
        found = self._seen(change.id, if_match)
        place = self._place(change)
        # A new place is named by the id of the folder itself.
        parent = self._root() if place == _ROOT else place
        body: dict[str, Any] = {"name": _name(change.path), "parentReference": {"id": parent}}
        moved = self._api.change("PATCH", _path(change.id), body, text_of(found, "eTag"))
        is_same = bool(if_match) and text_of(moved, "cTag") == if_match
        return Applied(change.id, if_match if is_same else "")

    def _remove(self, change: Remove, if_match: str) -> Applied:
        try:
            found = self._seen(change.id, if_match)
        except ItemChangedError:
            if self._api.find(f"{_path(change.id)}?{_STATE}") is not None:
                raise
            return Applied(change.id, "")
        if "folder" in found:
            options = query({"$select": "id", "$top": "1"})
            # All that lies in it would go along, also what came just now.
            if entries_of(
                self._api.get(f"{_path(change.id)}/children?{options}"), "value", required=True
            ):
                raise ItemChangedError
        self._api.change("DELETE", _path(change.id), etag=text_of(found, "eTag"))
        return Applied(change.id, "")

    # -- what is there -----------------------------------------------------------------------------
    def _seen(self, id_: str, if_match: str) -> Json:
        """Return an item that is as we know it; raises ItemChangedError."""
        found = self._api.find(f"{_path(id_)}?{_STATE}")
        if found is None or (if_match and text_of(found, "cTag") != if_match):
            raise ItemChangedError
        return found

    def _place(self, change: Put | Move) -> str:
        """Return the id of the folder that something is to stand in; raises ItemChangedError."""
        _check(change.path)
        above = change.path.rpartition("/")[0]
        if change.parent or not above:
            return change.parent or _ROOT
        found = self._api.find(f"/me/drive/root:/{_spelled(above)}?{_STATE}")
        if found is None or "folder" not in found:
            raise ItemChangedError
        return text_of(found, "id")

    def _root(self) -> str:
        return text_of(self._api.get(f"/me/drive/root?{_STATE}"), "id")


def _check(path: str) -> None:
    """Raise ItemRefusedError for a path that is none."""
    if any(each in ("", ".", "..") or "\0" in each for each in path.split("/")):
        raise ItemRefusedError(_("%(path)s is no path of a file.", path=path))


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _spelled(path: str) -> str:
    return "/".join(map(part, path.split("/")))


def _path(id_: str) -> str:
    return f"/me/drive/items/{part(id_)}"
