"""The mail of an account at Gmail, followed by its history (users.history.list)."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from inbox.providers.base import Connection
from inbox.providers.google.asking import GoogleApi, fields_of, refusal
from inbox.providers.google.gmail import labels
from inbox.providers.google.gmail.changing import change_messages, destroy_messages, make_label
from inbox.providers.google.gmail.labels import USER
from inbox.providers.google.gmail.reading import fetch_messages, states_of
from inbox.providers.http.json_values import object_of, text_of
from inbox.providers.http.reading import entries_of
from inbox.providers.http.store import HttpStore
from inbox.providers.mail_changes import (
    LONGEST_ID,
    MailboxEntry,
    MailChange,
    MailChanges,
    MailItem,
    MailState,
)
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

# Messages on a page of the listing, and entries on one of the history.
_LISTED, _ENTRIES = 250, 300
_KINDS = ("messagesAdded", "messagesDeleted", "labelsAdded", "labelsRemoved")


class GmailStore(HttpStore[GoogleApi]):
    """One signed-in way to it.

    A position is JSON: a history id and, while listing, the token of the next page. The id of an
    entry is one from which the history goes on, so no token of its pages is kept.
    """

    features = frozenset[str]()
    by_mailbox = False
    lies_in_many = True

    def __init__(self, connection: Connection) -> None:
        super().__init__(GoogleApi(connection))
        # Mailboxes that the last list named.
        self._known: frozenset[str] | None = None

    def takes_keyword(self, keyword: str) -> bool:
        """Return True for what Gmail has a label for."""
        return keyword in labels.KEYWORDS

    # -- reading -----------------------------------------------------------------------------------
    def mailboxes(self) -> list[MailboxEntry]:
        """Return those that every account has, the one for what was archived, and the labels."""
        found = labels.mailboxes(entries_of(self._api.get(f"{USER}/labels"), "labels", "id"))
        self._known = frozenset(entry.id for entry in found)
        return found

    def changes(self, scope: str, position: str) -> MailChanges:  # noqa: ARG002
        """Return a page of what changed: of the history, or of a listing of everything."""
        start, page = _read(position)
        if not start:
            return self._begin()
        return self._list(start, page) if page else self._since(start)

    def states(self, ids: Sequence[str]) -> dict[str, MailState]:
        """Return the states of the messages that are still there.

        Raises StoreError where one has a label that is newer than the list of them.
        """
        found = states_of(self._api, ids)
        known = self._known
        if known is not None and any(not it.mailboxes <= known for it in found.values()):
            raise StoreError("transient", _("A label was made while the mail was looked at."))
        return found

    def fetch(self, ids: Sequence[str]) -> Iterator[MailItem]:
        """Yield the messages that are still there, in their order."""
        return fetch_messages(self._api, ids)

    # -- changing ----------------------------------------------------------------------------------
    def apply(self, changes: Mapping[str, MailChange]) -> dict[str, StoreError]:
        """Change messages; return what was refused."""
        return change_messages(self._api, changes)

    def destroy(self, ids: Sequence[str]) -> dict[str, StoreError]:
        """Remove messages for good; return what was refused."""
        return destroy_messages(self._api, ids)

    def create(self, name: str, role: str) -> str:  # noqa: ARG002
        """Make a label, or return the one of this name."""
        for entry in self.mailboxes():
            if entry.name.lower() == name.lower():
                return entry.id
        return make_label(self._api, name)

    def wait(self, seconds: float) -> bool:  # noqa: ARG002
        """Refuse: Gmail tells of news only to a service of Google's that one has to rent."""
        raise StoreError("permanent", _("The server does not tell of news."))

    # -- changes and listings ----------------------------------------------------------------------
    def _begin(self) -> MailChanges:
        """List from the newest on, as of the history before."""
        start = text_of(self._api.get(f"{USER}/profile"), "historyId")
        if not start.isdecimal():
            raise StoreError("transient", _("The server does not tell the state of its mail."))
        return self._listed(start, self._api.get(f"{USER}/messages", _listing()), begins=True)

    def _list(self, start: str, page: str) -> MailChanges:
        """List on; from the beginning, where that page is not known any more."""
        answer = self._api.ask("GET", f"{USER}/messages", {**_listing(), "pageToken": page})
        if answer.status in (400, 404, 410):
            return self._begin()
        return self._listed(start, fields_of(answer), begins=False)

    def _listed(self, start: str, found: Mapping[str, Any], *, begins: bool) -> MailChanges:
        ids = _ids(entries_of(found, "messages", "id"))
        following = text_of(found, "nextPageToken")
        return MailChanges(
            self.states(ids), frozenset(), _position(start, following), more=bool(following),
            is_whole=True, begins=begins,
        )  # fmt: skip

    def _since(self, start: str) -> MailChanges:
        """Return what the history has; where it does not go back so far, list everything."""
        query = {"startHistoryId": start, "maxResults": _ENTRIES}
        answer = self._api.ask("GET", f"{USER}/history", query)
        if answer.status in (404, 410):
            return self._begin()
        if not answer.is_good:
            raise refusal(answer)
        found = fields_of(answer)
        entries = entries_of(found, "history")
        more = bool(text_of(found, "nextPageToken"))
        end = text_of(entries[-1], "id") if more and entries else text_of(found, "historyId")
        if not end.isdecimal():
            raise StoreError("transient", _("The server does not tell the state of its mail."))
        # The newest first.
        ids = list(dict.fromkeys(reversed(_ids(_messages(entries)))))
        states = self.states(ids)
        gone = frozenset(one for one in ids if one not in states)
        return MailChanges(states, gone, _position(end), more=more)


def _listing() -> dict[str, Any]:
    return {"maxResults": _LISTED, "includeSpamTrash": "true"}


def _messages(entries: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield every message that something happened to, the oldest event first."""
    for entry in entries:
        for kind in _KINDS:
            for one in entries_of(entry, kind):
                yield object_of(one, "message")


def _ids(messages: Iterable[Mapping[str, Any]]) -> list[str]:
    found = (text_of(one, "id") for one in messages)
    return [one for one in found if 0 < len(one) <= LONGEST_ID]


def _position(start: str, page: str = "") -> str:
    return json.dumps({"history": start, "page": page} if page else {"history": start})


def _read(position: str) -> tuple[str, str]:
    """Return the history id and the page of a position; empty ones where we cannot read it."""
    try:
        found = json.loads(position or "{}")
        start, page = str(found.get("history", "")), str(found.get("page", ""))
    except (ValueError, AttributeError, RecursionError):
        return "", ""
    return (start, page) if start.isdecimal() and len(start) <= 20 else ("", "")
