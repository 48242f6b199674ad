"""An item of a calendar at Google: the events that belong together, and their state. Pure."""

import hashlib
from datetime import datetime
from typing import Any, TypeAlias
from urllib.parse import quote

from inbox.providers.change_store import Collection, Entry
from inbox.providers.google.calendar.reading import EventJson, is_cancelled, write_calendar
from inbox.providers.http.json_values import text_of

Events: TypeAlias = list[dict[str, Any]]


def events_path(collection: Collection) -> str:
    """Return where the events of a calendar lie."""
    return f"/calendar/v3/calendars/{quote(collection.id, safe='')}/events"


def etag_of(events: Events) -> str:
    """Return the state of an item."""
    if len(events) == 1 and is_single(events[0]):
        return text_of(events[0], "etag")
    lines = sorted(f"{text_of(one, 'id')} {text_of(one, 'etag')}" for one in events)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()


def calendar_of(events: Events) -> bytes:
    """Return an item as a calendar; empty where it cannot be read, which its keeper refuses."""
    try:
        return write_calendar(events)
    except (ValueError, ArithmeticError, LookupError):
        return b""


def is_single(event: EventJson) -> bool:
    """Return True for an event that is nobody's series and of none."""
    return not (text_of(event, "recurringEventId") or event.get("recurrence"))


def there(event: dict[str, Any]) -> Events:
    """Return the events of an item that is a single one."""
    return [] if is_cancelled(event) else [event]


def entry_of(key: str, events: Events) -> Entry | None:
    """Return that an item is there; None where nothing of it is."""
    return Entry(key, etag_of(events), _updated(events)) if events else None


def _updated(events: Events) -> datetime | None:
    try:
        found = datetime.fromisoformat(max(text_of(one, "updated") for one in events))
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
