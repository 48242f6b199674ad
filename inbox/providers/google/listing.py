"""Which collections an account has at Google, of the kinds that whoever signed in granted."""

import re
from collections.abc import Iterator
from contextlib import suppress

from inbox.providers.change_store import Collection
from inbox.providers.google.asking import ACCOUNT, GoogleApi, NotGrantedError
from inbox.providers.http.json_values import text_of
from inbox.providers.http.reading import entries_of

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_WRITING = frozenset({"owner", "writer"})


def collections_of(api: GoogleApi) -> list[Collection]:
    """Return all collections of the kinds that were granted; raises StoreError."""
    found: list[Collection] = []
    for listed in (_calendars, _task_lists, _contacts, _drive):
        with suppress(NotGrantedError):
            found += listed(api)
    return found


def _calendars(api: GoogleApi) -> Iterator[Collection]:
    # Of those of which only free and busy is shown there is nothing to keep.
    query = {"minAccessRole": "reader", "maxResults": 250}
    for page in api.pages("/calendar/v3/users/me/calendarList", query):
        for one in entries_of(page, "items", "id"):
            key, color = text_of(one, "id"), text_of(one, "backgroundColor")
            if key:
                yield Collection(
                    key,
                    "calendar",
                    text_of(one, "summaryOverride") or text_of(one, "summary") or key,
                    color if _COLOR.fullmatch(color) else "",
                    writable=text_of(one, "accessRole") in _WRITING,
                    is_default=one.get("primary") is True,
                )


def _task_lists(api: GoogleApi) -> Iterator[Collection]:
    for page in api.pages("/tasks/v1/users/@me/lists", {"maxResults": 1000}):
        for one in entries_of(page, "items", "id"):
            if key := text_of(one, "id"):
                yield Collection(key, "todos", text_of(one, "title") or key)


def _contacts(api: GoogleApi) -> Iterator[Collection]:
    # That it answers says that it was granted.
    api.get(f"/v1/{ACCOUNT}/connections", {"personFields": "metadata", "pageSize": 1})
    yield Collection(ACCOUNT, "contacts", "Google Contacts", is_default=True)


def _drive(api: GoogleApi) -> Iterator[Collection]:
    root = api.get("/drive/v3/files/root", {"fields": "id,name"})
    if key := text_of(root, "id"):
        yield Collection(key, "files", text_of(root, "name") or key, is_default=True)
