"""Lists of to-dos at Google: told apart by when each was changed, for there are no sync tokens.

Whoever asks for what changed since a moment is told the newest once more, and what was changed on
another machine may come late: so a position goes back a little, and names what was told since.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self, TypeAlias

from inbox.providers.change_store import (
    MOST_ITEMS,
    Applied,
    Change,
    Changes,
    Collection,
    Entry,
    Item,
    ItemChangedError,
    ItemRefusedError,
    Put,
    Remove,
)
from inbox.providers.google.asking import GoogleApi, fields_of, refused_change
from inbox.providers.google.task_format import (
    SaidTask,
    body_of,
    difference,
    key_of,
    mark_of,
    marked,
    notes_of,
    write_task,
)
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import text_of
from inbox.providers.http.reading import entries_of
from inbox.providers.mail_store import StoreError
from inbox.reasons import of_error
from inbox.reasons import phrase as _

Task: TypeAlias = dict[str, Any]
_LISTED = {"maxResults": 100, "showHidden": "true", "showCompleted": "true"}
_OVERLAP = timedelta(minutes=2)
# After so long everything is read: for how long Google tells of what was deleted, it does not say.
_LONGEST = timedelta(days=1)
# So many a position names.
_MOST_NAMED = 2_000
# So few are read one by one; for more the whole list is.
_FEW = 5
_GONE = frozenset({404, 410})


@dataclass(frozen=True, slots=True)
class Position:
    """How far we have read: `since` and `whole_at` as RFC 3339, `told` the etags told by id."""

    since: str
    whole_at: str
    told: Mapping[str, str]

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Return what was written; None where it is none of ours, or too old."""
        try:
            given = json.loads(text)
            since, whole_at = str(given["since"]), datetime.fromisoformat(given["whole_at"])
            told = {str(key): str(etag) for key, etag in given["told"].items()}
            datetime.fromisoformat(since)
            is_old = not timedelta() <= datetime.now(UTC) - whole_at < _LONGEST
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None
        return None if is_old else cls(since, given["whole_at"], told)

    def write(self) -> str:
        """Return it as text."""
        return json.dumps(asdict(self))

    def after(self, found: Sequence[Task]) -> Self:
        """Return the position once all that changed since this one was told."""
        try:
            last = datetime.fromisoformat(max(text_of(it, "updated") for it in found))
            since = max(_said(last - _OVERLAP), self.since)
        except (ValueError, OverflowError):
            return self
        recent = [it for it in found if text_of(it, "updated") >= since]
        told = {text_of(it, "id"): text_of(it, "etag") for it in recent[-_MOST_NAMED:]}
        return replace(self, since=since, told=told)


@dataclass(slots=True)
class _List:
    """A list as far as it was read: its to-dos by their id, and since when to ask again."""

    position: Position
    tasks: dict[str, Task] = field(default_factory=dict)


class TaskStore:
    """The lists of to-dos of a source."""

    def __init__(self, api: GoogleApi) -> None:
        self._api = api
        self._lists: dict[str, _List] = {}
        # What was made here, by its UID; the id is kept once it is asked for.
        self._made: dict[str, str] = {}

    # -- changes -----------------------------------------------------------------------------------
    def changes(self, collection: Collection, position: str) -> Changes:
        """Return what changed since a position, the whole where it is old or not known."""
        known = Position.read(position)
        if known is None:
            whole = self._load(collection)
            present = tuple(map(_entry, whole.tasks.values()))
            if len(present) > MOST_ITEMS:
                words = _("It holds more than %(most)s items.", most=f"{MOST_ITEMS:,}")
                raise StoreError("permanent", words)
            return Changes(present, (), whole.position.write(), is_whole=True)
        found = self._since(collection, known)
        news = [it for it in found if known.told.get(text_of(it, "id")) != text_of(it, "etag")]
        gone = tuple(text_of(it, "id") for it in news if it.get("deleted") is True)
        present = tuple(_entry(it) for it in news if it.get("deleted") is not True)
        return Changes(present, gone, known.after(found).write())

    def _load(self, collection: Collection) -> _List:
        started = _said(datetime.now(UTC))
        found = self._listed(collection, {})
        position = Position("1970-01-01T00:00:00.000Z", started, {}).after(found)
        whole = _List(position, {text_of(it, "id"): it for it in found})
        self._lists[collection.id] = whole
        return whole

    def _since(self, collection: Collection, position: Position) -> list[Task]:
        return self._listed(collection, {"updatedMin": position.since, "showDeleted": "true"})

    def _listed(self, collection: Collection, query: Mapping[str, str]) -> list[Task]:
        found: list[Task] = []
        for page in self._api.pages(_path(collection), {**_LISTED, **query}):
            found += [dict(it) for it in entries_of(page, "items", "id")]
            if len(found) > 2 * MOST_ITEMS:
                words = _("It holds more than %(most)s items.", most=f"{MOST_ITEMS:,}")
                raise StoreError("permanent", words)
        return found

    def _fresh(self, collection: Collection) -> dict[str, Task]:
        """Return the list as it is now."""
        known = self._lists.get(collection.id)
        if known is None:
            return self._load(collection).tasks
        found = self._since(collection, known.position)
        for task in found:
            if task.get("deleted") is True:
                known.tasks.pop(text_of(task, "id"), None)
            else:
                known.tasks[text_of(task, "id")] = task
        known.position = known.position.after(found)
        return known.tasks

    # -- items -------------------------------------------------------------------------------------
    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the to-dos that are still there."""
        tasks = self._fresh(collection) if len(ids) > _FEW else None
        for key in ids:
            task = tasks.get(key) if tasks is not None else self._task(collection, key)
            if task is not None:
                task = self._without_mark(collection, task)
                yield Item(key, text_of(task, "etag"), write_task(task))

    def _task(self, collection: Collection, key: str) -> Task | None:
        answer = self._api.ask("GET", f"{_path(collection)}/{part(key)}")
        if answer.status in _GONE:
            self._check_list(collection)
            return None
        task = fields_of(answer)
        return None if task.get("deleted") is True else task

    def _check_list(self, collection: Collection) -> None:
        """Raise StoreError (`gone`) where it is the list that is not there any more."""
        self._api.get(_path(collection), {"maxResults": 1})

    def _without_mark(self, collection: Collection, task: Task) -> Task:
        """Return a to-do without the line under which it was made here: its id is kept by now."""
        key = text_of(task, "id")
        if not mark_of(task) or key not in self._made.values():
            return task
        path = f"{_path(collection)}/{part(key)}"
        body = {"notes": notes_of(task) or None}
        answer = self._api.ask("PATCH", path, fields=body, if_match=text_of(task, "etag"))
        return fields_of(answer) if answer.is_good else task

    # -- changing ----------------------------------------------------------------------------------
    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change; raises ItemChangedError, ItemRefusedError or StoreError."""
        if isinstance(change, Remove):
            return self._remove(collection, change.id, if_match)
        if not isinstance(change, Put):
            raise ItemRefusedError(_("Only files can be moved."))
        try:
            said = SaidTask.read(change.raw)
        except ValueError as error:
            words = _("The server does not take it: %(why)s.", why=of_error(error))
            raise ItemRefusedError(words) from error
        if not change.id:
            return self._create(collection, said)
        return self._replace(collection, change.id, said, if_match)

    def _create(self, collection: Collection, said: SaidTask) -> Applied:
        there = self._fresh(collection).values()
        if said.uid in self._made or any(mark_of(it) == said.uid for it in there):
            raise ItemChangedError
        body = body_of(said)
        body["notes"] = marked(said.notes, said.uid)
        parent = self._parent(collection, said.parent)
        query = {"parent": parent} if parent else None
        answer = self._api.ask("POST", _path(collection), query, body)
        key = text_of(_done(answer), "id")
        self._made[said.uid] = key
        return Applied(key, "")

    def _replace(self, collection: Collection, key: str, said: SaidTask, if_match: str) -> Applied:
        task = self._task(collection, key)
        if task is None or (if_match and text_of(task, "etag") != if_match):
            raise ItemChangedError
        path, before = f"{_path(collection)}/{part(key)}", SaidTask.read(write_task(task))
        body = difference(before, said)
        if mark_of(task):
            body.setdefault("notes", said.notes or None)
        if body:
            answer = self._api.ask("PATCH", path, fields=body, if_match=text_of(task, "etag"))
            if answer.status == 412 or answer.status in _GONE:
                raise ItemChangedError
            _done(answer)
        parent = self._parent(collection, said.parent)
        if parent != text_of(task, "parent"):
            query = {"parent": parent} if parent else None
            _done(self._api.ask("POST", f"{path}/move", query))
        return Applied(key, "")

    def _parent(self, collection: Collection, uid: str) -> str:
        """Return the id of what a to-do is a part of; empty for none, and for what is not there."""
        if not uid:
            return ""
        if key := key_of(uid) or self._made.get(uid, ""):
            return key
        there = self._fresh(collection).values()
        return next((text_of(it, "id") for it in there if mark_of(it) == uid), "")

    def _remove(self, collection: Collection, key: str, if_match: str) -> Applied:
        task = self._task(collection, key)
        if task is None:
            return Applied(key, "")
        if if_match and text_of(task, "etag") != if_match:
            raise ItemChangedError
        path = f"{_path(collection)}/{part(key)}"
        answer = self._api.ask("DELETE", path, if_match=if_match)
        if answer.status == 412:
            raise ItemChangedError
        if answer.status not in _GONE:
            _done(answer)
        return Applied(key, "")


def _path(collection: Collection) -> str:
    return f"/tasks/v1/lists/{part(collection.id)}/tasks"


def _entry(task: Task) -> Entry:
    try:
        updated = datetime.fromisoformat(text_of(task, "updated"))
    except ValueError:
        updated = None
    is_known = updated is not None and updated.tzinfo is not None
    return Entry(text_of(task, "id"), text_of(task, "etag"), updated if is_known else None)


def _done(answer: Any) -> dict[str, Any]:
    if not answer.is_good:
        raise refused_change(answer)
    return fields_of(answer)


def _said(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
