"""Items as they lie there: many at once by multiget, or one by one."""

import re
from collections.abc import Iterator, Sequence

from inbox.providers.change_store import LARGEST_FILE, LARGEST_ITEM, Collection, Item
from inbox.providers.dav import names
from inbox.providers.dav.hrefs import origin, path_at
from inbox.providers.dav.multistatus import Multistatus, document, hrefs, prop
from inbox.providers.dav.properties import etag_of_file, plain_etag
from inbox.providers.dav.session import Session
from inbox.providers.http.reading import Answer, LongAnswerError
from inbox.providers.http.session import Asked, refused

# Items of one multiget, and bytes of its answer; a longer one is asked for in halves.
MOST_AT_ONCE = 100
LONGEST_BATCH = 24 * 1024 * 1024
_NO_MULTIGET = frozenset({400, 403, 405, 413, 415, 501})
_MISSING = frozenset({404, 410})
_BARE_LINE_END = re.compile(rb"(?<!\r)\n")
_CALDAV, _CARDDAV = "urn:ietf:params:xml:ns:caldav", "urn:ietf:params:xml:ns:carddav"


class Fetcher:
    """Fetches items; remembers what a server does not do."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._one_by_one = False

    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the items that are still there and not too large, in any order."""
        ids = list(dict.fromkeys(ids))
        if collection.kind == "files":
            yield from self._each(collection, ids)
            return
        for first in range(0, len(ids), MOST_AT_ONCE):
            yield from self._batch(collection, ids[first : first + MOST_AT_ONCE])

    def one(self, collection: Collection, path: str) -> Item | None:
        """Return exactly what lies at a path; None where nothing does, or it is too large."""
        is_file = collection.kind == "files"
        asked = Asked("GET", f"{origin(collection.id)}{path}")
        try:
            answer = self._session.ask(asked, LARGEST_FILE if is_file else LARGEST_ITEM)
        except LongAnswerError:
            return None
        if answer.status in _MISSING:
            return None
        if not answer.is_good:
            raise refused(answer)
        etag = plain_etag(answer.headers.get("etag", ""))
        if is_file:
            modified = answer.headers.get("last-modified", "")
            etag = etag_of_file(etag, len(answer.body), modified)
        return Item(path, etag, answer.body)

    def _each(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        for path in ids:
            item = self.one(collection, path)
            if item is not None:
                yield item

    def _batch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        if self._one_by_one:
            yield from self._each(collection, ids)
            return
        try:
            at, answer = self._multiget(collection, ids)
        except LongAnswerError:
            if len(ids) > 1:
                half = len(ids) // 2
                yield from self._batch(collection, ids[:half])
                yield from self._batch(collection, ids[half:])
            return
        if isinstance(answer, Answer):
            if answer.status not in _NO_MULTIGET:
                raise refused(answer)
            self._one_by_one = True
            yield from self._each(collection, ids)
            return
        yield from _items(collection, ids, at, answer)

    def _multiget(
        self, collection: Collection, ids: Sequence[str]
    ) -> tuple[str, Multistatus | Answer]:
        is_cards = collection.kind == "contacts"
        name, space = (
            ("addressbook-multiget", _CARDDAV) if is_cards else ("calendar-multiget", _CALDAV)
        )
        asked = prop([names.ETAG, _data_of(collection)])
        body = document(f'<c:{name} xmlns:c="{space}">{asked}{hrefs(ids)}</c:{name}>')
        return self._session.try_multistatus("REPORT", collection.id, body, "1", LONGEST_BATCH)


def _data_of(collection: Collection) -> str:
    return names.ADDRESS_DATA if collection.kind == "contacts" else names.CALENDAR_DATA


def _items(
    collection: Collection, ids: Sequence[str], at: str, answer: Multistatus
) -> Iterator[Item]:
    """Yield what an answer brings of what was asked for, each once."""
    wanted, data = set(ids), _data_of(collection)
    for each in answer.responses:
        path = path_at(at, each.href)
        if path is None or path not in wanted or each.status != 200 or data not in each.props:
            continue
        wanted.discard(path)
        # Reading XML makes one character of each end of a line.
        raw = _BARE_LINE_END.sub(b"\r\n", each.raw_text(data).encode("utf-8", "replace"))
        if len(raw) <= LARGEST_ITEM:
            yield Item(path, plain_etag(each.text(names.ETAG)), raw)
