"""A calendar at an address, as a collection that is only read."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, Self

from inbox.providers.base import Connection
from inbox.providers.change_store import (
    Applied,
    Change,
    Changes,
    Collection,
    Entry,
    Item,
    ItemRefusedError,
)
from inbox.providers.ics.asking import Answer, address_of, ask, host_of
from inbox.providers.ics.splitting import Feed, split_feed
from inbox.providers.mail_store import StoreError
from inbox.reasons import of_error
from inbox.reasons import phrase as _

_ID = "feed"


class IcsStore:
    """One calendar; asked whether it changed by ETag or Last-Modified (RFC 9110 13.1)."""

    def __init__(self, connection: Connection) -> None:
        self._settings = connection.settings
        self._url = address_of(self._settings)
        self._feed: Feed | None = None
        self.calls = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget what was read."""
        self._feed = None

    def collections(self) -> list[Collection]:
        """Return the one that there is."""
        feed = self._whole()
        # Not the address, which may be secret: a name is shown to everybody, and to agents.
        name = feed.name or host_of(self._settings)
        return [Collection(_ID, "calendar", name, _color(feed), writable=False)]

    def changes(self, collection: Collection, position: str) -> Changes:
        """Return every event where the file has changed, and nothing where it has not."""
        known = _read_position(position)
        answer = self._ask(known)
        if answer is None or _digest(answer.body) == known.get("digest"):
            return Changes((), (), position)
        feed = self._split(answer.body)
        entries = tuple(Entry(part.uid, part.digest) for part in feed.parts.values())
        return Changes(entries, (), _position(answer), is_whole=True)

    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield events of the file."""
        parts = self._whole().parts
        for part in (parts[uid] for uid in ids if uid in parts):
            yield Item(part.uid, part.digest, part.raw)

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Refuse: it is only read."""
        raise ItemRefusedError(_("A subscribed calendar cannot be changed."))

    def _whole(self) -> Feed:
        if self._feed is None:
            answer = self._ask({})
            self._feed = self._split(answer.body if answer else b"")
        return self._feed

    def _split(self, body: bytes) -> Feed:
        try:
            self._feed = split_feed(body)
        except ValueError as error:
            words = _("There is no calendar at this address: %(error)s.", error=of_error(error))
            raise StoreError("permanent", words) from error
        return self._feed

    def _ask(self, known: dict[str, Any]) -> Answer | None:
        self.calls += 1
        return ask(self._settings, self._url, known)


def _read_position(position: str) -> dict[str, Any]:
    try:
        found = json.loads(position) if position else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _position(answer: Answer) -> str:
    headers = {"etag": answer.headers.get("etag", "")[:300]}
    headers["last_modified"] = answer.headers.get("last-modified", "")[:100]
    return json.dumps({**headers, "digest": _digest(answer.body)})


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _color(feed: Feed) -> str:
    color = feed.color[:7]
    return color if len(color) == 7 and color.startswith("#") else ""
