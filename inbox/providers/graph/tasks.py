"""To-dos as Graph has them, as VTODO (RFC 5545 3.6.2) and back. Pure; what comes in is hostile.

Of a time Microsoft To Do keeps the day, and it knows no parents. What our side says of those is
kept in the name that a linked resource has for it here (`externalId`), with our name of the to-do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlencode

from inbox.formats.calendar_lines import Moment, make_line, moment_in, text_in, text_line
from inbox.formats.content_lines import Block, read_blocks, write_blocks
from inbox.providers.graph.answers import Json, instant, moment
from inbox.providers.http.json_values import object_of, objects_of, text_of

APPLICATION = "Chancery"
_HEAD = ["VERSION:2.0", "PRODID:-//Chancery//Calendar//EN"]
_STATUSES = {"completed": "COMPLETED", "inProgress": "IN-PROCESS"}
_WORDS = {"COMPLETED": "completed", "CANCELLED": "completed", "IN-PROCESS": "inProgress"}
_PRIORITIES = {"high": "1", "low": "9"}
_LONGEST_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class Task:
    """What a to-do says: `due` and `completed` as DUE and COMPLETED have them."""

    uid: str
    title: str = ""
    body: str = ""
    status: str = "NEEDS-ACTION"
    importance: str = "normal"
    due: Moment | None = None
    completed: Moment | None = None
    parent: str = ""


# -- iCalendar -------------------------------------------------------------------------------------
def read_calendar(raw: bytes) -> Task:
    """Return the to-do of a calendar; raises ValueError where there is none."""
    blocks = read_blocks(raw.decode("utf-8-sig", "replace"))
    todos = [one for block in blocks for one in block.blocks if one.name == "VTODO"]
    if not todos:
        raise ValueError("there is no to-do in it")
    todo = todos[0]
    return Task(
        uid=text_in(todo, "UID").strip(), title=text_in(todo, "SUMMARY").strip(),
        body=text_in(todo, "DESCRIPTION").strip(),
        status=text_in(todo, "STATUS").strip().upper() or "NEEDS-ACTION",
        importance=_importance(text_in(todo, "PRIORITY").strip()),
        due=moment_in(todo, "DUE"), completed=moment_in(todo, "COMPLETED"),
        parent=text_in(todo, "RELATED-TO").strip(),
    )  # fmt: skip


def _importance(priority: str) -> str:
    """Return Graph's word for a priority (RFC 5545 3.8.1.9)."""
    if priority in ("1", "2", "3", "4"):
        return "high"
    return "low" if priority in ("6", "7", "8", "9") else "normal"


def write_calendar(task: Task, said_at: datetime) -> bytes:
    """Return a to-do as a calendar."""
    lines = [*text_line("UID", task.uid), f"DTSTAMP:{said_at.astimezone(UTC):%Y%m%dT%H%M%SZ}"]
    lines += text_line("SUMMARY", task.title) + text_line("DESCRIPTION", task.body)
    lines += text_line("STATUS", task.status)
    lines += [task.due.line("DUE")] if task.due else []
    lines += [task.completed.line("COMPLETED")] if task.completed else []
    lines += text_line("PRIORITY", _PRIORITIES.get(task.importance, ""))
    lines += [make_line("RELATED-TO", task.parent)] if task.parent else []
    todo = Block("VTODO", [*lines])
    return write_blocks([Block("VCALENDAR", [*_HEAD, todo])]).encode("utf-8", "replace")


# -- from Graph ------------------------------------------------------------------------------------
def link_of(found: Json) -> Json:
    """Return the linked resource that is ours; an empty one where there is none."""
    links = objects_of(found, "linkedResources")
    return next((one for one in links if text_of(one, "applicationName") == APPLICATION), {})


def read_task(found: Json) -> Task:
    """Return a to-do as Graph tells it."""
    kept = dict(parse_qsl(text_of(link_of(found), "externalId")[:_LONGEST_KEPT]))
    status = _STATUSES.get(text_of(found, "status"), "NEEDS-ACTION")
    is_done = status == "COMPLETED"
    completed = _kept_time(moment(found, "completedDateTime"), kept.get("done", ""))
    return Task(
        uid=kept.get("uid", "") or text_of(found, "id"), title=text_of(found, "title").strip(),
        body=_body(found), status=status, importance=text_of(found, "importance"),
        due=_kept_time(_day(found, "dueDateTime"), kept.get("due", "")),
        completed=completed if is_done else None, parent=kept.get("parent", ""),
    )  # fmt: skip


def _body(found: Json) -> str:
    return text_of(object_of(found, "body"), "content").replace("\r\n", "\n").strip()


def _day(found: Json, name: str) -> Moment | None:
    said = moment(found, name)
    return Moment.of_day(said.local.date()) if said else None


def _kept_time(said: Moment | None, kept: str) -> Moment | None:
    """Return the time that was kept where Graph still has its day, else what Graph says."""
    if said is None or not kept:
        return said
    try:
        found = datetime.strptime(kept, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return said
    is_same = found.date() == said.local.date()
    return Moment(found.replace(tzinfo=None), "UTC") if is_same else said


def said_at(found: Json) -> datetime:
    """Return when a to-do was changed last."""
    return instant(found, "lastModifiedDateTime") or datetime(2026, 1, 1, tzinfo=UTC)


# -- to Graph --------------------------------------------------------------------------------------
def body_of(task: Task, before: Task) -> dict[str, Any]:
    """Return what of a to-do is to be written that was not said before."""
    body: dict[str, Any] = {}
    if task.title != before.title:
        body["title"] = task.title or "-"
    if task.body != before.body:
        body["body"] = {"contentType": "text", "content": task.body}
    if task.importance != before.importance:
        body["importance"] = task.importance
    status = _WORDS.get(task.status, "notStarted")
    if status != _WORDS.get(before.status, "notStarted"):
        body["status"] = status
    if task.due != before.due:
        body["dueDateTime"] = _date(task.due)
    if status == "completed" and task.completed and task.completed != before.completed:
        body["completedDateTime"] = _date(task.completed)
    return body


def _date(said: Moment | None) -> Mapping[str, str] | None:
    if said is None:
        return None
    day = said.local if said.is_day else said.instant
    return {"dateTime": f"{day:%Y-%m-%d}T00:00:00", "timeZone": "UTC"}


def link(task: Task) -> dict[str, str]:
    """Return the linked resource that keeps what To Do does not; raises ValueError."""
    said = {
        "uid": task.uid, "due": _time(task.due), "done": _time(task.completed),
        "parent": task.parent,
    }  # fmt: skip
    kept = urlencode({name: value for name, value in said.items() if value})
    if len(kept) > _LONGEST_KEPT:
        raise ValueError("its names are too long")
    return {"applicationName": APPLICATION, "displayName": APPLICATION, "externalId": kept}


def _time(said: Moment | None) -> str:
    return f"{said.instant:%Y%m%dT%H%M%SZ}" if said and not said.is_day else ""
