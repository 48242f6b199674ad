"""The stand-in for Microsoft Graph: who may ask what, how often, alone or in a batch."""

import json
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.machines.api_server import ApiServer, Call, Reply, serving
from tests.machines.graph import calendars, changes, contacts, drive, todo
from tests.machines.graph.calendars import Calendar
from tests.machines.graph.checking import RefusedError, refuse
from tests.machines.graph.mail import attachments, folders, letters
from tests.machines.graph.mail.kept import Mail
from tests.machines.graph.mailbox import Mailbox, Served, body_of, lasting
from tests.machines.graph.queries import check_prefers
from tests.machines.graph.times import Clock

GRAPH = "https://graph.microsoft.com/"
ADDRESS = "mira@lantern.example"
MOST_IN_BATCH = 20
Route: TypeAlias = Callable[..., Reply]
_PATHS: list[tuple[str, str, str, Route]] = [
    ("GET", "me/calendars", "Calendars", calendars.list_calendars),
    ("GET", "me/calendars/{}/events", "Calendars", calendars.list_events),
    ("POST", "me/calendars/{}/events", "Calendars", calendars.create_event),
    ("GET", "me/events/{}", "Calendars", calendars.get_event),
    ("PATCH", "me/events/{}", "Calendars", calendars.update_event),
    ("DELETE", "me/events/{}", "Calendars", calendars.delete_event),
    ("GET", "me/events/{}/instances", "Calendars", calendars.list_instances),
    *(
        ("POST", f"me/events/{{}}/{name}", "Calendars", partial(calendars.respond, action=name))
        for name in ("accept", "tentativelyAccept", "decline")
    ),
    ("GET", "me/contactFolders", "Contacts", contacts.list_folders),
    ("GET", "me/contacts", "Contacts", contacts.list_contacts),
    ("POST", "me/contacts", "Contacts", contacts.create_contact),
    ("GET", "me/contacts/delta", "Contacts", contacts.delta),
    ("GET", "me/contactFolders/{}/contacts", "Contacts", contacts.list_contacts),
    ("POST", "me/contactFolders/{}/contacts", "Contacts", contacts.create_contact),
    ("GET", "me/contactFolders/{}/contacts/delta", "Contacts", contacts.delta),
    ("GET", "me/contacts/{}", "Contacts", contacts.get_contact),
    ("PATCH", "me/contacts/{}", "Contacts", contacts.update_contact),
    ("DELETE", "me/contacts/{}", "Contacts", contacts.delete_contact),
    ("GET", "me/mailFolders/delta", "Mail", folders.list_changes),
    ("GET", "me/mailFolders/{}", "Mail", folders.get_folder),
    ("POST", "me/mailFolders", "Mail", folders.create_folder),
    ("GET", "me/mailFolders/{}/messages/delta", "Mail", letters.list_changes),
    ("GET", "me/messages", "Mail", letters.list_messages),
    ("POST", "me/messages", "Mail", letters.create_message),
    ("GET", "me/messages/{}", "Mail", letters.get_message),
    ("GET", "me/messages/{}/$value", "Mail", letters.get_mime),
    ("PATCH", "me/messages/{}", "Mail", letters.update_message),
    ("DELETE", "me/messages/{}", "Mail", letters.delete_message),
    ("POST", "me/messages/{}/attachments", "Mail", attachments.create_attachment),
    ("POST", "me/messages/{}/attachments/createUploadSession", "Mail", attachments.start_upload),
    ("POST", "me/messages/{}/move", "Mail", letters.move_message),
    ("POST", "me/messages/{}/permanentDelete", "Mail", letters.remove_message),
    ("POST", "me/messages/{}/send", "Mail.Send", letters.send_message),
    ("GET", "me/todo/lists", "Tasks", todo.list_lists),
    ("GET", "me/todo/lists/{}/tasks", "Tasks", todo.list_tasks),
    ("POST", "me/todo/lists/{}/tasks", "Tasks", todo.create_task),
    ("GET", "me/todo/lists/{}/tasks/delta", "Tasks", todo.delta),
    ("GET", "me/todo/lists/{}/tasks/{}", "Tasks", todo.get_task),
    ("PATCH", "me/todo/lists/{}/tasks/{}", "Tasks", todo.update_task),
    ("DELETE", "me/todo/lists/{}/tasks/{}", "Tasks", todo.delete_task),
    ("POST", "me/todo/lists/{}/tasks/{}/linkedResources", "Tasks", todo.create_link),
    ("PATCH", "me/todo/lists/{}/tasks/{}/linkedResources/{}", "Tasks", todo.update_link),
    ("GET", "me/drive/root", "Files", drive.get_root),
    ("GET", "me/drive/root/delta", "Files", drive.delta),
    ("GET", "me/drive/items/{}", "Files", drive.get_item),
    ("PATCH", "me/drive/items/{}", "Files", drive.update_item),
    ("DELETE", "me/drive/items/{}", "Files", drive.delete_item),
    ("GET", "me/drive/items/{}/children", "Files", drive.list_children),
    ("POST", "me/drive/items/{}/children", "Files", drive.make_folder),
    ("GET", "me/drive/items/{}/content", "Files", drive.get_content),
    ("PUT", "me/drive/items/{}/content", "Files", drive.put_content),
    ("POST", "me/drive/items/{}/createUploadSession", "Files", drive.start_content),
]
# Files are named by their paths as well.
_BY_PATH: list[tuple[str, re.Pattern[str], Route]] = [
    ("GET", re.compile(r"/v1\.0/me/drive/root:/(.+)"), drive.get_by_path),
    ("PUT", re.compile(r"/v1\.0/me/drive/items/([^/:]+):/([^/]+):/content"), drive.put_new),
    (
        "POST",
        re.compile(r"/v1\.0/me/drive/items/([^/:]+):/([^/]+):/createUploadSession"),
        drive.start_new,
    ),
]
# What is open to whoever has the address.
_OPEN: list[tuple[str, str, Route]] = [
    ("GET", "/download/", drive.download),
    ("PUT", "/upload/", drive.take_part),
    ("PUT", "/attach/", attachments.take_range),
    ("GET", "/attach/", attachments.show_upload),
    ("DELETE", "/attach/", attachments.cancel_upload),
]


def _scopes(method: str, kind: str) -> tuple[str, ...]:
    """Return the scopes any of which opens a path."""
    if "." in kind:
        return (kind,)
    return (f"{kind}.ReadWrite", *([f"{kind}.Read"] if method == "GET" else []))


_ROUTES = [(method, path, _scopes(method, kind), route) for method, path, kind, route in _PATHS]


@dataclass(frozen=True)
class _Found:
    route: Route
    ids: list[str]
    scopes: tuple[str, ...]


class GraphServer(ApiServer):
    """The server; accounts by their address."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.boxes: dict[str, Mailbox] = {}
        self.page_tokens: dict[str, Any] = {}
        # So many requests of a batch are about mail; the others are to wait.
        self.most_mail_in_batch = MOST_IN_BATCH

    # -- for tests ---------------------------------------------------------------------------------
    def add_account(self, address: str = ADDRESS) -> Mailbox:
        box = self.boxes.setdefault(address, Mailbox(address, self.clock))
        if not box.calendars:
            self.add_calendar(box, "Calendar", is_default=True)
            box.folders[contacts.DEFAULT] = contacts.Folder("Contacts", contacts.DEFAULT)
            self.add_list(box, "Tasks", known="defaultList")
            box.drive = drive.Drive()
            box.mail = Mail(self.clock)
        return box

    def add_folder(self, box: Mailbox, name: str) -> contacts.Folder:
        made = contacts.Folder(name)
        box.folders[made.id] = made
        return made

    def add_list(self, box: Mailbox, name: str, **more: Any) -> todo.TaskList:
        made = todo.TaskList(name, **more)
        box.lists[made.id] = made
        return made

    def forget_changes(self) -> None:
        """Have no position be known any more."""
        changes.forget(self.page_tokens)

    def add_calendar(self, box: Mailbox, name: str, **more: Any) -> Calendar:
        made = Calendar(name, **more)
        box.calendars[made.id] = made
        return made

    def sign_in(self, address: str = ADDRESS, *scopes: str, lasts: float = 3600) -> str:
        """Return a token of an account, for everything where no scopes are named."""
        every = {name for _method, _path, needed, _route in _ROUTES for name in needed}
        return self.issue(address, *(scopes or every), lasts=lasts)

    def scope_name(self, scope: str) -> str:
        return scope.removeprefix(GRAPH)

    # -- answering ---------------------------------------------------------------------------------
    def answer(self, call: Call) -> Reply:
        try:
            if (reply := self._open(call)) is not None:
                return reply
            token = self.token_of(call)
            if token is None:
                raise refuse("Access token is empty or expired.", "InvalidAuthenticationToken", 401)
            if call.path == "/v1.0/$batch":
                return self._batch(call, token.account, token.scopes)
            return self._one(call, token.account, token.scopes)
        except RefusedError as error:
            return self.error(error.status, error.code, error.words)

    def error(self, status: int, code: str, words: str) -> Reply:
        inner = {"date": "2026-03-02T09:00:00", "request-id": secrets.token_hex(8)}
        return Reply(status, {"error": {"code": code, "message": words, "innerError": inner}})

    def _one(self, call: Call, account: str, scopes: frozenset[str]) -> Reply:
        if self.must_wait(account):
            reply = self.error(429, "ApplicationThrottled", "Application is over its limit.")
            reply.headers["Retry-After"] = self.retry_after
            return reply
        found = self._route(call)
        if not scopes & set(found.scopes):
            raise refuse("Access is denied. Check credentials.", "ErrorAccessDenied", 403)
        check_prefers(call)
        served = Served(self.boxes[account], self.url, self.page_tokens)
        return found.route(served, call, *map(lasting, found.ids))

    def _open(self, call: Call) -> Reply | None:
        for method, start, route in _OPEN:
            if call.method == method and call.path.startswith(start):
                token = call.path.removeprefix(start)
                for box in self.boxes.values():
                    place = box.mail if start == "/attach/" else box.drive
                    if place is not None and token in place.tokens:
                        return route(Served(box, self.url, self.page_tokens), call, token)
        return None

    def _by_path(self, call: Call) -> _Found | None:
        for method, pattern, route in _BY_PATH:
            if call.method == method and (found := pattern.fullmatch(call.raw_path)):
                scopes = ("Files.ReadWrite", *(["Files.Read"] if method == "GET" else []))
                return _Found(route, list(found.groups()), scopes)
        return None

    def _route(self, call: Call) -> _Found:
        if (by_path := self._by_path(call)) is not None:
            return by_path
        parts = call.parts()
        if parts[0] != "v1.0":
            raise refuse("Invalid version.", "BadRequest")
        known = False
        for method, path, scopes, route in _ROUTES:
            wanted = path.split("/")
            if len(wanted) != len(parts) - 1:
                continue
            pairs = list(zip(wanted, parts[1:], strict=True))
            if all(part in ("{}", said) for part, said in pairs):
                known = True
                if method == call.method:
                    ids = [said for part, said in pairs if part == "{}"]
                    return _Found(route, ids, scopes)
        if known:
            raise refuse(f"{call.method} is not allowed here.", "BadRequest", 405)
        raise refuse("Resource not found for the segment.", "BadRequest", 400)

    # -- many at once ------------------------------------------------------------------------------
    def _batch(self, call: Call, account: str, scopes: frozenset[str]) -> Reply:
        requests = body_of(call).get("requests") if call.method == "POST" else None
        if not isinstance(requests, list) or not 1 <= len(requests) <= MOST_IN_BATCH:
            raise refuse(f"a batch has from 1 to {MOST_IN_BATCH} requests", "BadRequest")
        ids = [each.get("id") for each in requests]
        if len(set(ids)) != len(ids) or not all(isinstance(each, str) for each in ids):
            raise refuse("each request of a batch has an id of its own", "BadRequest")
        about_mail = [each for each in requests if "/me/m" in str(each.get("url"))]
        late = {each["id"] for each in about_mail[self.most_mail_in_batch :]}
        answers = [
            self._too_many(each) if each["id"] in late else self._in_batch(each, account, scopes)
            for each in requests
        ]
        # They come in any order.
        return Reply(body={"responses": answers[::-1]})

    def _too_many(self, each: dict[str, Any]) -> Any:
        reply = self.error(429, "ApplicationThrottled", "MailboxConcurrency")
        return {
            "id": each["id"], "status": 429, "headers": {"Retry-After": "1"}, "body": reply.body
        }  # fmt: skip

    def _in_batch(self, each: dict[str, Any], account: str, scopes: frozenset[str]) -> Any:
        if each.keys() - {"id", "method", "url", "headers", "body", "dependsOn"}:
            raise refuse("a request of a batch says too much", "BadRequest")
        parts = urlsplit(each["url"])
        if parts.scheme or not parts.path.startswith("/"):
            raise refuse("a batch names paths", "BadRequest")
        raw_path = f"/v1.0{parts.path}"
        call = Call(
            each["method"], unquote(raw_path), parse_qsl(parts.query, keep_blank_values=True),
            {name.lower(): value for name, value in each.get("headers", {}).items()},
            json.dumps(each["body"]).encode() if "body" in each else b"", raw_path,
        )  # fmt: skip
        fault = self.fault_of(call)
        try:
            if fault is not None and isinstance(fault.kind, int):
                reply = self.error(fault.kind, "ordered", "on order")
                reply.headers["Retry-After"] = fault.retry_after or "1"
            else:
                reply = self._one(call, account, scopes)
        except RefusedError as error:
            reply = self.error(error.status, error.code, error.words)
        said = {"id": each["id"], "status": reply.status, "headers": reply.headers}
        return said | ({"body": reply.body} if reply.body is not None else {})


@contextmanager
def graph_server() -> Iterator[GraphServer]:
    """Serve until left."""
    server = GraphServer()
    with serving(server, "/v1.0"):
        yield server
