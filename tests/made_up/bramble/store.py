"""The lists of one account at Bramble; what `ChangeStore` promises."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from inbox.providers.base import Connection
from inbox.providers.change_store import (
    LARGEST_ITEM,
    MOST_ITEMS,
    Applied,
    Change,
    Changes,
    Collection,
    Entry,
    Item,
    ItemChangedError,
    ItemRefusedError,
    Move,
    Put,
    Remove,
)
from inbox.providers.http.failures import failures_of, shown
from inbox.providers.http.reading import Answer, LongAnswerError
from inbox.providers.http.session import Asked, HttpSession, refused
from inbox.providers.http.signing_in import Credentials
from inbox.providers.http.store import HttpStore
from inbox.providers.web import GarbledAnswerError, host_of
from inbox.reasons import of_error
from inbox.reasons import phrase as _
from tests.made_up.bramble.reading import flag, objects, text, whole
from tests.made_up.bramble.todos import moment_of, read_calendar, write_calendar

# Bytes of an answer: a page of states, and of as many entries as are looked up at once.
_LONGEST_PAGE, _LONGEST_LOOKUP = 1024 * 1024, 2 * LARGEST_ITEM
_MOST_PAGES = 5_000
_AT_ONCE = 50
# What is said of a cursor that is no use any more.
_ENDED = frozenset({"cursor_expired", "bad_cursor"})
_CHANGED = frozenset({"stale_rev", "ref_taken", "no_entry"})


class BrambleStore(HttpStore[HttpSession]):
    """A way to a server of Bramble's."""

    def __init__(self, connection: Connection) -> None:
        self._root = f"{str(connection.settings['server']).strip().rstrip('/')}/v1"
        self._host = host_of(self._root)
        super().__init__(HttpSession(Credentials("oauth", "", connection.secret)))

    def collections(self) -> list[Collection]:
        """Return the lists."""
        with failures_of(self._host):
            pages = self._pages(f"{self._root}/lists")
            return [_collection(one) for page in pages for one in objects(page, "lists")]

    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since a position, which is a cursor of the list's feed."""
        with failures_of(self._host):
            found = self._since(collection, position) if position else None
            return found or self._whole(collection)

    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the entries that are still there, as calendars of one to-do each."""
        for start in range(0, len(ids), _AT_ONCE):
            yield from self._look_up(collection, ids[start : start + _AT_ONCE])

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change, if the entry is at the revision `if_match`."""
        with failures_of(self._host):
            match change:
                case Put():
                    return self._put(collection, change, if_match)
                case Remove():
                    return self._remove(collection, change, if_match)
                case Move():
                    raise ItemRefusedError(_("What is in a list cannot be moved."))

    # -- reading -----------------------------------------------------------------------------------
    def _since(self, collection: Collection, position: str) -> Changes | None:
        """Return what the feed tells; None where it does not reach back so far."""
        asked = Asked.json("GET", self._at(collection, "feed"), query={"cursor": position})
        answer = self._api.ask(asked, _LONGEST_PAGE)
        if not answer.is_good and _code(answer) in _ENDED:
            return None
        page = _fields(answer)
        told = objects(page, "entries")
        gone = tuple(text(one, "id") for one in told if flag(one, "gone"))
        there = tuple(_entry(one) for one in told if not flag(one, "gone"))
        return Changes(there, gone, text(page, "cursor"), more=flag(page, "more"))

    def _whole(self, collection: Collection) -> Changes:
        entries: list[Entry] = []
        cursor = ""
        for page in self._pages(self._at(collection, "entries")):
            # Of the first page: what changes while the others are read is told from there on.
            cursor = cursor or text(page, "cursor")
            entries += map(_entry, objects(page, "entries"))
            if len(entries) > MOST_ITEMS:
                break
        return Changes(tuple(entries), (), cursor, is_whole=True)

    def _pages(self, url: str) -> Iterator[dict[str, Any]]:
        query: dict[str, str] = {}
        for _number in range(_MOST_PAGES):
            asked = Asked.json("GET", url, query=query)
            page = self._api.ask_json(asked, _LONGEST_PAGE)
            yield page
            following = page.get("next")
            if following is None:
                return
            query = {"page": text(page, "next")}
        raise GarbledAnswerError("its pages do not end")

    def _look_up(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield entries; where all of them are too much for one answer, in two halves."""
        asked = Asked.json("POST", self._at(collection, "lookup"), fields={"ids": list(ids)})
        try:
            page = self._api.ask_json(asked, _LONGEST_LOOKUP)
        except LongAnswerError:
            half = len(ids) // 2
            if half:
                yield from self._look_up(collection, ids[:half])
                yield from self._look_up(collection, ids[half:])
            return
        with failures_of(self._host):
            for one in objects(page, "entries"):
                raw = write_calendar(one)
                if len(raw) <= LARGEST_ITEM:
                    yield Item(text(one, "id"), str(whole(one, "rev")), raw)

    # -- changing ----------------------------------------------------------------------------------
    def _put(self, collection: Collection, change: Put, if_match: str) -> Applied:
        try:
            wanted = read_calendar(change.raw)
            before = read_calendar(change.before) if change.before else {}
        except ValueError as error:
            words = _("It cannot be read: %(error)s.", error=of_error(error))
            raise ItemRefusedError(words) from error
        if not change.id:
            url, fields = self._at(collection, "entries"), {**wanted, "ref": change.name}
            answer = self._api.ask(Asked.json("POST", url, fields=fields))
        else:
            # What Bramble has beside our fields stays, and so does what was not changed here.
            news = {name: value for name, value in wanted.items() if before.get(name, ...) != value}
            fields = {"set": news, **({"rev": _revision(if_match)} if if_match else {})}
            url = self._at(collection, "entries", change.id)
            answer = self._api.ask(Asked.json("PATCH", url, fields=fields))
        _check(answer)
        # It has what it makes of a to-do of ours: no etag, so that it is read.
        return Applied(text(_fields(answer), "id"), "")

    def _remove(self, collection: Collection, change: Remove, if_match: str) -> Applied:
        query = {"rev": _revision(if_match)} if if_match else None
        url = self._at(collection, "entries", change.id)
        answer = self._api.ask(Asked.json("DELETE", url, query=query))
        if answer.is_good or _code(answer) != "no_entry":
            _check(answer)
        return Applied(change.id, "")

    def _at(self, collection: Collection, *parts: str) -> str:
        path = "/".join(quote(part, safe="") for part in (collection.id, *parts))
        return f"{self._root}/lists/{path}"


def _collection(one: Mapping[str, Any]) -> Collection:
    shade = text(one, "shade", 7)
    return Collection(text(one, "id"), "todos", text(one, "label"), shade, flag(one, "mine"))


def _entry(one: Mapping[str, Any]) -> Entry:
    return Entry(text(one, "id"), str(whole(one, "rev")), moment_of(text(one, "touched")))


def _revision(etag: str) -> int:
    """Return the revision that an etag of ours is; no entry is at any other."""
    return int(etag) if etag.isascii() and etag.isdecimal() and len(etag) < 19 else 0


def _fields(answer: Answer) -> dict[str, Any]:
    """Return what a success says; raises StoreError for every other answer."""
    if not answer.is_good:
        raise refused(answer)
    return answer.fields()


def _check(answer: Answer) -> None:
    """Raise what an answer to a change means, where it is no success."""
    if answer.is_good:
        return
    if _code(answer) in _CHANGED:
        raise ItemChangedError
    if answer.status in (403, 422):
        raise ItemRefusedError(_("Bramble does not take it:"), shown(answer.status, answer.body))
    raise refused(answer)


def _code(answer: Answer) -> str:
    """Return the word by which Bramble says what is wrong; empty where it says none."""
    try:
        return text(answer.fields(), "error")
    except GarbledAnswerError:
        return ""
