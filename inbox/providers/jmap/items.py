"""Objects of one type that make up a collection (RFC 8620 5): listed, fetched, and changed.

The state of a type is one for the whole account, and says nothing of a single object. So a change
is made only while the state is still that in which the object was found to be as we know it.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

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
from inbox.providers.http.json_values import text_of
from inbox.providers.http.reading import LongAnswerError
from inbox.providers.jmap import objects
from inbox.providers.jmap.api import JmapApi, MethodError
from inbox.providers.jmap.patches import Call
from inbox.providers.mail_store import StoreError
from inbox.reasons import of_error, own
from inbox.reasons import phrase as _

Json: TypeAlias = Mapping[str, Any]
Found = TypeVar("Found")
# So many objects are asked for at once, and so often something is tried over a state that moved on.
_PAGE, _TRIES = 200, 8
# A state of another server or time: Cyrus says that of one that it cannot read.
_FORGOTTEN = frozenset({"cannotCalculateChanges", "invalidArguments"})
# What a whole call is not run for, though smaller ones might be.
_ABOUT_ITEM = frozenset({"requestTooLarge", "invalidArguments"})
_NAMED = ("created", "updated")


class ObjectType(Protocol):
    """A type of objects as a server has it, and what its objects are in the field's own format."""

    @property
    def name(self) -> str:
        """How its methods name it."""
        ...

    @property
    def account(self) -> str:
        """The account in which its objects lie."""
        ...

    @property
    def state_properties(self) -> Sequence[str] | None:
        """What tells one state of an object from another; None: all that it says."""
        ...

    @property
    def set_arguments(self) -> Json:
        """What else is said to a `set`."""
        ...

    @property
    def set_headers(self) -> Mapping[str, str]:
        """What is said in the header of such a request."""
        ...

    def is_there(self, collection: Collection) -> Call | None:
        """Return a call that answers with a collection; None where it is the whole account."""
        ...

    def lies_in(self, found: Json, collection: Collection) -> bool:
        """Return True if an object lies in a collection."""
        ...

    def write(self, found: Json) -> bytes:
        """Return an object in the field's own format."""
        ...

    def same_uid(self, uid: str) -> Call:
        """Return a call that answers with the ids or objects of a UID."""
        ...

    def made(self, change: Put, collection: Collection) -> tuple[str, dict[str, Any]]:
        """Return a UID and a new object; raises ValueError for what cannot be said of it."""
        ...

    def patch(self, found: Json, raw: bytes) -> dict[str, Any]:
        """Return what has to change of an object (RFC 8620 5.3); raises ValueError."""
        ...

    def taken_out(self, found: Json, collection: Collection) -> dict[str, Any] | None:
        """Return what takes an object out of a collection; None: it is to be destroyed."""
        ...


class _StateMovedError(Exception):
    """Something else changed meanwhile: whatever was found out is to be found out anew."""


class Items:
    """The objects of a type, as the items of a collection."""

    def __init__(self, api: JmapApi, kind: ObjectType) -> None:
        self._api, self._kind = api, kind
        self._page = min(_PAGE, api.resource.most_in_get)

    # -- listing -----------------------------------------------------------------------------------
    def changes(self, collection: Collection, position: str) -> Changes:
        """Return a page of what changed since a position, or the whole."""
        state = _state_of(position)
        if state:
            try:
                return self._in_reach(partial(self._since, collection, state))
            except MethodError as error:
                if error.type not in _FORGOTTEN:
                    raise error.as_store_error() from error
        for _number in range(_TRIES):
            try:
                return self._whole(collection)
            except _StateMovedError:
                continue
        raise StoreError("transient", _("The server's list of changes does not end."))

    def _since(self, collection: Collection, state: str, page: int) -> Changes:
        asked = {"sinceState": state, "maxChanges": max(page // 2, 1)}
        calls = [self._method("changes", asked, "changes")]
        calls += [self._states(name, "changes", f"/{name}") for name in _NAMED]
        answers = self._ask(*calls, *self._check(collection))
        told = answers["changes"]
        found = [one for name in _NAMED for one in objects.listed(answers[name])]
        present = {entry.id: entry for entry in self._entries(found, collection)}
        named = {one for name in (*_NAMED, "destroyed") for one in objects.ids(told, name)}
        return Changes(
            tuple(present.values()), tuple(sorted(named - present.keys())),
            _position(_new_state(told, "newState")), more=told.get("hasMoreChanges") is True,
        )  # fmt: skip

    def _whole(self, collection: Collection) -> Changes:
        """Return all there is, as of the state before; raises _StateMovedError."""
        answers = self._run(
            self._method("get", {"ids": [], "properties": ["id"]}, "now"), *self._check(collection)
        )
        state, present = _new_state(answers["now"], "state"), dict[str, Entry]()
        at, query_state = 0, ""
        while True:
            told, found, limit = self._in_reach(partial(self._list, at))
            ids = objects.ids(told, "ids")
            if query_state and told.get("queryState") != query_state:
                raise _StateMovedError
            query_state = text_of(told, "queryState")
            present |= {entry.id: entry for entry in self._entries(found, collection)}
            at += len(ids)
            if at > MOST_ITEMS:
                words = _("It holds more than %(most)s items.", most=f"{MOST_ITEMS:,}")
                raise StoreError("permanent", words)
            # A server may give less than was asked for, and then says so (RFC 8620 5.5).
            if not ids or (len(ids) < limit and "limit" not in told):
                return Changes(tuple(present.values()), (), _position(state), is_whole=True)

    def _list(self, at: int, page: int) -> tuple[Json, list[dict[str, Any]], int]:
        listing = self._method("query", {"position": at, "limit": page}, "list")
        answers = self._run(listing, self._states("states", "list", "/ids", "query"))
        return answers["list"], objects.listed(answers["states"]), page

    def _states(self, key: str, of: str, path: str, method: str = "changes") -> Call:
        there = {"resultOf": of, "name": f"{self._kind.name}/{method}", "path": path}
        return self._method("get", {"#ids": there, "properties": self._properties}, key)

    @property
    def _properties(self) -> list[str] | None:
        asked = self._kind.state_properties
        return None if asked is None else ["id", *asked]

    def _check(self, collection: Collection) -> list[Call]:
        check = self._kind.is_there(collection)
        return [check] if check else []

    def _entries(self, found: Sequence[Json], collection: Collection) -> Iterator[Entry]:
        for one in found:
            if self._kind.lies_in(one, collection):
                yield Entry(str(one["id"]), self._etag(one))

    def _etag(self, found: Json) -> str:
        """Return what is the same as long as an object is, for JMAP has no such name itself."""
        names = self._kind.state_properties
        said = found if names is None else {name: found.get(name) for name in names}
        written = json.dumps(said, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:40]

    # -- fetching ----------------------------------------------------------------------------------
    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the items that are still there."""
        ids, at = list(dict.fromkeys(ids)), 0
        while at < len(ids):
            try:
                asked, found = self._in_reach(partial(self._get, ids[at:]))
            except LongAnswerError:
                # One alone is longer than may be read.
                asked, found = 1, []
            at += asked
            for one in found:
                if not self._kind.lies_in(one, collection):
                    continue
                if len(raw := self._kind.write(one)) <= LARGEST_ITEM:
                    yield Item(str(one["id"]), self._etag(one), raw)

    def _get(self, ids: Sequence[str], page: int) -> tuple[int, list[dict[str, Any]]]:
        some = list(ids[:page])
        answers = self._run(self._method("get", {"ids": some}, "items"))
        wanted = {*some}
        found = [one for one in objects.listed(answers["items"]) if one["id"] in wanted]
        return len(some), found

    def _in_reach(self, ask: Callable[[int], Found]) -> Found:
        """Ask for so many at once, and for fewer where that is too much for one answer."""
        page = self._page
        while True:
            try:
                return ask(page)
            except LongAnswerError:
                if page == 1:
                    raise
                page = self._page = max(page // 4, 1)

    # -- changing ----------------------------------------------------------------------------------
    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change; raises ItemChangedError, ItemRefusedError or StoreError."""
        if isinstance(change, Move):
            raise ItemRefusedError(_("Only files can be moved."))
        for _number in range(_TRIES):
            try:
                match change:
                    case Put(id=""):
                        return self._create(collection, change)
                    case Put():
                        return self._update(collection, change, if_match)
                    case Remove():
                        return self._remove(collection, change, if_match)
            except _StateMovedError:
                continue
            except ValueError as error:
                raise _refused(of_error(error)) from error
        raise StoreError(
            "transient", _("The server has changed there meanwhile; it is tried again.")
        )

    def _create(self, collection: Collection, change: Put) -> Applied:
        uid, made = self._kind.made(change, collection)
        answers = self._run(
            self._method("get", {"ids": [], "properties": ["id"]}, "now"),
            self._kind.same_uid(uid), *self._check(collection),
        )  # fmt: skip
        same = answers["same"]
        if objects.ids(same, "ids") if "ids" in same else objects.listed(same):
            raise ItemChangedError
        state = _new_state(answers["now"], "state")
        answer = self._set({"create": {"new": made}}, state)
        error = objects.refusals(answer, "notCreated").get("new")
        if error is not None:
            raise _refused(error.words, error.reply) from error
        id_ = objects.created(answer, "new").get("id")
        if not objects.is_id(id_):
            raise StoreError("transient", _("The server does not say what it made."))
        return Applied(str(id_), "")

    def _update(self, collection: Collection, change: Put, if_match: str) -> Applied:
        found, state = self._find(collection, change.id)
        if found is None or (if_match and self._etag(found) != if_match):
            raise ItemChangedError
        if patch := self._kind.patch(found, change.raw):
            self._set_one({"update": {change.id: patch}}, state, "notUpdated", change.id)
        return Applied(change.id, "")

    def _remove(self, collection: Collection, change: Remove, if_match: str) -> Applied:
        found, state = self._find(collection, change.id)
        if found is None:
            return Applied(change.id, "")
        if if_match and self._etag(found) != if_match:
            raise ItemChangedError
        patch = self._kind.taken_out(found, collection)
        if patch is None:
            self._set_one({"destroy": [change.id]}, state, "notDestroyed", change.id)
        else:
            self._set_one({"update": {change.id: patch}}, state, "notUpdated", change.id)
        return Applied(change.id, "")

    def _find(self, collection: Collection, id_: str) -> tuple[Json | None, str]:
        """Return an object, None where it is not in the collection, and the state."""
        answers = self._run(self._method("get", {"ids": [id_]}, "item"))
        state = _new_state(answers["item"], "state")
        listed = objects.listed(answers["item"])
        found = next((one for one in listed if one["id"] == id_), None)
        if found is None or not self._kind.lies_in(found, collection):
            return None, state
        return found, state

    def _set_one(self, asked: Json, state: str, told: str, id_: str) -> None:
        error = objects.refusals(self._set(asked, state), told).get(id_)
        if error is None:
            return
        if error.kind == "gone":
            # It went in this moment; to have removed what is gone is found out by looking again.
            raise _StateMovedError from error
        raise _refused(error.words, error.reply) from error

    def _set(self, asked: Json, state: str) -> dict[str, Any]:
        """Change something if the state is still this one; raises _StateMovedError."""
        arguments = {**self._kind.set_arguments, **asked, "ifInState": state}
        if not self._api.fits(arguments):
            raise _refused(_("It is too large."))
        try:
            return self._ask(self._method("set", arguments, "set"))["set"]
        except MethodError as error:
            if error.type == "stateMismatch":
                raise _StateMovedError from error
            if error.type in _ABOUT_ITEM:
                raise _refused(own(error.type), str(error)[:400]) from error
            raise error.as_store_error() from error

    # -- asking ------------------------------------------------------------------------------------
    def _method(self, method: str, arguments: Json, key: str) -> Call:
        said = {"accountId": self._kind.account, **arguments}
        return f"{self._kind.name}/{method}", said, key

    def _ask(self, *calls: Call) -> dict[str, dict[str, Any]]:
        """Return the answers; raises MethodError, and StoreError (`gone` with the collection)."""
        headers = self._kind.set_headers if calls[0][0].endswith("/set") else {}
        answers = self._api.call(*calls, headers=headers)
        if "there" in answers and not objects.listed(answers["there"]):
            raise StoreError("gone", _("The server does not have it any more."))
        return answers

    def _run(self, *calls: Call) -> dict[str, dict[str, Any]]:
        try:
            return self._ask(*calls)
        except MethodError as error:
            raise error.as_store_error() from error


def _refused(words: Any, reply: str = "") -> ItemRefusedError:
    return ItemRefusedError(_("The server does not take it: %(why)s.", why=words), reply)


def _new_state(told: Json, name: str) -> str:
    state = text_of(told, name)
    if not state:
        raise StoreError("transient", _("The server does not tell the state of what it has."))
    return state


def _position(state: str) -> str:
    return json.dumps({"state": state})


def _state_of(position: str) -> str:
    """Return the state of a position; empty where it is none of ours."""
    try:
        found = json.loads(position or "{}")
    except (ValueError, RecursionError):
        return ""
    return text_of(found, "state") if isinstance(found, dict) else ""
