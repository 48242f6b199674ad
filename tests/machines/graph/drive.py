"""The files of an account: a tree whose items keep their ids wherever they are moved."""

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from tests.machines.api_server import Call, Reply
from tests.machines.graph.changes import Log, answer_delta
from tests.machines.graph.checking import check_answer, check_body, refuse
from tests.machines.graph.mailbox import Served, body_of, check_match
from tests.machines.graph.queries import Asked, read_query, select
from tests.machines.graph.times import stamp

# Bytes that a simple upload takes, and of which parts of a larger one are multiples.
MOST_AT_ONCE, UNIT = 4 * 1024 * 1024, 320 * 1024
_UNFIT = re.compile(r'["*:<>?/\\|\x00-\x1f]|^\s|[\s.]$')
_CONFLICT = "@microsoft.graph.conflictBehavior"
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


@dataclass
class DriveItem:
    """A file, or a folder, which has no content."""

    name: str
    parent: str
    content: bytes | None
    modified: datetime
    id: str = field(default_factory=lambda: f"01{secrets.token_hex(16).upper()}")
    etag: str = ""
    ctag: str = ""

    def touch(self, moment: datetime, *, content: bool) -> None:
        self.modified, self.etag = moment, f'"{{{secrets.token_hex(8)}}},1"'
        if content:
            self.ctag = f'"c:{{{secrets.token_hex(8)}}},1"'


@dataclass
class _Upload:
    """An upload in parts: what it makes or replaces, and what came so far."""

    parent: str
    name: str
    item: str
    parts: bytearray = field(default_factory=bytearray)


@dataclass
class Drive:
    """A drive; `tokens` open single files and uploads to whoever has them."""

    root: str = field(default_factory=lambda: f"01{secrets.token_hex(16).upper()}")
    items: dict[str, DriveItem] = field(default_factory=dict)
    log: Log = field(default_factory=Log)
    tokens: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        made = DriveItem("root", "", None, datetime.now(UTC), self.root)
        made.touch(made.modified, content=True)
        self.items[self.root] = made
        self.log.touch(self.root)

    def children(self, id: str) -> list[DriveItem]:  # noqa: A002
        return [one for one in self.items.values() if one.parent == id]

    def child(self, parent: str, name: str) -> DriveItem | None:
        found = (one for one in self.children(parent) if one.name.lower() == name.lower())
        return next(found, None)

    def below(self, id: str) -> Iterator[DriveItem]:  # noqa: A002
        for one in self.children(id):
            yield one
            yield from self.below(one.id)

    def remove(self, id: str) -> None:  # noqa: A002
        for one in [*self.below(id), self.items[id]]:
            del self.items[one.id]
            self.log.drop(one.id)


# -- reading ---------------------------------------------------------------------------------------
def get_root(served: Served, call: Call) -> Reply:
    return get_item(served, call, _drive(served).root)


def get_item(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    asked = read_query(call, "driveItem", {"$select"})
    full = select(asked, _shown(served, _find(served, id), with_path=True))
    check_answer("driveItem", full)
    return Reply(body=full)


def get_by_path(served: Served, call: Call, path: str) -> Reply:
    drive = _drive(served)
    here = drive.root
    for name in path.split("/"):
        found = drive.child(here, unquote(name))
        if found is None:
            raise refuse("Item not found", "itemNotFound", 404)
        here = found.id
    return get_item(served, call, here)


def list_children(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    asked = read_query(call, "driveItem", {"$select", "$top"})
    found = _drive(served).children(_find(served, id).id)
    shown = [select(asked, _shown(served, one, with_path=True)) for one in found]
    return served.page(call, "driveItem", shown, asked)


def delta(served: Served, call: Call) -> Reply:
    drive = _drive(served)

    def show(id: str) -> dict[str, Any]:  # noqa: A002
        shown = _shown(served, drive.items[id], with_path=False)
        return {**shown, "@odata.etag": shown["eTag"]}

    reply = answer_delta(served, call, "driveItem", drive.log, show)
    for one in reply.body["value"]:
        if one.pop("@removed", None):
            one["deleted"] = {"state": "deleted"}
    return reply


def get_content(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    read_query(call, "driveItem", set())
    found = _find(served, id)
    if found.content is None:
        raise refuse("A folder has no content", "invalidRequest")
    token = secrets.token_urlsafe(12)
    _drive(served).tokens[token] = found.id
    return Reply(302, None, {"Location": f"{served.origin}/download/{token}"})


# -- writing ---------------------------------------------------------------------------------------
def make_folder(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    body = body_of(call)
    behaviour = body.pop(_CONFLICT, "fail")
    check_body("driveItem", body)
    if body.keys() != {"name", "folder"} or behaviour != "fail":
        raise refuse("a folder has a name", "invalidRequest")
    made = _add(served, _find(served, id).id, body["name"], None)
    return Reply(201, _shown(served, made, with_path=True))


def put_new(served: Served, call: Call, id: str, name: str) -> Reply:  # noqa: A002
    if call.query != [(_CONFLICT, "fail")]:
        raise refuse("what happens to what stands there was not said", "invalidRequest")
    _check_size(call)
    made = _add(served, _find(served, id).id, unquote(name), call.body)
    return Reply(201, _shown(served, made, with_path=True))


def put_content(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    read_query(call, "driveItem", set())
    found = _find(served, id)
    check_match(call, found.etag)
    _check_size(call)
    return Reply(200, _shown(served, _write(served, found, call.body), with_path=True))


def _check_size(call: Call) -> None:
    if len(call.body) > MOST_AT_ONCE:
        raise refuse("it is too large for a simple upload", "notAllowed", 413)


def start_new(served: Served, call: Call, id: str, name: str) -> Reply:  # noqa: A002
    _check_start(call)
    parent, name = _find(served, id).id, unquote(name)
    _check_name(served, parent, name)
    return _start(served, _Upload(parent, name, ""))


def start_content(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    _check_start(call)
    found = _find(served, id)
    check_match(call, found.etag)
    return _start(served, _Upload(found.parent, found.name, found.id))


def _check_start(call: Call) -> None:
    item = body_of(call).get("item")
    if not isinstance(item, dict) or item.keys() != {_CONFLICT}:
        raise refuse("an upload says what happens to what stands there", "invalidRequest")


def _start(served: Served, upload: _Upload) -> Reply:
    token = secrets.token_urlsafe(12)
    _drive(served).tokens[token] = upload
    body = {
        "uploadUrl": f"{served.origin}/upload/{token}", "nextExpectedRanges": ["0-"],
        "expirationDateTime": stamp(served.now()),
    }  # fmt: skip
    check_answer("uploadSession", body)
    return Reply(200, body)


def update_item(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    found, drive = _find(served, id), _drive(served)
    check_match(call, found.etag)
    body = body_of(call)
    check_body("driveItem", body)
    if body.keys() - {"name", "parentReference"}:
        raise refuse("only its name and its place can be changed here", "invalidRequest")
    name = body.get("name") or found.name
    parent = _find(served, (body.get("parentReference") or {}).get("id") or found.parent)
    if parent.id == found.id or parent in list(drive.below(found.id)):
        raise refuse("it cannot be moved into itself", "invalidRequest")
    standing = drive.child(parent.id, name)
    if standing is not None and standing is not found:
        raise refuse("Name already exists", "nameAlreadyExists", 409)
    if _UNFIT.search(name):
        raise refuse("The name is not valid", "invalidRequest")
    found.name, found.parent = name, parent.id
    found.touch(served.now(), content=False)
    drive.log.touch(found.id)
    return Reply(200, _shown(served, found, with_path=True))


def delete_item(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    found = _find(served, id)
    check_match(call, found.etag)
    _drive(served).remove(found.id)
    return Reply(204)


def _add(served: Served, parent: str, name: str, content: bytes | None) -> DriveItem:
    _check_name(served, parent, name)
    made, drive = DriveItem(name, parent, content, served.now()), _drive(served)
    made.touch(served.now(), content=True)
    drive.items[made.id] = made
    drive.log.touch(made.id)
    return made


def _check_name(served: Served, parent: str, name: str) -> None:
    if _UNFIT.search(name) or not name:
        raise refuse("The name is not valid", "invalidRequest")
    if _drive(served).child(parent, name) is not None:
        raise refuse("Name already exists", "nameAlreadyExists", 409)


def _write(served: Served, found: DriveItem, content: bytes) -> DriveItem:
    found.content = content
    found.touch(served.now(), content=True)
    _drive(served).log.touch(found.id)
    return found


# -- without a credential --------------------------------------------------------------------------
def download(served: Served, call: Call, token: str) -> Reply:
    drive = _drive(served)
    found = drive.items.get(drive.tokens.get(token, ""))
    if "authorization" in call.headers or found is None:
        raise refuse("no such download", "unauthenticated", 401)
    return Reply(200, found.content or b"")


def take_part(served: Served, call: Call, token: str) -> Reply:
    drive = _drive(served)
    upload = drive.tokens.get(token)
    said = _RANGE.fullmatch(call.headers.get("content-range", ""))
    if "authorization" in call.headers or not isinstance(upload, _Upload) or said is None:
        raise refuse("no such upload", "unauthenticated", 401)
    first, last, whole = (int(number) for number in said.groups())
    is_last = last + 1 == whole
    if first != len(upload.parts) or last - first + 1 != len(call.body):
        raise refuse("another range is expected", "invalidRange", 416)
    if not is_last and len(call.body) % UNIT:
        raise refuse("a part is no multiple of 320 KiB", "invalidRequest")
    upload.parts += call.body
    if not is_last:
        return Reply(202, {"nextExpectedRanges": [f"{last + 1}-"]})
    del drive.tokens[token]
    content = bytes(upload.parts)
    if upload.item:
        return Reply(200, _shown(served, _write(served, _find(served, upload.item), content)))
    return Reply(201, _shown(served, _add(served, upload.parent, upload.name, content)))


# -- showing ---------------------------------------------------------------------------------------
def _shown(served: Served, one: DriveItem, *, with_path: bool = True) -> dict[str, Any]:
    drive = _drive(served)
    reference = {"driveId": "b!drive", "driveType": "business", "id": one.parent}
    if with_path:
        reference["path"] = "/drive/root:"
    found: dict[str, Any] = {
        "id": one.id, "name": one.name, "eTag": one.etag, "cTag": one.ctag,
        "lastModifiedDateTime": stamp(one.modified), "size": len(one.content or b""),
    }  # fmt: skip
    if one.id == drive.root:
        found["root"] = {}
    else:
        found["parentReference"] = reference
    if one.content is None:
        found["folder"] = {"childCount": len(drive.children(one.id))}
    else:
        found["file"] = {"mimeType": "application/octet-stream", "hashes": {}}
    check_answer("driveItem", found)
    return select(Asked(), found)


def _drive(served: Served) -> Drive:
    if served.box.drive is None:
        raise refuse("There is no drive", "itemNotFound", 404)
    return served.box.drive


def _find(served: Served, id: str) -> DriveItem:  # noqa: A002
    drive = _drive(served)
    found = drive.items.get(drive.root if id == "root" else id)
    if found is None:
        raise refuse("Item not found", "itemNotFound", 404)
    return found
