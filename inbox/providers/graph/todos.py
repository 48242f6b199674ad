"""To-dos in Microsoft To Do: told by their changes, fetched, and changed field by field."""

from collections.abc import Iterator, Sequence

from inbox.providers.change_store import (
    LARGEST_ITEM,
    Applied,
    Change,
    Collection,
    Item,
    ItemChangedError,
    ItemRefusedError,
    Put,
    Remove,
)
from inbox.providers.graph.answers import Json, etag
from inbox.providers.graph.asking import GraphApi, query
from inbox.providers.graph.tasks import (
    Task,
    body_of,
    link,
    link_of,
    read_calendar,
    read_task,
    said_at,
    write_calendar,
)
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import text_of
from inbox.providers.http.reading import entries_of
from inbox.reasons import of_error
from inbox.reasons import phrase as _

_WHOLE = query({"$expand": "linkedResources"})
_SAID = ("title", "body", "status", "importance", "dueDateTime", "completedDateTime")


class Todos:
    """The to-dos of an account."""

    def __init__(self, api: GraphApi) -> None:
        self._api = api
        self._known: dict[str, frozenset[str]] = {}

    def fetch(self, collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the to-dos that are still there."""
        ids = list(dict.fromkeys(ids))
        paths = [f"{_path(collection, each)}?{_WHOLE}" for each in ids]
        for id_, got in zip(ids, self._api.batch(paths), strict=True):
            if got.status == 200:
                raw = write_calendar(read_task(got.fields), said_at(got.fields))
                if len(raw) <= LARGEST_ITEM:
                    yield Item(id_, etag(got.fields), raw)

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change; raises ItemChangedError, ItemRefusedError."""
        match change:
            case Put(id=""):
                return self._create(collection, change)
            case Put():
                return self._update(collection, change, if_match)
            case Remove():
                return self._remove(collection, change, if_match)
        raise ItemRefusedError(_("A to-do is not moved."))

    def _create(self, collection: Collection, change: Put) -> Applied:
        task = _task(change.raw)
        known = self._names(collection)
        if task.uid in known:
            raise ItemChangedError
        body = {"title": "-", **body_of(task, Task("")), "linkedResources": [_link(task)]}
        # Where no answer comes it may have been made.
        del self._known[collection.id]
        made = self._api.change("POST", list_of(collection), body)
        self._known[collection.id] = known | {task.uid}
        return Applied(text_of(made, "id"), "")

    def _names(self, collection: Collection) -> frozenset[str]:
        """Return our names of the to-dos of a list: To Do does not look for them."""
        if collection.id not in self._known:
            options = {"$expand": "linkedResources", "$top": "100"}
            pages = self._api.pages(f"{list_of(collection)}?{query(options)}")
            found = (
                one for page in pages for one in entries_of(page, "value", "id", required=True)
            )
            self._known[collection.id] = frozenset(read_task(one).uid for one in found)
        return self._known[collection.id]

    def _update(self, collection: Collection, change: Put, if_match: str) -> Applied:
        path = _path(collection, change.id)
        found = self._api.find(f"{path}?{_WHOLE}")
        if found is None or (if_match and etag(found) != if_match):
            raise ItemChangedError
        task, before = _task(change.raw), read_task(found)
        # First what is kept beside: of a day that To Do does not have yet it says nothing.
        kept = self._keep(path, found, task, before)
        there = self._still(path, found) if kept else found
        if body := body_of(task, before):
            self._api.change("PATCH", path, body, etag(there))
        return Applied(change.id, "")

    def _keep(self, path: str, found: Json, task: Task, before: Task) -> bool:
        """Keep what To Do does not, where there is such; return whether there was."""
        wanted, there = _link(task), link_of(found)
        if there and text_of(there, "externalId") != wanted["externalId"]:
            at = f"{path}/linkedResources/{part(text_of(there, 'id'))}"
            self._api.change("PATCH", at, {"externalId": wanted["externalId"]})
            return True
        if not there and wanted["externalId"] != _link(Task(before.uid))["externalId"]:
            self._api.change("POST", f"{path}/linkedResources", wanted)
            return True
        return False

    def _still(self, path: str, before: Json) -> Json:
        """Return a to-do that says what it did; raises ItemChangedError for another."""
        found = self._api.find(path)
        if found is None or any(found.get(name) != before.get(name) for name in _SAID):
            raise ItemChangedError
        return found

    def _remove(self, collection: Collection, change: Remove, if_match: str) -> Applied:
        path = _path(collection, change.id)
        found = self._api.find(path)
        if found is not None:
            if if_match and etag(found) != if_match:
                raise ItemChangedError
            self._api.change("DELETE", path, etag=etag(found))
        return Applied(change.id, "")


def _task(raw: bytes) -> Task:
    try:
        return read_calendar(raw)
    except (ValueError, OverflowError) as error:
        words = _("The server does not take it: %(why)s.", why=of_error(error))
        raise ItemRefusedError(words) from error


def _link(task: Task) -> dict[str, str]:
    try:
        return link(task)
    except ValueError as error:
        words = _("The server does not take it: %(why)s.", why=of_error(error))
        raise ItemRefusedError(words) from error


def list_of(collection: Collection) -> str:
    """Return where the to-dos of a list are."""
    return f"/me/todo/lists/{part(collection.id)}/tasks"


def _path(collection: Collection, id_: str) -> str:
    return f"{list_of(collection)}/{part(id_)}"
