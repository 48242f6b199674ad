"""Events as the stand-in keeps them: written by their rules, and shown as a client prefers."""

import html
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from tests.machines.graph import series
from tests.machines.graph.checking import check_body, refuse
from tests.machines.graph.times import (
    in_utc,
    midnight,
    on_clock,
    read_time,
    said,
    stamp,
    windows_name,
)

_PLAIN = {
    "subject": None, "showAs": "busy", "importance": "normal", "sensitivity": "normal",
    "isReminderOn": True, "reminderMinutesBeforeStart": 15, "responseRequested": True,
    "allowNewTimeProposals": True, "hideAttendees": False, "categories": [],
    "isOnlineMeeting": False,
}  # fmt: skip
_PROPERTY_ID = re.compile(
    r"String \{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\} Name [A-Za-z][A-Za-z0-9-]{0,60}"
    r"|(?:Integer|SystemTime) 0x[0-9a-f]{4}"
)
_VALUES = {
    "Integer": re.compile(r"-?\d{1,10}"),
    "SystemTime": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,7})?Z"),
}
_TAGS = re.compile(r"<[^>]*>")


def new_id() -> str:
    """Return an id that stays, as clients get it who prefer those."""
    return f"AAkALg{secrets.token_urlsafe(24)}="


@dataclass
class Event:
    """An event, or the exception of a series; times are naive, on the clock of `zone`."""

    id: str
    fields: dict[str, Any]
    start: datetime
    end: datetime
    zone: str
    body: dict[str, str]
    created: datetime
    modified: datetime
    attendees: list[dict[str, Any]] = field(default_factory=list)
    location: dict[str, Any] = field(default_factory=lambda: {"displayName": ""})
    recurrence: dict[str, Any] | None = None
    extended: dict[str, str] = field(default_factory=dict)
    organizer: str = ""
    transaction_id: str | None = None
    uid: str = ""
    response: str = "organizer"
    change: str = ""
    master: "Event | None" = None
    # Of an occurrence, the day that it was made for.
    day: date | None = None
    exceptions: dict[date, "Event"] = field(default_factory=dict)
    cancelled: set[date] = field(default_factory=set)

    @property
    def all_day(self) -> bool:
        return bool(self.fields.get("isAllDay"))

    @property
    def etag(self) -> str:
        return f'W/"{self.change}"'

    @property
    def kind(self) -> str:
        if self.master is not None:
            return "exception" if self.day in self.master.exceptions else "occurrence"
        return "seriesMaster" if self.recurrence else "singleInstance"

    def touch(self, moment: datetime) -> None:
        for one in filter(None, (self, self.master)):
            one.modified, one.change = moment, secrets.token_urlsafe(18)

    def at(self, day: date) -> "Event":
        """Return what takes place on a day of the series."""
        if day in self.exceptions:
            return self.exceptions[day]
        start = datetime.combine(day, self.start.time())
        return replace(
            self, id=occurrence_id(self, day), fields=dict(self.fields), start=start,
            end=start + (self.end - self.start), recurrence=None, master=self, day=day,
            exceptions={}, cancelled=set(), extended={}, transaction_id=None,
        )  # fmt: skip

    def days(self) -> Iterator[date]:
        """Yield the days of the series that were not cancelled."""
        if self.recurrence:
            yield from (day for day in series.dates(self.recurrence) if day not in self.cancelled)


def occurrence_id(master: Event, day: date) -> str:
    return f"{master.id[:-1]}.{day:%Y%m%d}="


# -- writing ---------------------------------------------------------------------------------------
def write(event: Event | None, body: dict[str, Any], moment: datetime, owner: str) -> Event:
    """Return an event with what a body says, a new one for None; raises RefusedError."""
    check_body("event", body)
    if event is None:
        if not body.get("start") or not body.get("end"):
            raise refuse("an event has a start and an end", "ErrorPropertyValidationFailure")
        made = Event(
            new_id(), dict(_PLAIN), moment, moment, "UTC", {"contentType": "html", "content": ""},
            moment, moment, organizer=owner, uid=f"040000008200E00074C5B7101A82E008{secrets.token_hex(24).upper()}",
            transaction_id=body.get("transactionId"),
        )  # fmt: skip
    else:
        made = replace(event, fields=dict(event.fields), extended=dict(event.extended))
        if "transactionId" in body:
            raise refuse("transactionId cannot be changed", "ErrorInvalidPropertySet")
    _write_fields(made, body)
    _write_times(made, body)
    if "recurrence" in body:
        _write_recurrence(made, body["recurrence"])
    elif made.recurrence and "start" in body:
        again = {name: dict(made.recurrence[name]) for name in ("pattern", "range")}
        again["range"]["startDate"] = made.start.date().isoformat()
        if next(series.dates(again), None) != made.start.date():
            raise refuse("the series does not take place when it starts")
        made.recurrence = again
    if event is not None and event.recurrence and {"recurrence", "start", "end"} & body.keys():
        # A series that takes place at other times has no instances of its own any more.
        made.exceptions, made.cancelled = {}, set()
    return made


def _write_fields(event: Event, body: dict[str, Any]) -> None:
    for name in (*_PLAIN, "isAllDay"):
        if name in body:
            event.fields[name] = body[name]
    if (event.fields["subject"] or "") and len(event.fields["subject"]) > 255:
        raise refuse("subject has more than 255 letters", "ErrorPropertyValidationFailure")
    if body.get("body") is not None:
        event.body = {"contentType": "text", "content": "", **body["body"]}
    if "location" in body:
        event.location = {"displayName": "", **(body["location"] or {})}
    if "attendees" in body:
        event.attendees = [_attendee(each) for each in body["attendees"] or []]
    write_extended(event.extended, body)


def write_extended(extended: dict[str, str], body: dict[str, Any]) -> None:
    """Have extended properties say what a body does; raises RefusedError."""
    for each in body.get("singleValueExtendedProperties") or []:
        if not _PROPERTY_ID.fullmatch(each.get("id") or "") or each.keys() != {"id", "value"}:
            raise refuse("an extended property has an id and a value", "ErrorPropertyIdInvalid")
        kind, value = each["id"].partition(" ")[0], each["value"] or ""
        if kind in _VALUES and not _VALUES[kind].fullmatch(value):
            raise refuse(f"{value} is no {kind}", "ErrorPropertyValueInvalid")
        extended[each["id"]] = value


def _attendee(said: dict[str, Any]) -> dict[str, Any]:
    address = said.get("emailAddress") or {}
    if "@" not in (address.get("address") or ""):
        raise refuse("an attendee has an address", "ErrorInvalidRecipients")
    return {
        "type": said.get("type") or "required",
        "status": {"response": "none", "time": "0001-01-01T00:00:00Z"} | (said.get("status") or {}),
        "emailAddress": {
            "name": address.get("name") or address["address"],
            "address": address["address"],
        },
    }


def _write_times(event: Event, body: dict[str, Any]) -> None:
    if "start" in body:
        event.start, event.zone = read_time(body["start"])
    if "end" in body:
        local, zone = read_time(body["end"])
        event.end = local if zone == event.zone else on_clock(in_utc(local, zone), event.zone)
    elif "start" in body:
        raise refuse("a start is changed with its end", "ErrorPropertyValidationFailure")
    if event.end < event.start:
        raise refuse("the event ends before it starts", "ErrorPropertyValidationFailure")
    if event.all_day:
        is_midnight = all(one == midnight(one.date()) for one in (event.start, event.end))
        if not is_midnight or event.end == event.start:
            raise refuse("a whole day is from midnight on", "ErrorPropertyValidationFailure")


def _write_recurrence(event: Event, wanted: dict[str, Any] | None) -> None:
    if event.master is not None and wanted is not None:
        raise refuse("an occurrence does not recur", "ErrorCalendarCannotUpdateRecurrence")
    zone = windows_name(event.zone)
    event.recurrence = series.checked(wanted, event.start.date(), zone) if wanted else None


def check_move(event: Event) -> None:
    """Raise RefusedError where an occurrence would pass another one of its series."""
    assert event.master is not None
    assert event.day is not None
    days = list(event.master.days())
    at = days.index(event.day)
    before, after = days[at - 1 : at] if at else [], days[at + 1 : at + 2]
    if any(event.master.at(day).start.date() >= event.start.date() for day in before) or any(
        event.master.at(day).start.date() <= event.start.date() for day in after
    ):
        raise refuse("it would pass another occurrence", "ErrorOccurrenceCrossingBoundary")


# -- showing ---------------------------------------------------------------------------------------
def shown(event: Event, owner: str, *, as_text: bool) -> dict[str, Any]:
    """Return all that is said of an event, in UTC."""
    is_mine = event.organizer == owner
    body = _body(event.body, as_text=as_text)
    fields = {
        **event.fields, "isAllDay": event.all_day, "body": body, "id": event.id,
        "bodyPreview": body["content"][:255], "changeKey": event.change,
        "createdDateTime": stamp(event.created), "lastModifiedDateTime": stamp(event.modified),
        "start": _shown_time(event, event.start), "end": _shown_time(event, event.end),
        "originalStartTimeZone": windows_name(event.zone), "type": event.kind,
        "originalEndTimeZone": windows_name(event.zone), "iCalUId": event.uid,
        "location": event.location, "locations": [], "attendees": event.attendees,
        "organizer": {"emailAddress": {"name": event.organizer, "address": event.organizer}},
        "isOrganizer": is_mine, "isCancelled": False, "isDraft": False, "hasAttachments": False,
        "recurrence": event.recurrence, "onlineMeetingUrl": None,
        "responseStatus": {"response": event.response, "time": "0001-01-01T00:00:00Z"},
        "transactionId": event.transaction_id, "webLink": f"https://outlook.example/{event.id}",
        "seriesMasterId": event.master.id if event.master else None,
    }  # fmt: skip
    if event.master is not None and event.day is not None:
        start = datetime.combine(event.day, event.master.start.time())
        utc = start.replace(tzinfo=UTC) if event.all_day else in_utc(start, event.master.zone)
        fields["originalStart"] = stamp(utc)
    return fields


def cancelled_of(event: Event) -> list[str]:
    return [f"OID.{event.id}.{day.isoformat()}" for day in sorted(event.cancelled)]


def _shown_time(event: Event, local: datetime) -> dict[str, str]:
    if event.all_day:
        return said(local, "UTC")
    return said(in_utc(local, event.zone).replace(tzinfo=None), "UTC")


def _body(body: dict[str, str], *, as_text: bool) -> dict[str, str]:
    content = body["content"]
    if not as_text:
        if body["contentType"] == "html":
            return {"contentType": "html", "content": content}
        lines = html.escape(content).replace("\r\n", "\n").replace("\n", "<br>\r\n")
        return {"contentType": "html", "content": f"<html><body>{lines}</body></html>"}
    if body["contentType"] == "html":
        content = html.unescape(_TAGS.sub("", re.sub(r"<br>\s*", "\n", content)))
    lines_ended = content.replace("\r\n", "\n").replace("\n", "\r\n")
    return {"contentType": "text", "content": f"{lines_ended}\r\n" if lines_ended else ""}


def overlaps(event: Event, start: datetime, end: datetime) -> bool:
    """Return True if an event takes place within a time."""
    zone = "UTC" if event.all_day else event.zone
    begins, ends = in_utc(event.start, zone), in_utc(event.end, zone)
    return begins < end and max(ends, begins + timedelta(microseconds=1)) > start
