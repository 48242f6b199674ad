"""The mail of an account by JMAP (RFC 8621), followed by its states."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inbox.providers.base import Connection
from inbox.providers.http.store import HttpStore
from inbox.providers.jmap import objects
from inbox.providers.jmap.api import JmapApi, MethodError
from inbox.providers.jmap.changing import change_messages, destroy_messages, make_mailbox
from inbox.providers.jmap.fetching import fetch_messages
from inbox.providers.jmap.push import wait_for_news
from inbox.providers.jmap.resource import COLLECTIONS
from inbox.providers.mail_changes import (
    MailboxEntry,
    MailChange,
    MailChanges,
    MailItem,
    MailState,
    is_keyword,
)
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

STATE = ["mailboxIds", "keywords"]
_NEWEST_FIRST = [{"property": "receivedAt", "isAscending": False}]
# A state of another server or time: Cyrus says that of one that it cannot read.
_FORGOTTEN = frozenset({"cannotCalculateChanges", "invalidArguments"})


class JmapStore(HttpStore[JmapApi]):
    """One signed-in way to it. A position is JSON: a state and, while listing, the last id."""

    by_mailbox = False
    lies_in_many = True

    def __init__(self, connection: Connection) -> None:
        super().__init__(JmapApi(connection))

    @property
    def features(self) -> frozenset[str]:
        """push, where the server has an event source."""
        return frozenset({"push"} if self._api.resource.event_url else ())

    @property
    def can_send(self) -> bool:
        """Whether the account may send there."""
        return self._api.resource.can_send

    @property
    def has_collections(self) -> bool:
        """Whether the server has calendars or contacts of the user as well."""
        return not COLLECTIONS.isdisjoint(self._api.resource.accounts)

    def look_anew(self) -> None:
        """Ask what the server can do, whatever we know of it; raises StoreError."""
        self._api.look_anew()

    def takes_keyword(self, keyword: str) -> bool:
        """Return True for what RFC 8621 4.1.1 lets a keyword be."""
        return is_keyword(keyword)

    # -- reading -----------------------------------------------------------------------------------
    def mailboxes(self) -> list[MailboxEntry]:
        """Return every mailbox, by its path."""
        asked = {"ids": None, "properties": ["name", "parentId", "role"]}
        return objects.mailboxes(objects.listed(self._run("Mailbox/get", asked)))

    def changes(self, scope: str, position: str) -> MailChanges:  # noqa: ARG002
        """Return a page of what changed: of `Email/changes`, or of a listing by `Email/query`."""
        state, after = _read(position)
        if not state:
            return self._begin()
        return self._list(state, after) if after else self._since(state)

    def states(self, ids: Sequence[str]) -> dict[str, MailState]:
        """Return the states of the messages that are still there."""
        found: dict[str, MailState] = {}
        for at in range(0, len(ids), self._page):
            asked = {"ids": list(ids[at : at + self._page]), "properties": STATE}
            found |= objects.states(objects.listed(self._run("Email/get", asked)))
        return found

    def fetch(self, ids: Sequence[str]) -> Iterator[MailItem]:
        """Yield the messages that are still there, in their order."""
        for at in range(0, len(ids), self._page):
            yield from fetch_messages(self._api, ids[at : at + self._page])

    # -- changing ----------------------------------------------------------------------------------
    def apply(self, changes: Mapping[str, MailChange]) -> dict[str, StoreError]:
        """Change messages; return what was refused."""
        return change_messages(self._api, changes)

    def destroy(self, ids: Sequence[str]) -> dict[str, StoreError]:
        """Remove messages for good; return what was refused."""
        return destroy_messages(self._api, ids)

    def create(self, name: str, role: str) -> str:
        """Make a mailbox, or return the one of this name."""
        for entry in self.mailboxes():
            if entry.name == name:
                return entry.id
        return make_mailbox(self._api, name, role)

    def wait(self, seconds: float) -> bool:
        """Wait for news by the event source."""
        return wait_for_news(self._api, seconds)

    # -- changes and listings ----------------------------------------------------------------------
    @property
    def _page(self) -> int:
        return self._api.resource.most_in_get

    def _begin(self) -> MailChanges:
        """List from the newest on, as of the state before."""
        now = ("Email/get", {"ids": [], "properties": ["id"]}, "now")
        answers = self._call(now, *self._query({}))
        state = answers["now"].get("state")
        if not isinstance(state, str) or not state:
            raise StoreError("transient", _("The server does not tell the state of its mail."))
        return self._listed(answers, state, begins=True)

    def _list(self, state: str, after: str) -> MailChanges:
        """List on after a message; from the beginning, where that is gone."""
        try:
            answers = self._api.call(*self._query({"anchor": after, "anchorOffset": 1}))
        except MethodError as error:
            if error.type == "anchorNotFound":
                return self._begin()
            raise error.as_store_error() from error
        return self._listed(answers, state, begins=False)

    def _query(self, where: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any], str]]:
        there = {"resultOf": "list", "name": "Email/query", "path": "/ids"}
        return [
            ("Email/query", {"sort": _NEWEST_FIRST, "limit": self._page, **where}, "list"),
            ("Email/get", {"#ids": there, "properties": STATE}, "states"),
        ]

    def _listed(
        self, answers: Mapping[str, Mapping[str, Any]], state: str, *, begins: bool
    ) -> MailChanges:
        order = objects.ids(answers["list"], "ids")
        found = objects.states(objects.listed(answers["states"]))
        # A server may give less than was asked for (RFC 8620 5.5); only an empty page is the last.
        return MailChanges(
            {key: found[key] for key in order if key in found},
            frozenset(),
            _position(state, order[-1] if order else ""),
            more=bool(order),
            is_whole=True,
            begins=begins,
        )

    def _since(self, state: str) -> MailChanges:
        asked = {"sinceState": state, "maxChanges": max(self._page // 2, 1)}
        try:
            answers = self._api.call(
                ("Email/changes", asked, "changes"), *(self._get(name) for name in _NAMED)
            )
        except MethodError as error:
            if error.type in _FORGOTTEN:
                return self._begin()
            raise error.as_store_error() from error
        told = answers["changes"]
        new = told.get("newState")
        if not isinstance(new, str) or not new:
            raise StoreError("transient", _("The server does not tell the state of its mail."))
        found: dict[str, MailState] = {}
        gone = set(objects.ids(told, "destroyed"))
        for name in _NAMED:
            there = objects.states(objects.listed(answers[name]))
            found |= there
            gone.update(one for one in objects.ids(told, name) if one not in there)
        return MailChanges(
            found, frozenset(gone - found.keys()), _position(new),
            more=told.get("hasMoreChanges") is True,
        )  # fmt: skip

    def _get(self, name: str) -> tuple[str, Mapping[str, Any], str]:
        there = {"resultOf": "changes", "name": "Email/changes", "path": f"/{name}"}
        return "Email/get", {"#ids": there, "properties": STATE}, name

    def _call(self, *calls: tuple[str, Mapping[str, Any], str]) -> dict[str, dict[str, Any]]:
        try:
            return self._api.call(*calls)
        except MethodError as error:
            raise error.as_store_error() from error

    def _run(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return self._call((name, arguments, "0"))["0"]


_NAMED = ("created", "updated")


def _position(state: str, after: str = "") -> str:
    return json.dumps({"state": state, "after": after} if after else {"state": state})


def _read(position: str) -> tuple[str, str]:
    """Return the state and the last id of a position; empty ones where we cannot read it."""
    try:
        found = json.loads(position or "{}")
        return str(found.get("state", "")), str(found.get("after", ""))
    except (ValueError, AttributeError):
        return "", ""
