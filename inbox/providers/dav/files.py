"""Folders of files (RFC 4918): what lies in them, however deep, and what changed."""

import hashlib
import json
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes, urlsplit

from inbox.providers.change_store import MOST_ITEMS, Changes, Collection, Entry
from inbox.providers.dav import names
from inbox.providers.dav.hrefs import LONGEST, origin, path_at
from inbox.providers.dav.multistatus import Multistatus, Response, propfind
from inbox.providers.dav.properties import etag_of_file, moment, plain_etag
from inbox.providers.dav.session import Session
from inbox.providers.http.reading import Answer, LongAnswerError
from inbox.providers.http.session import refused
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

DEEPEST = 40
MOST_FOLDERS = 5_000
_LISTED = (
    names.RESOURCE_TYPE, names.ETAG, names.LENGTH, names.MODIFIED, names.FILE_ID,
)  # fmt: skip
# A server that does not list a whole tree at once says so (RFC 4918 9.1).
_NOT_SO_DEEP = frozenset({400, 403, 405, 501, 507})


@dataclass(slots=True)
class _Tree:
    """What was found of a tree: entries by path, and the folders that are still to be listed.

    `walks`: it has to be listed folder by folder.
    """

    root: str
    walks: bool
    entries: dict[str, Entry] = field(default_factory=dict)
    waiting: deque[str] = field(default_factory=deque)

    @property
    def is_deep(self) -> bool:
        """Return True if something was found that does not lie right in the root."""
        return any("/" in entry.path for entry in self.entries.values())

    def take(self, folder: str, entry: Entry) -> None:
        """Note what lies in a folder; a folder is listed in its turn."""
        if entry.id in self.entries or entry.id.rstrip("/") == folder.rstrip("/"):
            return
        self.entries[entry.id] = entry
        if len(self.entries) > MOST_ITEMS:
            words = _("It holds more than %(most)s items.", most=f"{MOST_ITEMS:,}")
            raise StoreError("permanent", words)
        if entry.is_folder and entry.path.count("/") < DEEPEST:
            self.waiting.append(entry.id)


def changes_of(session: Session, collection: Collection, position: str) -> Changes:
    """Return all that lies below a folder, or nothing where that is as it was.

    A server of Nextcloud's kind changes the etags of all folders above a file; others are asked
    for the whole tree, by one request where they answer it, else folder by folder.
    """
    known = _read(position)
    # Where the root's etag says nothing, the list is all there is to ask for.
    root_etag = "" if known.get("root") == "" else _root_etag(session, collection)
    if root_etag and known.get("root") == root_etag:
        return Changes((), (), position)
    tree = _Tree(urlsplit(collection.id).path, walks=bool(known.get("walks")))
    _fill(session, collection, tree)
    entries = list(tree.entries.values())
    state = {"root": root_etag, "walks": tree.walks, "digest": _digest(entries)}
    found = json.dumps(state)
    if not root_etag and found == position:
        return Changes((), (), position)
    return Changes(tuple(entries), (), found, is_whole=True)


def entries_in(collection: Collection, at: str, answer: Multistatus) -> Iterable[Entry]:
    """Return what an answer names below the collection."""
    root = urlsplit(collection.id).path
    for each in answer.responses:
        path = path_at(at, each.href)
        if path is not None and each.status == 200 and path.startswith(root):
            entry = read_entry(root, path, each)
            if entry is not None:
                yield entry


def read_entry(root: str, path: str, told: Response) -> Entry | None:
    """Return a file or folder; None for one whose name we cannot keep."""
    name = _readable(path.removeprefix(root).strip("/"))
    if not name or len(path) > LONGEST:
        return None
    modified = told.text(names.MODIFIED)
    if names.COLLECTION in told.inside(names.RESOURCE_TYPE):
        folder = path if path.endswith("/") else f"{path}/"
        return Entry(folder, "", moment(modified), name, is_folder=True)
    size = _size(told.text(names.LENGTH))
    etag = etag_of_file(plain_etag(told.text(names.ETAG)), size, modified)
    return Entry(path, etag, moment(modified), name, size=size)


def _root_etag(session: Session, collection: Collection) -> str:
    """Return the root's etag, where it changes with whatever changes below; empty elsewhere."""
    _at, answer = session.multistatus("PROPFIND", collection.id, propfind(_LISTED))
    here = answer.responses[0] if answer.responses else None
    if here is None or names.COLLECTION not in here.inside(names.RESOURCE_TYPE):
        raise StoreError("gone", _("%(name)s is not there any more.", name=collection.name))
    return plain_etag(here.text(names.ETAG)) if names.FILE_ID in here.props else ""


def _fill(session: Session, collection: Collection, tree: _Tree) -> None:
    """Find all that lies below the root."""
    found = None if tree.walks else _listed(session, collection, tree.root, "infinity")
    for entry in found or ():
        tree.take(tree.root, entry)
    # Some servers answer with one level whatever they are asked for.
    tree.walks = found is None or (bool(tree.waiting) and not tree.is_deep)
    if found is None:
        tree.waiting.append(tree.root)
    if not tree.walks:
        return
    for _number in range(MOST_FOLDERS):
        if not tree.waiting:
            return
        folder = tree.waiting.popleft()
        for entry in _listed(session, collection, folder, "1") or ():
            tree.take(folder, entry)
    words = _("It holds more than %(most)s folders.", most=f"{MOST_FOLDERS:,}")
    raise StoreError("permanent", words)


def _listed(
    session: Session, collection: Collection, folder: str, depth: str
) -> list[Entry] | None:
    """Return what lies in a folder; None where the server does not list so much at once.

    A folder that went in the meantime is empty.
    """
    url = f"{origin(collection.id)}{folder}"
    try:
        at, answer = session.try_multistatus("PROPFIND", url, propfind(_LISTED), depth)
    except LongAnswerError:
        if depth == "infinity":
            return None
        raise
    if not isinstance(answer, Answer):
        return list(entries_in(collection, at, answer))
    if depth == "infinity" and answer.status in _NOT_SO_DEEP:
        return None
    if answer.status == 404 and folder != urlsplit(collection.id).path:
        return []
    raise refused(answer)


def _digest(entries: Iterable[Entry]) -> str:
    lines = sorted(f"{entry.id} {entry.etag}" for entry in entries)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def _read(position: str) -> dict[str, object]:
    try:
        found = json.loads(position)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _readable(path: str) -> str:
    """Return a path below the collection as text; empty where a part is no name."""
    parts = path.split("/")
    try:
        decoded = [unquote_to_bytes(each).decode("utf-8") for each in parts]
    except UnicodeDecodeError:
        return ""
    if any(not each or each in (".", "..") or "/" in each or "\0" in each for each in decoded):
        return ""
    return "/".join(decoded)


def _size(text: str) -> int | None:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 18 else None
