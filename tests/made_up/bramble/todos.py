"""A to-do as Bramble has it, and as iCalendar does (RFC 5545 3.6.2). Nothing is asked here."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from inbox.formats.calendar_lines import Moment, moment_in, text_in, text_line
from inbox.formats.content_lines import Block, read_blocks, write_blocks
from inbox.providers.web import GarbledAnswerError
from tests.made_up.bramble.reading import flag, text

_STAMP = "%Y-%m-%dT%H:%M:%SZ"
_LONGEST_MEMO = 2_000_000


def write_calendar(entry: Mapping[str, Any]) -> bytes:
    """Return an entry as a calendar of one to-do; raises GarbledAnswerError for what is none."""
    due, done_at = _moment(entry, "by"), _moment(entry, "done_at")
    touched = _moment(entry, "touched")
    is_done = flag(entry, "done")
    lines = [
        *text_line("UID", text(entry, "ref")),
        *([touched.line("DTSTAMP")] if touched else []),
        *text_line("SUMMARY", text(entry, "text")),
        *text_line("DESCRIPTION", text(entry, "memo", _LONGEST_MEMO)),
        *([due.line("DUE")] if due else []),
        f"STATUS:{'COMPLETED' if is_done else 'NEEDS-ACTION'}",
        *([done_at.line("COMPLETED")] if is_done and done_at else []),
        *(["PRIORITY:1"] if flag(entry, "star") else []),
        *text_line("RELATED-TO", text(entry, "under")),
    ]
    head = ["VERSION:2.0", "PRODID:-//Bramble//EN"]
    return write_blocks([Block("VCALENDAR", [*head, Block("VTODO", [*lines])])]).encode()


def read_calendar(raw: bytes) -> dict[str, Any]:
    """Return a to-do of ours as Bramble's fields; raises ValueError where there is none."""
    calendars = read_blocks(raw.decode("utf-8", "replace"))
    todos = [one for calendar in calendars for one in calendar.blocks if one.name == "VTODO"]
    if not todos:
        raise ValueError("there is no to-do in it")
    todo = todos[0]
    due, done_at = moment_in(todo, "DUE"), moment_in(todo, "COMPLETED")
    return {
        "text": text_in(todo, "SUMMARY"),
        "memo": text_in(todo, "DESCRIPTION"),
        "by": _said(due) if due else None,
        "done": text_in(todo, "STATUS").upper() == "COMPLETED",
        "done_at": _said(done_at) if done_at else None,
        "star": text_in(todo, "PRIORITY") in ("1", "2", "3", "4"),
        "under": text_in(todo, "RELATED-TO"),
    }


def moment_of(said: str) -> datetime:
    """Return a time as Bramble says it; raises GarbledAnswerError."""
    try:
        return datetime.strptime(said, _STAMP).replace(tzinfo=UTC)
    except ValueError as error:
        raise GarbledAnswerError("a time in it cannot be read") from error


def _moment(entry: Mapping[str, Any], name: str) -> Moment | None:
    """Return the time of a field: of a day where it is 10 characters long."""
    said = text(entry, name) if entry.get(name) is not None else ""
    if len(said) != len("2026-03-10"):
        return Moment.of_instant(moment_of(said), "UTC") if said else None
    try:
        return Moment.of_day(date.fromisoformat(said))
    except ValueError as error:
        raise GarbledAnswerError("a day in it cannot be read") from error


def _said(moment: Moment) -> str:
    return f"{moment.local:%Y-%m-%d}" if moment.is_day else moment.instant.strftime(_STAMP)
