"""Google Drive v3: files and folders by their ids, what changed, uploads in one piece or in two."""

import hashlib
import itertools
import json
import re
import secrets
from datetime import UTC, datetime
from typing import Any

from tests.machines.api_server import Reply
from tests.machines.google.masks import masked
from tests.machines.google.refusing import Refused
from tests.machines.google.server import Asked, GoogleServer
from tests.machines.google.tokens import Tokens

FOLDER = "application/vnd.google-apps.folder"
DOCUMENT = "application/vnd.google-apps.document"
_WRITTEN = {"name", "mimeType", "parents", "trashed", "modifiedTime"}
# What may be asked of files, one or several at once.
_CLAUSE = re.compile(
    r"(trashed=false|mimeType='([^']*)'|'([^']*)' in parents|name='((?:[^'\\]|\\.)*)')"
)
_USUAL = "kind,id,name,mimeType"
# The most that goes in one piece.
_MOST_AT_ONCE = 5 * 1024 * 1024


class Drive:
    """The service: files by their id, contents beside them, and changes in their order."""

    def __init__(self, server: GoogleServer) -> None:
        self.server, self.tokens = server, Tokens()
        self.numbers = itertools.count(1)
        self.root = "0AJroot" + secrets.token_urlsafe(6)
        self.files: dict[str, dict[str, Any]] = {}
        self.contents: dict[str, bytes] = {}
        self.changes: list[str] = []
        self.sessions: dict[str, tuple[str, dict[str, Any]]] = {}
        self.is_there = True
        # What was forgotten of the changes before this one.
        self.first = 0
        self.files[self.root] = self._new({"name": "My Drive", "mimeType": FOLDER}, self.root)
        server.handlers |= {
            "drive.changes.getStartPageToken": self.start_token,
            "drive.changes.list": self.list_changes,
            "drive.files.list": self.list_files,
            "drive.files.get": self.get,
            "drive.files.create": self.create,
            "drive.files.update": self.update,
        }

    # -- reading -----------------------------------------------------------------------------------
    def start_token(self, asked: Asked) -> dict[str, Any]:
        self._check_there()
        return {"kind": "drive#startPageToken", "startPageToken": str(len(self.changes))}

    def list_changes(self, asked: Asked) -> dict[str, Any]:
        self._check_there()
        token, most = asked["pageToken"], min(asked.get("pageSize", 100), self.tokens.page_size)
        if not token.isdecimal() or not self.first <= int(token) <= len(self.changes):
            raise Refused(400, "invalid", "Invalid Value")
        start = int(token)
        page = self.changes[start : start + most]
        last = [key for place, key in enumerate(page) if key not in page[place + 1 :]]
        found = {"kind": "drive#changeList", "changes": [self._change(key) for key in last]}
        after = start + len(page)
        name = "nextPageToken" if after < len(self.changes) else "newStartPageToken"
        return masked({**found, name: str(after)}, asked.get("fields", "*"))

    def _change(self, key: str) -> dict[str, Any]:
        said = {
            "kind": "drive#change", "changeType": "file", "type": "file", "fileId": key,
            "time": now(), "removed": key not in self.files,
        }  # fmt: skip
        return said | ({"file": self.shown(key)} if key in self.files else {})

    def list_files(self, asked: Asked) -> dict[str, Any]:
        self._check_there()
        rest = {name: value for name, value in asked.parameters.items() if name != "pageToken"}
        call, most = ("files", repr(sorted(rest.items()))), min(asked.get("pageSize", 100), 1000)
        if asked.get("pageToken"):
            page = self.tokens.next_page(call, asked["pageToken"], most)
        else:
            found = [self.shown(key) for key in self.files if self._fits(key, asked.get("q", ""))]
            page = self.tokens.page(call, found, "", most)
        page["files"] = page.pop("items")
        mask = asked.get("fields", f"nextPageToken,files({_USUAL})")
        return masked({"kind": "drive#fileList", "incompleteSearch": False, **page}, mask)

    def _fits(self, key: str, query: str) -> bool:
        file = self.shown(key)
        clauses = _CLAUSE.findall(query)
        if " and ".join(whole for whole, *_rest in clauses) != query:
            raise Refused(400, "invalid", f"Invalid query: {query}")
        return key != self.root and all(
            (not kind or file["mimeType"] == kind)
            and (not parent or parent in file.get("parents", ()))
            # In whatever letters, capital or small.
            and (not name or file["name"].lower() == re.sub(r"\\(.)", r"\1", name).lower())
            and (whole != "trashed=false" or not file["trashed"])
            for whole, kind, parent, name in clauses
        )

    def get(self, asked: Asked) -> Any:
        key = self._key(asked)
        if asked.get("alt") != "media":
            return masked(self.shown(key), asked.get("fields", _USUAL))
        if key not in self.contents:
            raise Refused(403, "fileNotDownloadable", "Only files with binary content")
        return Reply(200, self.contents[key], {"Content-Type": "application/octet-stream"})

    def shown(self, key: str) -> dict[str, Any]:
        """Return a file; what lies in a folder in the bin is there as well."""
        file, above = self.files[key], key
        trashed = False
        while above in self.files and not trashed:
            trashed = self.files[above]["trashed"]
            above = next(iter(self.files[above].get("parents", ())), "")
        return {**file, "trashed": trashed}

    def _key(self, asked: Asked) -> str:
        self._check_there()
        key = self.root if asked["fileId"] == "root" else asked["fileId"]
        if key not in self.files:
            raise Refused(404, "notFound", f"File not found: {key}.")
        return key

    def _check_there(self) -> None:
        if not self.is_there:
            raise Refused(404, "notFound", "File not found: .")

    # -- writing -----------------------------------------------------------------------------------
    def create(self, asked: Asked) -> Any:
        self._check_there()
        return self._write(asked, "")

    def update(self, asked: Asked) -> Any:
        key = self._key(asked)
        if not self.files[key]["capabilities"]["canEdit"]:
            raise Refused(403, "insufficientFilePermissions", "The user does not have permission")
        return self._write(asked, key)

    def _write(self, asked: Asked, key: str) -> Any:
        kind = asked.get("uploadType")
        if kind == "resumable" and "upload_id" not in asked.parameters:
            name = secrets.token_urlsafe(12)
            self.sessions[name] = (key, asked.body or {})
            query = f"uploadType=resumable&upload_id={name}&fields={asked.get('fields', _USUAL)}"
            path = f"/{key}" if key else ""
            url = f"{self.server.url}/upload/drive/v3/files{path}?{query}"
            return Reply(200, None, {"Location": url})
        body, content = self._taken_apart(asked, kind)
        file = self._new(body, "") if not key else self._edited(key, body, asked)
        self.files[file["id"]] = file
        if content is not None:
            self._keep(file, content)
        self.changes.append(file["id"])
        return masked(self.shown(file["id"]), asked.get("fields", _USUAL))

    def _taken_apart(self, asked: Asked, kind: str | None) -> tuple[dict[str, Any], bytes | None]:
        if kind is None:
            return asked.body or {}, None
        if kind == "resumable":
            _key, body = self.sessions.pop(asked["upload_id"])
            return body, asked.body
        if len(asked.body) > _MOST_AT_ONCE + 64 * 1024:
            raise Refused(413, "uploadTooLarge")
        if kind == "media":
            return {}, asked.body
        found = re.fullmatch(
            r'multipart/related; boundary="?([^"]+)"?', asked.headers["content-type"]
        )
        if found is None:
            raise Refused(400, "badContent", "multipart/related with a boundary")
        mark = f"--{found[1]}".encode()
        before, first, second, after = asked.body.split(mark)
        if (before, after.strip()) != (b"", b"--"):
            raise Refused(400, "badContent", "two parts")
        bodies = [re.split(rb"\r?\n\r?\n", part, maxsplit=1)[1] for part in (first, second)]
        return json.loads(bodies[0]), re.sub(rb"\r?\n\Z", b"", bodies[1])

    def _new(self, body: dict[str, Any], key: str) -> dict[str, Any]:
        _check(body)
        parents = body.get("parents") or ([self.root] if not key else [])
        if len(parents) > 1 or not all(it in self.files or it == key for it in parents):
            raise Refused(404, "notFound", "File not found: parent")
        made = {
            "kind": "drive#file", "id": key or f"1{secrets.token_urlsafe(20)}", "trashed": False,
            "mimeType": "application/octet-stream", "name": "Untitled", **body,
            "createdTime": now(), "modifiedTime": now(),
            "capabilities": {"canEdit": True, "canDownload": True},
        }  # fmt: skip
        return made | ({"parents": parents} if parents else {})

    def _edited(self, key: str, body: dict[str, Any], asked: Asked) -> dict[str, Any]:
        _check(body)
        if "parents" in body:
            raise Refused(403, "fieldNotWritable", "Use addParents and removeParents")
        file = {**self.files[key], **body, "modifiedTime": now()}
        add, remove = asked.get("addParents", ""), asked.get("removeParents", "")
        if remove and [remove] != file["parents"]:
            raise Refused(404, "notFound", "File not found: parent")
        if add:
            if add not in self.files or add == key or not remove:
                raise Refused(403, "cannotAddParent", "A file has one parent")
            file["parents"] = [add]
        return file

    def _keep(self, file: dict[str, Any], content: bytes) -> None:
        self.contents[file["id"]] = content
        file |= {
            "md5Checksum": hashlib.md5(content).hexdigest(), "size": str(len(content)),
            "headRevisionId": str(next(self.numbers)),
        }  # fmt: skip


def _check(body: dict[str, Any]) -> None:
    if unknown := body.keys() - _WRITTEN:
        raise Refused(403, "fieldNotWritable", f"not writable: {sorted(unknown)}")


def now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
