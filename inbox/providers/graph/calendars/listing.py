"""What changed in a calendar since a position.

Graph's list of changes of events (`calendarView/delta`) is bound to a span of time and tells each
occurrence by itself, so it is not used: what was changed is found by when it was changed, what is
gone by that there are fewer than there should be. Where that does not add up, and once a day in any
case, all of it is listed.
"""

import hashlib
import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Self

from inbox.providers.change_store import MOST_ITEMS, Changes, Collection, Entry
from inbox.providers.graph.answers import Json, etag, instant
from inbox.providers.graph.asking import GraphApi, query
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import text_of
from inbox.providers.http.reading import entries_of
from inbox.providers.http.session import read_fields
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

_SELECTED = "id,changeKey,createdDateTime,lastModifiedDateTime"
_PAGE = "1000"
# What is written at one time may be seen only later: so far it is looked back.
_OVERLAP = timedelta(minutes=5)
_WHOLE_EVERY = 86_400
_MOST_NEAR = 2_000
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Position:
    """What was known at a time of the server's: `near` are the items changed shortly before."""

    since: str = ""
    count: int = -1
    whole_at: float = 0.0
    near: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, said: str) -> Self:
        """Return a position; one that cannot be read is the beginning."""
        try:
            found = json.loads(said) if said else {}
            made = cls(**found)
            datetime.fromisoformat(made.since)
            is_fit = isinstance(made.count, int) and isinstance(made.near, dict)
            return made if is_fit and float(made.whole_at) <= time.time() else cls()
        except (ValueError, TypeError):
            return cls()

    def write(self) -> str:
        """Return it as text."""
        return json.dumps(asdict(self))


class EventLister:
    """Lists the events of calendars."""

    def __init__(self, api: GraphApi) -> None:
        self._api = api

    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since a position."""
        known = Position.read(position)
        if not known.since or time.time() - known.whole_at > _WHOLE_EVERY:
            return self._whole(collection)
        return self._recent(collection, known) or self._whole(collection)

    def _recent(self, collection: Collection, known: Position) -> Changes | None:
        """Return what was changed lately, None where something is gone, or nobody knows."""
        back = datetime.fromisoformat(known.since) - _OVERLAP
        options = {
            "$filter": f"lastModifiedDateTime ge {back.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "$orderby": "lastModifiedDateTime", "$select": _SELECTED, "$top": _PAGE,
        }  # fmt: skip
        count, now = self._count(collection)
        found = self._list(f"{_path(collection)}?{query(options)}")
        made = [one for one in found if _is_new(one, known, back)]
        if count != known.count + len(made):
            return None
        news = [
            it for it in found if known.near.get(_digest(text_of(it, "id"))) != _digest(etag(it))
        ]
        after = Position(now, count, known.whole_at, _near(found, now))
        return Changes(_entries(news), (), after.write())

    def _whole(self, collection: Collection) -> Changes:
        options = {"$select": _SELECTED, "$top": _PAGE}
        for _number in range(_TRIES):
            count, now = self._count(collection)
            found = self._list(f"{_path(collection)}?{query(options)}")
            # Pages are counted off while others write: one may have slipped between two of them.
            if len(found) == count == self._count(collection)[0]:
                after = Position(now, count, time.time(), _near(found, now))
                return Changes(_entries(found), (), after.write(), is_whole=True)
        raise StoreError("transient", _("%(name)s changes too fast.", name=collection.name))

    def _count(self, collection: Collection) -> tuple[int, str]:
        """Return how many events there are, and what time it is there."""
        options = {"$count": "true", "$select": "id", "$top": "1"}
        answer = self._api.ask("GET", f"{_path(collection)}?{query(options)}")
        count = read_fields(answer).get("@odata.count")
        return count if isinstance(count, int) else -1, _server_time(answer.headers.get("date", ""))

    def _list(self, url: str) -> list[Json]:
        found: dict[str, Json] = {}
        for page in self._api.pages(url):
            found |= {
                text_of(one, "id"): one
                for one in entries_of(page, "value", "id", required=True)
                if text_of(one, "id")
            }
            if len(found) > MOST_ITEMS:
                break
        return list(found.values())


def _is_new(found: Json, known: Position, back: datetime) -> bool:
    """Return True for what was made since a position."""
    created = instant(found, "createdDateTime")
    return (
        _digest(text_of(found, "id")) not in known.near and created is not None and created >= back
    )


def _path(collection: Collection) -> str:
    return f"/me/calendars/{part(collection.id)}/events"


def _server_time(said: str) -> str:
    try:
        moment = parsedate_to_datetime(said)
    except (ValueError, TypeError):
        moment = datetime.now(UTC)
    return moment.replace(tzinfo=moment.tzinfo or UTC).isoformat()


def _entries(found: Iterable[Json]) -> tuple[Entry, ...]:
    return tuple(
        Entry(text_of(one, "id"), etag(one), instant(one, "lastModifiedDateTime")) for one in found
    )


def _near(found: Iterable[Json], now: str) -> dict[str, str]:
    """Return those that the next look will be told of again."""
    back = datetime.fromisoformat(now) - _OVERLAP
    near: dict[str, Any] = {
        _digest(text_of(one, "id")): _digest(etag(one))
        for one in found
        if (instant(one, "lastModifiedDateTime") or back) >= back
    }
    return near if len(near) <= _MOST_NEAR else {}


def _digest(said: str) -> str:
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:12]
