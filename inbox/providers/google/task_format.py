"""To-dos as Google Tasks has them, as iCalendar and back. Pure; what comes in is hostile."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Self

from inbox.formats.calendar_lines import (
    Moment,
    make_line,
    moment_in,
    split_line,
    text_in,
    text_line,
)
from inbox.formats.content_lines import Block, read_blocks, write_blocks
from inbox.providers.http.json_values import text_of

_SERVER = "@tasks.google.com"
# How a to-do is found again whose making was cut off: Google gives ids of its own, and has no place
# for ours but its notes. The line is removed as soon as the id is kept.
_MARK = re.compile(r"\n*\[being synced: ([^\]\s]{1,255})\]\Z")
LONGEST_NOTES = 8192


def marked(notes: str, uid: str) -> str:
    """Return notes that name the UID of what is being made; as they are where there is no room."""
    said = f"{notes}\n[being synced: {uid}]".lstrip("\n")
    return said if _MARK.search(said) and len(said) <= LONGEST_NOTES else notes


def mark_of(task: Mapping[str, Any]) -> str:
    """Return the UID that a to-do is being made under; empty for most."""
    found = _MARK.search(text_of(task, "notes"))
    return found[1] if found else ""


def notes_of(task: Mapping[str, Any]) -> str:
    """Return the notes of a to-do."""
    return _MARK.sub("", text_of(task, "notes"))


def uid_of(key: str) -> str:
    """Return the UID of a to-do, by its id."""
    return f"{key}{_SERVER}"


def key_of(uid: str) -> str:
    """Return the id of a to-do, by its UID; empty for a UID of ours."""
    return uid.removesuffix(_SERVER) if uid.endswith(_SERVER) else ""


def write_task(task: Mapping[str, Any]) -> bytes:
    """Return a to-do as a calendar."""
    parent = text_of(task, "parent")
    lines = [
        *text_line("UID", mark_of(task) or uid_of(text_of(task, "id"))),
        _stamp(text_of(task, "updated"), "DTSTAMP") or "DTSTAMP:19700101T000000Z",
        *text_line("SUMMARY", " ".join(text_of(task, "title").split())),
        *text_line("DESCRIPTION", notes_of(task)),
        *_due(task),
        *_status(task),
        *([make_line("RELATED-TO", uid_of(parent))] if parent else []),
    ]
    todo = Block("VTODO", list(lines))
    head = ["VERSION:2.0", "PRODID:-//Chancery//Google Tasks//EN"]
    return write_blocks([Block("VCALENDAR", [*head, todo])]).encode("utf-8", "replace")


def _due(task: Mapping[str, Any]) -> list[str]:
    """Return the day of a to-do: of its time only that is recorded."""
    try:
        return [Moment.of_day(date.fromisoformat(text_of(task, "due")[:10])).line("DUE")]
    except ValueError:
        return []


def _status(task: Mapping[str, Any]) -> list[str]:
    if text_of(task, "status") != "completed":
        return ["STATUS:NEEDS-ACTION"]
    done = _stamp(text_of(task, "completed"), "COMPLETED")
    return ["STATUS:COMPLETED", "PERCENT-COMPLETE:100", *([done] if done else [])]


def _stamp(text: str, name: str) -> str:
    try:
        return Moment.of_instant(datetime.fromisoformat(text), "UTC").line(name)
    except (ValueError, OverflowError):
        return ""


# -- writing ---------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class SaidTask:
    """What a to-do says; `due` is a day, `completed` an instant, as Google writes them."""

    uid: str
    title: str
    notes: str
    due: str
    completed: str
    is_done: bool
    parent: str

    @classmethod
    def read(cls, raw: bytes) -> Self:
        """Return what the to-do in a calendar says; raises ValueError where there is none."""
        tops = read_blocks(raw.decode("utf-8-sig", "replace"))
        todos = [one for top in tops for one in top.blocks if one.name == "VTODO"]
        if not todos:
            raise ValueError("there is no to-do in it")
        todo = next((one for one in todos if not one.lines("RECURRENCE-ID")), todos[0])
        due, completed = moment_in(todo, "DUE"), moment_in(todo, "COMPLETED")
        status = text_in(todo, "STATUS").strip().upper()
        is_done = status in ("COMPLETED", "CANCELLED") or (not status and completed is not None)
        return cls(
            uid=text_in(todo, "UID").strip(),
            title=text_in(todo, "SUMMARY"),
            notes=text_in(todo, "DESCRIPTION"),
            due=f"{due.local:%Y-%m-%d}T00:00:00.000Z" if due else "",
            completed=_written(completed) if completed and is_done else "",
            is_done=is_done,
            parent=next(filter(None, map(_parent, todo.lines("RELATED-TO"))), ""),
        )


def _parent(line: str) -> str:
    _name, params, value = split_line(line)
    return value.strip() if params.get("RELTYPE", "PARENT").upper() == "PARENT" else ""


def _written(moment: Moment) -> str:
    return f"{moment.instant.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.000Z"


def body_of(said: SaidTask) -> dict[str, Any]:
    """Return a new to-do, without what it is a part of."""
    body = {"title": said.title, "notes": said.notes, "due": said.due}
    made: dict[str, Any] = {name: text for name, text in body.items() if text}
    if said.is_done:
        made |= {"status": "completed"} | ({"completed": said.completed} if said.completed else {})
    return made


def difference(before: SaidTask, after: SaidTask) -> dict[str, Any]:
    """Return what to patch so that a to-do says `after`."""
    body: dict[str, Any] = {}
    for name in ("title", "notes", "due"):
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            body[name] = new or None
    if before.is_done != after.is_done:
        body["status"] = "completed" if after.is_done else "needsAction"
    if after.is_done and after.completed and before.completed != after.completed:
        body["completed"] = after.completed
    if before.is_done and not after.is_done:
        body["completed"] = None
    return body
