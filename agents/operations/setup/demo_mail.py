"""The demo's mail, moved in time so that the newest of it has just come in.

The files carry fixed dates. All dates in header fields that say when (Date, Received and those of a
delivery report) and all times of events in calendars move by one whole number of days; every other
byte stays as it is, dates within a text included.
"""

import email.utils
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

_WHEN_FIELDS = re.compile(
    rb"^(?:Date|Received|Arrival-Date|Last-Attempt-Date):[^\n]*\n(?:[ \t][^\n]*\n)*", re.MULTILINE
)
# RFC 5322 3.3, with the day of the week and two digits, as every date in the files is written.
_DATE = re.compile(
    rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{2}) "
    rb"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4})"
)
_EVENT = re.compile(rb"^BEGIN:VEVENT\r?$.*?^END:VEVENT\r?$", re.MULTILINE | re.DOTALL)
_EVENT_TIME = re.compile(
    rb"^((?:DTSTART|DTEND|DTSTAMP|RECURRENCE-ID|CREATED|LAST-MODIFIED)(?:;[^:\n]*)?:)"
    rb"(\d{4})(\d{2})(\d{2})",
    re.MULTILINE,
)
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = (
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
)  # fmt: skip


def shift_dates(raw: bytes, days: int) -> bytes:
    """Return a message with the times of its headers and events moved by so many days."""
    by = timedelta(days=days)
    moved = _WHEN_FIELDS.sub(lambda field: _DATE.sub(lambda day: _header(day, by), field[0]), raw)
    return _EVENT.sub(
        lambda event: _EVENT_TIME.sub(lambda time: _calendar(time, by), event[0]), moved
    )


def _header(found: re.Match[bytes], by: timedelta) -> bytes:
    month = _MONTHS.index(found[2].decode()) + 1
    moved = date(int(found[3]), month, int(found[1])) + by
    day, month_name = _DAYS[moved.weekday()], _MONTHS[moved.month - 1]
    return f"{day}, {moved.day:02d} {month_name} {moved.year}".encode()


def _calendar(found: re.Match[bytes], by: timedelta) -> bytes:
    moved = date(int(found[2]), int(found[3]), int(found[4])) + by
    return found[1] + f"{moved:%Y%m%d}".encode()


def days_to(now: datetime, messages: list[bytes]) -> int:
    """Return by how many days to move messages, so that the newest is less than a day old."""
    newest = max(_sent_at(raw) for raw in messages)
    return (now - newest) // timedelta(days=1)


def _sent_at(raw: bytes) -> datetime:
    found = re.search(rb"^Date: ([^\n]+)", raw, re.MULTILINE)
    if found is None:
        raise ValueError("a message of the demo has no Date")
    return email.utils.parsedate_to_datetime(found[1].decode("ascii").strip()).astimezone(UTC)


def copy_moved(source: Path, target: Path, now: datetime) -> int:
    """Write the messages of one folder into another, moved to end now; return how many."""
    raw = {file.name: file.read_bytes() for file in sorted(source.glob("*.eml"))}
    days = days_to(now, list(raw.values()))
    for name, content in raw.items():
        (target / name).write_bytes(shift_dates(content, days))
    return len(raw)
