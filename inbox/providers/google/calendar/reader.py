"""What lies in a calendar at Google: events with their changed instances, by sync tokens.

An item is a series with the instances that differ from it, or a single event; its id is the
event's. Its etag is the event's own, of a series a digest over all that belongs to it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from inbox.providers.change_store import MOST_ITEMS, Changes, Collection, Item
from inbox.providers.google.asking import MOST_PAGES, GoogleApi, fields_of
from inbox.providers.google.calendar.items import (
    Events,
    calendar_of,
    entry_of,
    etag_of,
    events_path,
    is_single,
    there,
)
from inbox.providers.google.calendar.reading import EventJson, is_cancelled, series_id
from inbox.providers.google.positions import UnknownTokenError, read_token, write_token
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import text_of
from inbox.providers.http.reading import entries_of
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

# Birthdays are cards' matter; where somebody works is no event.
_KINDS = ("default", "focusTime", "fromGmail", "outOfOffice")
_QUERY = {"maxResults": 2500, "eventTypes": _KINDS}
# What Google says of a sync token that it does not know any more, or never did.
_UNKNOWN_TOKEN = frozenset({400, 410})
# So few are read one by one; for more the whole calendar is.
_FEW = 5
_MOST_EVENTS = 2 * MOST_ITEMS


@dataclass(slots=True)
class Whole:
    """A calendar as it stood when `token` was given out: its events, each as JSON."""

    token: str = ""
    events: dict[str, bytes] = field(default_factory=dict)
    of_item: dict[str, set[str]] = field(default_factory=dict)

    def take(self, found: Iterable[EventJson]) -> set[str]:
        """Take in what changed; return which items it is of."""
        touched = set()
        for event in found:
            own, item = text_of(event, "id"), series_id(event)
            if not own:
                continue
            touched.add(item)
            if is_cancelled(event) and own == item:
                self.events.pop(own, None)
                self.of_item.get(item, set()).discard(own)
            else:
                self.events[own] = json.dumps(event).encode()
                self.of_item.setdefault(item, set()).add(own)
        if len(self.events) > _MOST_EVENTS:
            words = _("It holds more than %(most)s items.", most=f"{_MOST_EVENTS:,}")
            raise StoreError("permanent", words)
        return touched

    def item(self, key: str) -> Events:
        """Return the events of an item; none where nothing of it takes place any more."""
        events = [json.loads(self.events[own]) for own in sorted(self.of_item.get(key, ()))]
        return [] if all(map(is_cancelled, events)) else events


class EventReader:
    """Reads the calendars of a source; remembers of each what it read as a whole."""

    def __init__(self, api: GoogleApi) -> None:
        self.api = api
        self._whole: dict[str, Whole] = {}

    # -- changes -----------------------------------------------------------------------------------
    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since a position, the whole where Google does not know it."""
        token = read_token(position)
        if token:
            try:
                return self._since(collection, token)
            except UnknownTokenError:
                pass
        whole = self._load(collection)
        entries = (entry_of(key, whole.item(key)) for key in whole.of_item)
        present = tuple(each for each in entries if each is not None)
        if len(present) > MOST_ITEMS:
            words = _("It holds more than %(most)s items.", most=f"{MOST_ITEMS:,}")
            raise StoreError("permanent", words)
        return Changes(present, (), write_token(whole.token), is_whole=True)

    def _since(self, collection: Collection, token: str) -> Changes:
        found, following = self._list(collection, token)
        whole = self._whole.get(collection.id)
        if whole is not None and whole.token != token:
            whole = None
        if whole is not None:
            whole.take(found)
            whole.token = following
        singles = {text_of(one, "id"): one for one in found if is_single(one)}
        touched = {series_id(one) for one in found} - {""}
        entries = []
        if touched - singles.keys():
            # What belongs to a series is told in pieces: only the whole tells all of it.
            whole = whole or self._fresh(collection)
            entries = [entry_of(key, whole.item(key)) for key in touched]
        else:
            entries = [entry_of(key, there(singles[key])) for key in touched]
        present = tuple(each for each in entries if each is not None)
        gone = tuple(sorted(touched - {each.id for each in present}))
        return Changes(present, gone, write_token(following))

    def _list(self, collection: Collection, token: str) -> tuple[Events, str]:
        """Return all events, or those that changed since a token, and the next token."""
        query = {**_QUERY, **({"syncToken": token} if token else {})}
        found: Events = []
        following = ""
        for page in _pages(self.api, events_path(collection), query):
            found += [dict(one) for one in entries_of(page, "items", "id")]
            following = text_of(page, "nextSyncToken") or following
            if len(found) > _MOST_EVENTS:
                words = _("It holds more than %(most)s items.", most=f"{_MOST_EVENTS:,}")
                raise StoreError("permanent", words)
        if not following:
            raise StoreError("transient", _("The server gave no position to go on from."))
        return found, following

    # -- the whole ---------------------------------------------------------------------------------
    def _load(self, collection: Collection) -> Whole:
        found, token = self._list(collection, "")
        whole = Whole(token)
        whole.take(found)
        self._whole[collection.id] = whole
        return whole

    def _fresh(self, collection: Collection) -> Whole:
        """Return the whole calendar as it is now."""
        whole = self._whole.get(collection.id)
        if whole is None:
            return self._load(collection)
        try:
            found, token = self._list(collection, whole.token)
        except UnknownTokenError:
            return self._load(collection)
        whole.take(found)
        whole.token = token
        return whole

    # -- items -------------------------------------------------------------------------------------
    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the items that are still there."""
        is_read = collection.id in self._whole or len(ids) > _FEW
        whole = self._fresh(collection) if is_read else None
        for key in ids:
            events = whole.item(key) if whole is not None else self.item(collection, key)
            if events:
                yield Item(key, etag_of(events), calendar_of(events))

    def item(self, collection: Collection, key: str) -> Events:
        """Return the events of one item as they are now; none where it is gone."""
        if collection.id in self._whole:
            return self._fresh(collection).item(key)
        event = self.event(collection, key)
        # Of a series that is not there there may be instances, to which alone one was invited.
        if event is None or event.get("recurrence"):
            return self._fresh(collection).item(key)
        return [] if is_cancelled(event) else [event]

    def event(self, collection: Collection, key: str) -> dict[str, Any] | None:
        """Return one event; None where there never was one of this id."""
        answer = self.api.ask("GET", f"{events_path(collection)}/{part(key)}")
        if answer.status == 410:
            return {"id": key, "status": "cancelled"}
        return None if answer.status == 404 else fields_of(answer)


def _pages(api: GoogleApi, path: str, query: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the pages of a list; raises UnknownTokenError where its sync token is not known."""
    token = ""
    for _number in range(MOST_PAGES):
        more = {"pageToken": token} if token else {}
        answer = api.ask("GET", path, {**query, **more})
        if "syncToken" in query and answer.status in _UNKNOWN_TOKEN:
            raise UnknownTokenError
        page = fields_of(answer)
        yield page
        following = text_of(page, "nextPageToken")
        if not following:
            return
        if following == token:
            break
        token = following
    raise StoreError("permanent", _("The server's list of changes does not end."))
