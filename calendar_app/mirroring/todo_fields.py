"""A to-do of a server's (RFC 5545 3.6.2), as fields, and changed in place. No Django.

A recurring one is a single to-do here; its rule, and its changed instances, are never touched.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from calendar_app.components import Component, Line, read_tree
from calendar_app.icalendar import duration_of, time_of, zones_of
from calendar_app.itip_writing import PRODID
from calendar_app.timezones import Zone, find_zone
from inbox.formats.content_lines import Block, name_of, read_blocks, write_blocks
from inbox.rfc5322.text.unicode_text import clean_line

Fields: TypeAlias = Mapping[str, Any]
LONGEST_SUMMARY = 1024
_LONGEST_UID = 255
_STAMP = "%Y%m%dT%H%M%SZ"
COMPLETED, NEEDS_ACTION = "completed", "needs-action"
# RFC 5545 3.8.1.9: 1 to 4 are high.
_STARRED = range(1, 5)


class NoTodoError(ValueError):
    """There is no to-do in a calendar, but something else."""


def write_moment(moment: datetime | None) -> str:
    """Return a time as fields have it, to the second; empty: none."""
    return moment.astimezone(UTC).strftime(_STAMP) if moment else ""


def read_moment(text: str) -> datetime | None:
    """Return the time that a field names."""
    return datetime.strptime(text, _STAMP).replace(tzinfo=UTC) if text else None


def read_todo(raw: bytes) -> dict[str, Any]:
    """Return the fields of the to-do in a calendar object; raises ValueError."""
    calendar = read_tree(raw.decode("utf-8-sig", "replace"))
    todo = _master(calendar)
    zones = zones_of(calendar)
    uid = clean_line(todo.value("UID"))[0]
    if not uid or len(uid) > _LONGEST_UID:
        raise ValueError("a to-do needs a UID of at most 255 characters")
    status = todo.value("STATUS").strip().upper()
    # One that was called off is as little to be done as one that is done.
    is_done = status in {"COMPLETED", "CANCELLED"} or (not status and bool(todo.value("COMPLETED")))
    return {
        "uid": uid,
        "summary": clean_line(todo.text("SUMMARY"))[0][:LONGEST_SUMMARY].strip(),
        "description": todo.text("DESCRIPTION").strip(),
        "due": write_moment(_due(todo, zones)),
        "status": COMPLETED if is_done else NEEDS_ACTION,
        "completed": write_moment(_completed(todo, zones)) if is_done else "",
        "parent": _parent(todo),
        "starred": _priority(todo) in _STARRED,
    }


def _master(calendar: Component) -> Component:
    todos = [child for child in calendar.children if child.name == "VTODO"]
    if not todos:
        raise NoTodoError("there is no to-do in it")
    whole = (todo for todo in todos if not todo.value("RECURRENCE-ID").strip())
    return next(whole, todos[0])


def _due(todo: Component, zones: Mapping[str, Zone]) -> datetime | None:
    """Return until when, of a whole day its start in UTC (RFC 5545 3.8.2.3)."""
    due, start, lasts = (todo.first(name) for name in ("DUE", "DTSTART", "DURATION"))
    if due is not None:
        local, zone, _is_date = time_of(due, dict(zones))
        return zone.to_utc(local)
    if start is None or lasts is None:
        return None
    local, zone, _is_date = time_of(start, dict(zones))
    days, exact = duration_of(lasts.value)
    return zone.to_utc(local + days) + exact


def _completed(todo: Component, zones: Mapping[str, Zone]) -> datetime | None:
    line = todo.first("COMPLETED")
    if line is None:
        return None
    local, zone, _is_date = time_of(line, dict(zones))
    return zone.to_utc(local)


def _parent(todo: Component) -> str:
    related = todo.lines.get("RELATED-TO", [])
    parents = (it for it in related if it.params.get("RELTYPE", "PARENT").upper() == "PARENT")
    return next((clean_line(it.value)[0][:_LONGEST_UID] for it in parents), "")


def _priority(todo: Component) -> int:
    said = todo.value("PRIORITY").strip()
    return int(said) if re.fullmatch(r"[0-9]", said) else 0


# -- writing ---------------------------------------------------------------------------------------
def write_todo(
    raw: bytes, fields: Fields, changed: frozenset[str], uid: str, moment: datetime
) -> bytes:
    """Return the calendar object with what changed of its to-do; raises ValueError.

    `raw` is empty for a new one, and `uid` then what it is called. `moment` is when it is said.
    """
    text = raw.decode("utf-8-sig", "surrogateescape") if raw else _new(uid, moment)
    blocks = read_blocks(text)
    calendar = next((block for block in blocks if block.name == "VCALENDAR"), None)
    todos = [block for block in (calendar.blocks if calendar else []) if block.name == "VTODO"]
    if not todos:
        raise NoTodoError("there is no to-do in it")
    todo = next((block for block in todos if not block.lines("RECURRENCE-ID")), todos[0])
    _change_texts(todo, fields, changed)
    if "due" in changed:
        tree = read_tree(text.encode("utf-8", "replace").decode())
        _change_due(todo, _master(tree), zones_of(tree), read_moment(fields.get("due", "")))
    if changed & {"status", "completed"}:
        _change_status(todo, fields, changed)
    for name in ("DTSTAMP", "LAST-MODIFIED"):
        if name == "DTSTAMP" or todo.lines(name):
            todo.put(name, [f"{name}:{write_moment(moment)}"])
    return write_blocks(blocks).encode("utf-8", "surrogateescape")


def _new(uid: str, moment: datetime) -> str:
    stamp = write_moment(moment)
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:{PRODID}", "BEGIN:VTODO", f"UID:{_line(uid)}",
        f"DTSTAMP:{stamp}", f"CREATED:{stamp}", f"LAST-MODIFIED:{stamp}", "END:VTODO",
        "END:VCALENDAR",
    ]  # fmt: skip
    return "\r\n".join(lines)


def _change_texts(todo: Block, fields: Fields, changed: frozenset[str]) -> None:
    for name in sorted(changed & {"summary", "description"}):
        said = str(fields.get(name, ""))
        todo.put(name.upper(), [f"{name.upper()}:{_escape(said)}"] if said else [])
    if "parent" in changed:
        parent = _line(str(fields.get("parent", "")))
        todo.put_where(_names_parent, [f"RELATED-TO:{parent}"] if parent else [])
    if "starred" in changed:
        todo.put("PRIORITY", ["PRIORITY:1"] if fields.get("starred") else [])


def _names_parent(line: str) -> bool:
    head = line.partition(":")[0].upper()
    return name_of(line) == "RELATED-TO" and ("RELTYPE" not in head or "RELTYPE=PARENT" in head)


def _change_status(todo: Block, fields: Fields, changed: frozenset[str]) -> None:
    is_done = fields.get("status") == COMPLETED
    completed = str(fields.get("completed", "")) if is_done else ""
    if "status" in changed:
        todo.put("STATUS", ["STATUS:COMPLETED" if is_done else "STATUS:NEEDS-ACTION"])
        todo.put("PERCENT-COMPLETE", ["PERCENT-COMPLETE:100"] if is_done else [])
    todo.put("COMPLETED", [f"COMPLETED:{completed}"] if completed else [])


def _change_due(
    todo: Block, tree: Component, zones: Mapping[str, Zone], due: datetime | None
) -> None:
    """Have the to-do be due then: a date stays a date, and a time in its zone."""
    before, start = tree.first("DUE"), tree.first("DTSTART")
    recurs = bool(todo.lines("RRULE") or todo.lines("RDATE"))
    # Some say its start only because it is due then.
    is_same = start is not None and before is not None and start.value == before.value
    todo.put("DURATION", [])
    if due is None:
        todo.put("DUE", [])
        if is_same and not recurs:
            todo.put("DTSTART", [])
        return
    said = _said(due, (start if recurs else None) or before or start, zones, keep=recurs)
    todo.put("DUE", [f"DUE{said}"])
    if start is not None and not recurs and (is_same or not _fits(start, said, zones, due)):
        todo.put("DTSTART", [f"DTSTART{said}"])


def _fits(start: Line, said: str, zones: Mapping[str, Zone], due: datetime) -> bool:
    """Return True if a start comes before, and is a date where what is due is one."""
    local, zone, is_date = time_of(start, dict(zones))
    return zone.to_utc(local) < due and is_date == said.startswith(";VALUE=DATE:")


def _said(due: datetime, like: Line | None, zones: Mapping[str, Zone], *, keep: bool) -> str:
    """Return a time with its parameters in the manner of another; `keep`: be a date if that is."""
    is_midnight = write_moment(due).endswith("T000000Z")
    is_date = is_midnight if like is None else time_of(like, dict(zones))[2]
    if is_date and (is_midnight or keep):
        return f";VALUE=DATE:{due:%Y%m%d}"
    tzid = like.params.get("TZID", "") if like is not None and not is_date else ""
    zone = find_zone(tzid, zones) if tzid else None
    if zone is not None and zone.name:
        local = due.astimezone(ZoneInfo(zone.name)).replace(tzinfo=None, fold=0)
        if zone.to_utc(local) == due:
            named = f'"{tzid}"' if re.search(r"[:;,]", tzid) else tzid
            return f";TZID={named}:{local:%Y%m%dT%H%M%S}"
    return f":{write_moment(due)}"


def _line(text: str) -> str:
    return re.sub(r"[\r\n]+", " ", text)


def _escape(text: str) -> str:
    for mark in ("\\", ",", ";"):
        text = text.replace(mark, f"\\{mark}")
    return re.sub(r"\r\n|\r|\n", r"\\n", text)
