"""What Google Calendar takes of an event, and what it hands out of it."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.machines.google.refusing import Refused
from tests.machines.google.series import at, moment
from tests.machines.google.server import Asked

# What nobody may write; `iCalUID` and `id` only when an event is made.
READ_ONLY = {
    "kind", "etag", "created", "updated", "htmlLink", "creator", "hangoutLink", "locked",
    "recurringEventId", "originalStartTime",
}  # fmt: skip
_LONGEST_DESCRIPTION = 8192


@dataclass
class Calendar:
    """One calendar; events by their id, deleted ones too, and in which revision each changed."""

    id: str
    summary: str
    role: str = "owner"
    color: str = "#336699"
    zone: str = "Europe/Berlin"
    is_primary: bool = False
    events: dict[str, dict[str, Any]] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)


def check_event(body: dict[str, Any]) -> None:
    if unknown := READ_ONLY & body.keys():
        raise Refused(400, "invalid", f"read-only: {sorted(unknown)}")
    if len(body.get("description") or "") > _LONGEST_DESCRIPTION:
        raise Refused(400, "invalid", "The description is too long")
    if any("@" not in person.get("email", "") for person in body.get("attendees") or ()):
        raise Refused(400, "required", "Missing attendee email.")
    if body.get("status", "confirmed") not in ("confirmed", "tentative", "cancelled"):
        raise Refused(400, "invalid", "Invalid status")
    for line in body.get("recurrence") or ():
        if not re.match(r"(RRULE|EXRULE|RDATE|EXDATE)[:;]", line):
            raise Refused(400, "invalid", "Invalid recurrence rule.")
    times = {
        name: {key: it for key, it in body[name].items() if it is not None}
        for name in ("start", "end")
        if body.get(name)
    }
    if len(times) == 2:
        check_times({**times, "recurrence": body.get("recurrence")})


def check_times(event: dict[str, Any]) -> None:
    kinds = set()
    for name in ("start", "end"):
        given = {key for key in ("date", "dateTime") if event.get(name, {}).get(key)}
        if len(given) != 1:
            raise Refused(400, "invalid", f"Invalid {name} time.")
        kinds |= given
    if len(kinds) != 1:
        raise Refused(400, "invalid", "Start and end times must either both be date or dateTime.")
    start = event["start"]
    has_offset = "date" in start or datetime.fromisoformat(start["dateTime"]).tzinfo is not None
    if not start.get("timeZone") and not (
        "date" in start or (has_offset and not event.get("recurrence"))
    ):
        raise Refused(400, "required", "Missing time zone definition for start time.")
    try:
        order = moment(event["start"]) <= moment(event["end"])
    except (KeyError, ValueError) as error:
        raise Refused(400, "invalid", "Invalid time zone definition.") from error
    if not order or ("date" in start and start == event["end"]):
        raise Refused(400, "timeRangeEmpty", "The specified time range is empty.")


def check_match(event: dict[str, Any], asked: Asked) -> None:
    wanted = asked.headers.get("if-match", "*")
    if wanted not in ("*", event["etag"]):
        raise Refused(412, "conditionNotMet", "Precondition Failed")


def is_listed(event: dict[str, Any], calendar: Calendar) -> bool:
    if event["status"] != "cancelled":
        return True
    series = calendar.events.get(event.get("recurringEventId", ""), {"status": "cancelled"})
    return series["status"] != "cancelled"


def is_instance_called_off(event: dict[str, Any]) -> bool:
    return event["status"] == "cancelled" and "recurringEventId" in event


def shown(event: dict[str, Any], calendar: Calendar) -> dict[str, Any]:
    """Return an event as it is handed out; of one that is gone little more than that it is."""
    if event["status"] == "cancelled":
        kept = ("kind", "etag", "id", "status", "recurringEventId", "originalStartTime")
        return {name: event[name] for name in kept if name in event}
    times = {
        name: in_zone(event[name], calendar.zone)
        for name in ("start", "end", "originalStartTime")
        if name in event
    }
    return event | times


def in_zone(time: dict[str, Any], zone: str) -> dict[str, Any]:
    """Return a time with the offset of the calendar's zone, whatever its own is."""
    if "date" in time:
        return {"date": time["date"]}
    own = time.get("timeZone", zone)
    return {**at(moment({"timeZone": zone, **time}), {"timeZone": zone}), "timeZone": own}


def as_time(text: str) -> dict[str, Any]:
    return {"date": text} if len(text) == 10 else {"dateTime": text}


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
