"""The mail of an account at Microsoft Graph, followed by the lists of changes of its folders."""

import json
from collections.abc import Iterator, Mapping, Sequence

from inbox.providers.base import Connection
from inbox.providers.graph.answers import Json
from inbox.providers.graph.asking import ForgottenError, GraphApi, query
from inbox.providers.graph.mail.changing import change_messages, destroy_messages
from inbox.providers.graph.mail.folders import folder_path, list_folders, make_folder
from inbox.providers.graph.mail.reading import fetch_messages, states_of
from inbox.providers.graph.mail.states import ASKED, state_of, takes_keyword
from inbox.providers.http.json_values import text_of
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

_NEWEST_FIRST = query({**ASKED, "$orderby": "receivedDateTime desc"})
# Goes up when more is asked.
_ASKED = 2
_PAGE = 200


class GraphMailStore(HttpStore[GraphApi]):
    """One signed-in way to it.

    A position is JSON: the address that Graph gave for the next page or the next look (`link`),
    whether that goes on with a listing of all (`listing`), and `asked`, the number of what is asked
    of each message there: one of another number is left, and everything is listed and compared.
    """

    by_mailbox = True
    lies_in_many = False
    features: frozenset[str] = frozenset()

    def __init__(self, connection: Connection) -> None:
        super().__init__(GraphApi(connection))

    def takes_keyword(self, keyword: str) -> bool:
        """Return True for read and flagged, and for what a category can be called."""
        return takes_keyword(keyword)

    # -- reading -----------------------------------------------------------------------------------
    def mailboxes(self) -> list[MailboxEntry]:
        """Return every folder; one call."""
        return list_folders(self._api)

    def changes(self, scope: str, position: str) -> MailChanges:
        """Return a page of what changed in a folder since a position; one call."""
        path = f"{folder_path(scope)}/messages/delta"
        link, is_listing = _read(position)
        try:
            if self._api.is_link(path, link):
                page = self._api.get(link, _PAGE)
                return self._page(scope, page, is_whole=is_listing, begins=False)
        except ForgottenError:
            pass
        except StoreError as error:
            return _empty(error, position)
        try:
            page = self._api.get(f"{path}?{_NEWEST_FIRST}", _PAGE)
        except StoreError as error:
            return _empty(error, "")
        return self._page(scope, page, is_whole=True, begins=True)

    def states(self, ids: Sequence[str]) -> dict[str, MailState]:
        """Return the states of the messages that are still there."""
        return states_of(self._api, ids)

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
        """Make a folder, or return the one of this name."""
        return make_folder(self._api, name)

    def wait(self, seconds: float) -> bool:  # noqa: ARG002
        """Raise StoreError: Graph sends news to addresses that it can reach, and to no one else."""
        raise StoreError("permanent", _("The server does not tell of news."))

    # -- pages -------------------------------------------------------------------------------------
    def _page(self, scope: str, page: Json, *, is_whole: bool, begins: bool) -> MailChanges:
        changed: dict[str, MailState | None] = {}
        gone: set[str] = set()
        for one in entries_of(page, "value", "id", required=True):
            id_ = text_of(one, "id")
            if not 0 < len(id_) <= LONGEST_ID:
                continue
            if "@removed" in one:
                changed.pop(id_, None)
                gone.add(id_)
            else:
                gone.discard(id_)
                changed[id_] = state_of({**one, "parentFolderId": scope})
        states = self._completed(scope, changed)
        link, more = self._link(page)
        return MailChanges(
            states, frozenset(gone | (changed.keys() - states.keys())),
            json.dumps({"link": link, "listing": is_whole and more, "asked": _ASKED}),
            more=more, is_whole=is_whole, begins=begins,
        )  # fmt: skip

    def _completed(
        self, scope: str, changed: Mapping[str, MailState | None]
    ) -> dict[str, MailState]:
        """Return the states of what lies in a folder.

        Of a message that was only read Graph may tell nothing but that: it is asked for the rest.
        """
        asked = [one for one, state in changed.items() if state is None]
        found = states_of(self._api, asked) if asked else {}
        states = {one: state or found.get(one) for one, state in changed.items()}
        return {one: it for one, it in states.items() if it and scope in it.mailboxes}

    def _link(self, page: Json) -> tuple[str, bool]:
        """Return from where is asked on, and whether that is another page."""
        for name, more in (("@odata.nextLink", True), ("@odata.deltaLink", False)):
            if link := text_of(page, name):
                self._api.check_link(link)
                return link, more
        raise StoreError("transient", _("The server's list of changes does not end."))


def _empty(error: StoreError, position: str) -> MailChanges:
    """Return that nothing is told of a folder that has gone since it was listed; raises others."""
    if error.kind != "gone":
        raise error
    return MailChanges({}, frozenset(), position)


def _read(position: str) -> tuple[str, bool]:
    """Return the address of a position, empty where we cannot read it, and whether it lists."""
    try:
        found = json.loads(position or "{}")
        link = text_of(found, "link") if found.get("asked") == _ASKED else ""
        return link, found.get("listing") is True
    except (ValueError, AttributeError):
        return "", False
