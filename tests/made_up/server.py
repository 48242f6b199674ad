"""The server of Bramble, a made-up service with lists of to-dos, over JSON and HTTP.

Its own ways: opaque ids, a `ref` that clients may choose, revisions that are numbers, a feed of
changes whose cursors end, pages, keys. It is strict: what is not described here is refused.
"""

import itertools
import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.machines.api_server import ApiServer, Call, Reply

PAGE, MOST_IDS = 50, 50
LONGEST_TEXT, LONGEST_MEMO, LONGEST_REF = 500, 1_000_000, 255
_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
_AT = re.compile(_TIME)
_BY = re.compile(rf"\d{{4}}-\d\d-\d\d|{_TIME}")


def is_text(longest: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and len(value) <= longest


def is_said(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: value is None or bool(isinstance(value, str) and pattern.fullmatch(value))


# The fields of an entry: what each takes, and what it is where nobody said.
FIELDS: dict[str, tuple[Callable[[Any], bool], Any]] = {
    "text": (is_text(LONGEST_TEXT), ""),
    "memo": (is_text(LONGEST_MEMO), ""),
    "by": (is_said(_BY), None),
    "done": (lambda value: isinstance(value, bool), False),
    "done_at": (is_said(_AT), None),
    "star": (lambda value: isinstance(value, bool), False),
    "under": (is_text(LONGEST_REF), ""),
    "tint": (is_text(20), ""),
}


class RefusedError(Exception):
    """What is asked for is refused."""

    def __init__(self, status: int, code: str, words: str = "") -> None:
        super().__init__(words)
        self.status, self.code, self.words = status, code, words


@dataclass
class Entry:
    """A to-do; `seen_at` is the place of its last change in the feed."""

    id: str
    ref: str
    rev: int
    touched: str
    fields: dict[str, Any]

    def state(self) -> dict[str, Any]:
        return {"id": self.id, "rev": self.rev, "touched": self.touched}


@dataclass
class EntryList:
    """A list: its entries by id, and the ids that changed, in order."""

    id: str
    label: str
    shade: str = "#7a3b69"
    mine: bool = True
    entries: dict[str, Entry] = field(default_factory=dict)
    feed: list[str] = field(default_factory=list)
    # Cursors begin with it; another one ends them all.
    era: str = field(default_factory=lambda: secrets.token_hex(4))


class Bramble(ApiServer):
    """Accounts with lists; a key opens an account."""

    def __init__(self) -> None:
        super().__init__()
        self.lists: dict[str, dict[str, EntryList]] = {}
        self._seconds = itertools.count()
        self._verbs: dict[str, dict[str, Callable[..., Reply]]] = {
            r"/v1/lists": {"GET": self._list_lists},
            r"/v1/lists/([^/]+)/entries": {"GET": self._list_entries, "POST": self._make},
            r"/v1/lists/([^/]+)/feed": {"GET": self._tell_changes},
            r"/v1/lists/([^/]+)/lookup": {"POST": self._look_up},
            r"/v1/lists/([^/]+)/entries/([^/]+)": {"PATCH": self._change, "DELETE": self._remove},
        }

    # -- for tests, as another client --------------------------------------------------------------
    def new_list(self, account: str, label: str, **more: Any) -> EntryList:
        with self.lock:
            made = EntryList(f"L{secrets.token_urlsafe(9)}", label, **more)
            self.lists.setdefault(account, {})[made.id] = made
            return made

    def put(self, here: EntryList, entry_id: str = "", **fields: Any) -> str:
        """Make an entry, or change one; return its id."""
        with self.lock:
            if entry_id:
                self._save(here, here.entries[entry_id], fields)
                return entry_id
            return self._new(here, "", fields).id

    def take_out(self, here: EntryList, entry_id: str) -> None:
        with self.lock:
            del here.entries[entry_id]
            here.feed.append(entry_id)

    def end_cursors(self, here: EntryList) -> None:
        with self.lock:
            here.era = secrets.token_hex(4)

    # -- answering ---------------------------------------------------------------------------------
    def error(self, status: int, code: str, words: str) -> Reply:
        return Reply(status, {"error": code, "words": words})

    def answer(self, call: Call) -> Reply:
        token = self.token_of(call)
        if token is None:
            return self.error(401, "no_key", "This key opens nothing.")
        call.account = token.account
        if self.must_wait(call.account):
            reply = self.error(429, "slow_down", "You ask too often.")
            reply.headers["Retry-After"] = self.retry_after
            return reply
        try:
            return self._route(call)
        except RefusedError as refused:
            return self.error(refused.status, refused.code, refused.words)

    def _route(self, call: Call) -> Reply:
        parts = call.parts()
        for pattern, verbs in self._verbs.items():
            if re.fullmatch(pattern, call.raw_path):
                if call.method not in verbs:
                    raise RefusedError(405, "no_verb", call.method)
                return verbs[call.method](call, *parts[2:3], *parts[4:5])
        raise RefusedError(404, "no_path", call.path)

    def _list_lists(self, call: Call) -> Reply:
        asked(call, "page")
        rows = [
            {"id": one.id, "label": one.label, "shade": one.shade, "mine": one.mine}
            for one in self.lists.get(call.account, {}).values()
        ]
        first, after = page_of(call)
        some = rows[first : first + PAGE]
        return Reply(body={"lists": some, "next": after if len(rows) > first + PAGE else None})

    def _list_entries(self, call: Call, list_id: str) -> Reply:
        here = self._here(call, list_id)
        given = asked(call, "page")
        # A page says where it begins, and as of when the first one was handed out.
        after, _, cursor = given.get("page", "").partition(" ")
        cursor = cursor or cursor_at(here, len(here.feed))
        if not cursor.startswith(here.era):
            raise RefusedError(410, "page_expired")
        ids = [each for each in sorted(here.entries) if each > after]
        some = [here.entries[each].state() for each in ids[:PAGE]]
        following = f"{ids[PAGE - 1]} {cursor}" if len(ids) > PAGE else None
        return Reply(body={"entries": some, "next": following, "cursor": cursor})

    def _tell_changes(self, call: Call, list_id: str) -> Reply:
        here = self._here(call, list_id)
        era, _, place = asked(call, "cursor").get("cursor", "").partition(".")
        if not place.isdecimal() or not place.isascii():
            raise RefusedError(400, "bad_cursor")
        if era != here.era or int(place) > len(here.feed):
            raise RefusedError(410, "cursor_expired")
        start = int(place)
        some = dict.fromkeys(here.feed[start : start + PAGE])
        told = [
            here.entries[each].state() if each in here.entries else {"id": each, "gone": True}
            for each in some
        ]
        end = min(start + PAGE, len(here.feed))
        more = end < len(here.feed)
        return Reply(body={"entries": told, "cursor": cursor_at(here, end), "more": more})

    def _look_up(self, call: Call, list_id: str) -> Reply:
        here = self._here(call, list_id)
        asked(call)
        ids = body_of(call, {"ids": lambda value: isinstance(value, list)})["ids"]
        if not 0 < len(ids) <= MOST_IDS:
            raise RefusedError(422, "too_many", f"{MOST_IDS} at the most")
        there = [here.entries[each] for each in ids if each in here.entries]
        return Reply(body={"entries": [{**e.state(), "ref": e.ref, **e.fields} for e in there]})

    def _make(self, call: Call, list_id: str) -> Reply:
        here = self._writable(call, list_id)
        asked(call)
        given = body_of(call, {**checks(), "ref": is_text(LONGEST_REF)}, needs={"text"})
        ref = given.pop("ref", "")
        if any(each.ref == ref for each in here.entries.values()):
            raise RefusedError(409, "ref_taken", ref)
        made = self._new(here, ref, given)
        return Reply(201, {"id": made.id, "rev": made.rev})

    def _change(self, call: Call, list_id: str, entry_id: str) -> Reply:
        here = self._writable(call, list_id)
        asked(call)
        forms = {"rev": is_number, "set": lambda value: isinstance(value, dict)}
        given = body_of(call, forms, needs={"set"})
        check(given["set"], checks())
        entry = self._entry(here, entry_id, given.get("rev"))
        self._save(here, entry, given["set"])
        return Reply(body={"id": entry.id, "rev": entry.rev})

    def _remove(self, call: Call, list_id: str, entry_id: str) -> Reply:
        here = self._writable(call, list_id)
        given = asked(call, "rev")
        if call.body:
            raise RefusedError(422, "body", "none is read here")
        self._entry(here, entry_id, number(given["rev"]) if "rev" in given else None)
        self.take_out(here, entry_id)
        return Reply(204)

    # -- what there is -----------------------------------------------------------------------------
    def _here(self, call: Call, list_id: str) -> EntryList:
        found = self.lists.get(call.account, {}).get(list_id)
        if found is None:
            raise RefusedError(404, "no_list", list_id)
        return found

    def _writable(self, call: Call, list_id: str) -> EntryList:
        here = self._here(call, list_id)
        if not here.mine:
            raise RefusedError(403, "not_yours", here.label)
        return here

    def _entry(self, here: EntryList, entry_id: str, rev: int | None) -> Entry:
        entry = here.entries.get(entry_id)
        if entry is None:
            raise RefusedError(404, "no_entry", entry_id)
        if rev is not None and rev != entry.rev:
            raise RefusedError(409, "stale_rev", str(entry.rev))
        return entry

    def _new(self, here: EntryList, ref: str, given: dict[str, Any]) -> Entry:
        # Ids say nothing, not even what came first.
        made = Entry(secrets.token_urlsafe(9), ref or secrets.token_urlsafe(12), 0, "", {})
        here.entries[made.id] = made
        self._save(here, made, {name: usual for name, (_fit, usual) in FIELDS.items()} | given)
        return made

    def _save(self, here: EntryList, entry: Entry, given: dict[str, Any]) -> None:
        minutes, seconds = divmod(next(self._seconds), 60)
        entry.fields |= given
        entry.rev += 1
        entry.touched = f"2026-03-01T{minutes // 60:02}:{minutes % 60:02}:{seconds:02}Z"
        here.feed.append(entry.id)


def cursor_at(here: EntryList, place: int) -> str:
    return f"{here.era}.{place}"


def asked(call: Call, *known: str) -> dict[str, str]:
    """Return the query; nothing but what is known, and once."""
    given = dict(call.query)
    if len(given) < len(call.query) or not set(given) <= set(known):
        raise RefusedError(400, "bad_query", call.raw_path)
    return given


def page_of(call: Call) -> tuple[int, str]:
    first = number(dict(call.query).get("page", "0"))
    return first, str(first + PAGE)


def number(said: str) -> int:
    if not (said.isascii() and said.isdecimal()):
        raise RefusedError(400, "no_number", said)
    return int(said)


def is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def checks() -> dict[str, Callable[[Any], bool]]:
    return {name: is_fit for name, (is_fit, _usual) in FIELDS.items()}


def body_of(
    call: Call, known: Mapping[str, Callable[[Any], bool]], needs: set[str] | None = None
) -> dict[str, Any]:
    """Return the JSON object of a call, checked."""
    if call.headers.get("content-type") != "application/json":
        raise RefusedError(415, "no_json")
    try:
        given = json.loads(call.body)
    except ValueError as error:
        raise RefusedError(400, "no_json") from error
    if not isinstance(given, dict):
        raise RefusedError(400, "no_object")
    check(given, known)
    if missing := (needs or set()) - given.keys():
        raise RefusedError(422, "missing", ", ".join(missing))
    return given


def check(given: Mapping[str, Any], known: Mapping[str, Callable[[Any], bool]]) -> None:
    for name, value in given.items():
        if name not in known:
            raise RefusedError(422, "no_field", name)
        if not known[name](value):
            raise RefusedError(422, "unfit", name)
