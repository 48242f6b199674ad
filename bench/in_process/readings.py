"""Every reading there is, on what `furnish` wrote: which calls, their times and statements.

Reads names of calls, one a line, and answers each with a line of JSON, so that whoever asks can ask
two databases by turns. `--list` prints the names.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.utils import timezone
from django_filters import BooleanFilter, IsoDateTimeFilter, NumberFilter

from agents.contracts import REGISTRY, RESOURCES
from agents.dispatching.actors import current_actor
from agents.dispatching.dispatch import call
from agents.lists import pages
from agents.lists.filters import IdFilter, MessageIdFilter, OneOf
from agents.models import Agent
from agents.resources import COLLECTIONS, Collection
from bench.in_process.furnish import FOLDERS, READER
from inbox.actor import Actor
from inbox.models import Account, FileNode, Inbox, Message, Thread

_WORD, _RARE = "bacedi", "wovite"
_LONG_AGO = datetime(2024, 1, 1, tzinfo=UTC)
_NOTHING = "nothing-has-this"


@dataclass
class Calls:
    """The calls by what they are called; each is a tool's name and its arguments."""

    account: Account = field(default_factory=Account.objects.get)
    actor: Actor = field(default_factory=lambda: current_actor(Agent.objects.get(name=READER)))

    def all(self) -> dict[str, tuple[Any, str, dict[str, Any]]]:
        """Return every call: of the operations, then of the collections."""
        found = {name: (REGISTRY, tool, given) for name, tool, given in self._operations()}
        for collection in COLLECTIONS.values():
            for name, given in self._lists(collection):
                found[f"/{collection.noun}{name}"] = (RESOURCES, collection.lists, given)
        return found

    def _operations(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        account = {"account_id": self.account.public_id}
        for folder in (*FOLDERS, "drafts"):
            role = {"trash": "deleted"}.get(folder, folder)
            yield f"email_list {role}", "email_list", {**account, "folder": role, "limit": 50}
        message = Message.objects.order_by("pk")[Message.objects.count() // 2]
        yield "email_get", "email_get", {**account, "email_id": message.public_id}
        for days in (7, 365):
            asked = {**account, "days_ahead": days}
            yield f"calendar_list_events {days}", "calendar_list_events", asked
        fortnight, month = (
            {"start": _text(timezone.now()), "end": _text(timezone.now() + timedelta(days=days))}
            for days in (14, 30)
        )
        tool = "calendar_check_availability"
        yield f"{tool}, 14 days", tool, {**account, **fortnight}
        yield "calendar_check_availability", "calendar_check_availability", {**account, **month}
        yield "find_free_slots", "find_free_slots", {**month, "duration_minutes": 30}
        yield "contact_list", "contact_list", account
        yield "file_list /", "file_list", account
        yield "file_list, large folder", "file_list", {**account, "path": "/folder 0"}
        for word in (_WORD, _RARE, f"{_WORD} {_RARE}"):
            yield f"search_files {word}", "search_files", {**account, "query": word}
            yield f"search_unified {word}", "search_unified", {**account, "query": word}
        yield "tasks list", "google_tasks_service", {"action": "list"}
        for word in (_WORD, _RARE, f"what {_WORD} of {_RARE}s", "bacedu"):
            asked = {"action": "search", "query": word}
            yield f"memory {word}", "internal_memory_service", asked
        me = {"agent_name": READER}
        unmarked = {**me, "mark_as_read": False}
        yield "get_messages_from_agents", "get_messages_from_agents", unmarked
        yield "list_context_keys", "list_context_keys", {**me, "pattern": "project:7:*"}
        yield "list_context_keys *", "list_context_keys", {**me, "pattern": "*9*"}
        yield "cache_get_stats", "cache_get_stats", {}
        inbox = Inbox.objects.get()
        yield "list_threads", "list_threads", {"inbox_id": inbox.public_id}
        label = {"inbox_id": inbox.public_id, "label": "Label 3"}
        yield "list_threads, label", "list_threads", label
        thread = Thread.objects.order_by("pk")[10]
        yield "get_thread", "get_thread", {"thread_id": thread.public_id}

    def _lists(self, collection: Collection) -> Iterator[tuple[str, dict[str, Any]]]:
        for ordering in collection.orderings:
            yield f" by {ordering}", {"ordering": ordering}
            deep = self._deep(collection, {"ordering": ordering})
            if deep:
                yield f" by {ordering}, deep", {"ordering": ordering, "cursor": deep}
        for name, one in collection.filters.base_filters.items():
            for place, value in enumerate(self._values(collection, name, one)):
                # Not ids and times, which are others at every size.
                said = value if isinstance(one, OneOf | BooleanFilter) else f"#{place}"
                yield f" {name}={said}", {name: value}
        if collection.search:
            for word in (_WORD, _NOTHING):
                yield f" search={word}", {"search": word}

    def _middle(self, collection: Collection, order: pages.Order) -> Any:
        rows = order.arrange(collection.rows(self.actor))
        return rows[rows.count() // 2 :].first() if rows.exists() else None

    def _deep(self, collection: Collection, given: dict[str, Any]) -> str | None:
        order = collection.order_by(given["ordering"])
        row = self._middle(collection, order)
        if row is None:
            return None
        tool = RESOURCES.tool(collection.lists)
        args = RESOURCES.read_arguments(tool, given)
        query = [collection.lists, args.model_dump(mode="json", exclude={"limit", "cursor"})]
        return pages.cursor_after(row, order, query)

    def _values(self, collection: Collection, name: str, one: Any) -> list[Any]:
        """Return what to filter by: something in the middle, and something that nothing has."""
        row = self._middle(collection, collection.order_by(collection.default))
        if isinstance(one, OneOf):
            return list(one.values)
        if isinstance(one, BooleanFilter):
            return [True, False]
        if isinstance(one, IsoDateTimeFilter):
            return [_text(timezone.now()), _text(_LONG_AGO)]
        if isinstance(one, NumberFilter):
            return [3, 4000]
        if isinstance(one, MessageIdFilter):
            return [Message.objects.order_by("pk")[5].public_id]
        if isinstance(one, IdFilter):
            return list(self._id_of(row, one))
        if name == "label":
            return ["trash", "Label 3", _NOTHING]
        value = None
        with suppress(AttributeError):
            value = getattr(row, one.field_name or name)
        return [*([value] if isinstance(value, str) and value else []), _NOTHING]

    def _id_of(self, row: Any, one: IdFilter) -> Iterator[str]:
        if one.prefix == FileNode.ID_PREFIX:
            yield FileNode.objects.get(path="/folder 0").public_id
            return
        with suppress(AttributeError):
            value = row
            for step in (one.field_name or "").split("__"):
                value = getattr(value, step)
            if value is not None:
                yield value.public_id


def _text(moment: datetime) -> str:
    return moment.isoformat()


def run(calls: Calls, named: tuple[Any, str, dict[str, Any]], times: int) -> dict[str, Any]:
    """Make a call so many times; return its times in seconds and what it executed."""
    registry, tool, given = named
    seconds: list[float] = []
    said: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        said.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        answer = call(tool, given, calls.actor, registry=registry)
    for _ in range(times):
        start = time.perf_counter()
        call(tool, given, calls.actor, registry=registry)
        seconds.append(time.perf_counter() - start)
    return {"seconds": seconds, "statements": len(said), "length": len(answer.json), "sql": said}


def main() -> None:
    """Answer what is asked."""
    calls = Calls()
    named = calls.all()
    if "--list" in sys.argv:
        print("\n".join(named))
        return
    for line in sys.stdin:
        name, _, times = line.rstrip("\n").rpartition("\t")
        try:
            found = run(calls, named[name], int(times)) if name in named else {}
        except Exception as error:  # noqa: BLE001
            found = {"error": repr(error)[:300]}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
