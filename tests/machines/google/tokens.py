"""Tokens of pages and of syncs: each holds for the very call that it was given for."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.machines.google.refusing import Refused


@dataclass
class Tokens:
    """What was given out; `page_size` is the most that a page holds, whatever is asked for."""

    page_size: int = 100
    pages: dict[str, tuple[Any, list[Any], str]] = field(default_factory=dict)
    syncs: dict[str, tuple[Any, int]] = field(default_factory=dict)

    def page(self, call: Any, found: Sequence[Any], sync: str, most: int) -> dict[str, Any]:
        """Return `items` with the token of the next page, or of the next sync."""
        size = min(most, self.page_size)
        page: dict[str, Any] = {"items": list(found[:size])}
        if len(found) > size:
            page["nextPageToken"] = token = f"page-{secrets.token_urlsafe(9)}"
            self.pages[token] = (call, list(found[size:]), sync)
        elif sync:
            page["nextSyncToken"] = sync
        return page

    def next_page(self, call: Any, token: str, most: int) -> dict[str, Any]:
        known, rest, sync = self.pages.get(token, (None, [], ""))
        if known != call:
            raise Refused(400, "invalid", "Invalid page token")
        return self.page(call, rest, sync, most)

    def sync(self, call: Any, revision: int) -> str:
        """Return a token for what changes after a revision."""
        token = f"sync-{secrets.token_urlsafe(9)}"
        self.syncs[token] = (call, revision)
        return token
