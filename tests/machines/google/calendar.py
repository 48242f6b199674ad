"""Google Calendar v3: calendars, events with their series and changed instances, sync tokens."""

import itertools
import re
import uuid
from datetime import datetime
from typing import Any

from tests.machines.google.event_rules import (
    READ_ONLY,
    Calendar,
    as_time,
    check_event,
    check_match,
    check_times,
    is_instance_called_off,
    is_listed,
    now,
    shown,
)
from tests.machines.google.refusing import Refused
from tests.machines.google.series import instance_of, moment, occurrences
from tests.machines.google.server import Asked, GoogleServer
from tests.machines.google.tokens import Tokens

_ID = re.compile(r"[a-v0-9]{5,1024}")
_NOT_WITH_SYNC = {
    "iCalUID", "orderBy", "privateExtendedProperty", "q", "sharedExtendedProperty", "timeMin",
    "timeMax", "updatedMin",
}  # fmt: skip


class Calendars:
    """The service; `told` are the events of which Google would have written to somebody."""

    def __init__(self, server: GoogleServer) -> None:
        self.server, self.tokens = server, Tokens()
        self.revisions = itertools.count(1001)
        self.revision = 1000
        self.told: list[str] = []
        self.calendars: dict[str, Calendar] = {}
        self.add(Calendar(server.address, "Mira", is_primary=True))
        server.handlers |= {
            "calendar.calendarList.list": self.list_calendars,
            "calendar.events.list": self.list_events,
            "calendar.events.get": self.get,
            "calendar.events.insert": self.insert,
            "calendar.events.import": self.import_event,
            "calendar.events.patch": self.patch,
            "calendar.events.update": self.update,
            "calendar.events.delete": self.delete,
            "calendar.events.instances": self.instances,
        }

    def add(self, calendar: Calendar) -> Calendar:
        """Have another calendar."""
        self.calendars[calendar.id] = calendar
        return calendar

    def expire(self) -> None:
        """Forget all sync tokens."""
        self.tokens.syncs.clear()

    # -- calendars ---------------------------------------------------------------------------------
    def list_calendars(self, asked: Asked) -> dict[str, Any]:
        if asked.get("syncToken"):
            raise Refused(501, "notImplemented")
        call = ("calendars", asked.get("minAccessRole", ""))
        most = asked.get("maxResults", 100)
        if asked.get("pageToken"):
            page = self.tokens.next_page(call, asked["pageToken"], most)
        else:
            page = self.tokens.page(call, [*map(listed, self.calendars.values())], "", most)
        return {"kind": "calendar#calendarList", "etag": '"list"', **page}

    def calendar(self, asked: Asked, *, write: bool = False) -> Calendar:
        key = self.server.address if asked["calendarId"] == "primary" else asked["calendarId"]
        found = self.calendars.get(key)
        if found is None:
            raise Refused(404, "notFound", "Not Found")
        if write and found.role not in ("owner", "writer"):
            raise Refused(403, "requiredAccessLevel", "You need to have writer access")
        return found

    # -- reading -----------------------------------------------------------------------------------
    def list_events(self, asked: Asked) -> dict[str, Any]:
        calendar = self.calendar(asked)
        rest = {k: v for k, v in asked.parameters.items() if k not in ("pageToken", "syncToken")}
        call, most = ("events", repr(sorted(rest.items()))), asked.get("maxResults", 250)
        if asked.get("singleEvents"):
            raise Refused(501, "notImplemented")
        if asked.get("pageToken"):
            page = self.tokens.next_page(call, asked["pageToken"], most)
        else:
            found = self._found(calendar, asked, call)
            token = "" if "iCalUID" in rest else self.tokens.sync(call, self.revision)
            page = self.tokens.page(call, found, token, most)
        return {
            "kind": "calendar#events", "etag": f'"p{self.revision}"', "summary": calendar.summary,
            "updated": now(), "timeZone": calendar.zone, "accessRole": calendar.role,
            "defaultReminders": [], **page,
        }  # fmt: skip

    def _found(self, calendar: Calendar, asked: Asked, call: Any) -> list[dict[str, Any]]:
        since = 0
        if token := asked.get("syncToken"):
            if _NOT_WITH_SYNC & asked.parameters.keys() or asked.get("showDeleted") is False:
                raise Refused(400, "invalid", "Sync token cannot be used with this")
            known, since = self.tokens.syncs.get(token, (None, 0))
            if known is None:
                raise Refused(410, "fullSyncRequired", "Sync token is no longer valid")
            if known != call:
                raise Refused(400, "invalid", "The parameters are others than before")
        kinds = asked.get("eventTypes")
        return [
            shown(event, calendar)
            for key, event in calendar.events.items()
            if calendar.changed[key] > since
            and (since or asked.get("showDeleted") or is_listed(event, calendar))
            and (kinds is None or event.get("eventType", "default") in kinds)
            and event["iCalUID"] == asked.get("iCalUID", event["iCalUID"])
            # Of an instance that was called off nothing is promised but which one it is.
            and not ("iCalUID" in asked.parameters and is_instance_called_off(event))
        ]

    def get(self, asked: Asked) -> dict[str, Any]:
        calendar = self.calendar(asked)
        return shown(self._event(calendar, asked["eventId"]), calendar)

    def instances(self, asked: Asked) -> dict[str, Any]:
        calendar = self.calendar(asked)
        series = self._event(calendar, asked["eventId"])
        if "recurrence" not in series:
            raise Refused(400, "invalid", "The event is not recurring")
        if "originalStart" not in asked.parameters:
            raise Refused(501, "notImplemented")
        wanted = moment(as_time(asked["originalStart"]))
        found = [self._instance(calendar, series, start) for start in occurrences(series)
                 if start == wanted]  # fmt: skip
        items = [
            shown(it, calendar) for it in found
            if it["status"] != "cancelled" or asked.get("showDeleted")
        ]  # fmt: skip
        return {
            "kind": "calendar#events", "etag": '"i"', "summary": calendar.summary,
            "timeZone": calendar.zone, "accessRole": calendar.role, "items": items,
        }  # fmt: skip

    def _instance(
        self, calendar: Calendar, series: dict[str, Any], start: datetime
    ) -> dict[str, Any]:
        made = instance_of(series, start)
        return calendar.events.get(made["id"], made)

    def _event(self, calendar: Calendar, key: str) -> dict[str, Any]:
        if key in calendar.events:
            return calendar.events[key]
        series = calendar.events.get(key.rpartition("_")[0])
        if series is not None and "recurrence" in series and series["status"] != "cancelled":
            for start in occurrences(series):
                made = instance_of(series, start)
                if made["id"] == key:
                    return made
        raise Refused(404, "notFound", "Not Found")

    # -- writing -----------------------------------------------------------------------------------
    def insert(self, asked: Asked) -> dict[str, Any]:
        calendar, body = self.calendar(asked, write=True), dict(asked.body)
        if "organizer" in body:
            raise Refused(400, "invalid", "organizer is read-only")
        if "id" in body and "iCalUID" in body:
            raise Refused(400, "invalid", "only one of id and iCalUID")
        if not _ID.fullmatch(body.get("id", "00000")):
            raise Refused(400, "invalid", "Invalid resource id value.")
        key = body.get("id") or uuid.uuid4().hex[:26]
        own = {"email": calendar.id, "self": True}
        made = self._make(calendar, key, body, {"organizer": own})
        return self._written(calendar, made, asked)

    def import_event(self, asked: Asked) -> dict[str, Any]:
        calendar, body = self.calendar(asked, write=True), dict(asked.body)
        if "id" in body or not body.get("iCalUID"):
            raise Refused(400, "required", "iCalUID is required")
        organizer = body.pop("organizer", {"email": calendar.id})
        people = [organizer["email"], *(it["email"] for it in body.get("attendees", ()))]
        if self.server.address not in people and calendar.id not in people:
            raise Refused(400, "participantIsNeitherOrganizerNorAttendee")
        if organizer["email"] == self.server.address:
            organizer = {**organizer, "self": True}
        more = {"organizer": organizer, "privateCopy": True}
        made = self._make(calendar, uuid.uuid4().hex[:26], body, more)
        return self._written(calendar, made, asked)

    def _make(
        self, calendar: Calendar, key: str, body: dict[str, Any], more: dict[str, Any]
    ) -> dict[str, Any]:
        uid = body.get("iCalUID") or f"{key}@google.com"
        taken = [it for it in calendar.events.values() if it["iCalUID"] == uid]
        if key in calendar.events or taken:
            raise Refused(409, "duplicate", "The requested identifier already exists.")
        check_event(body)
        if not {"start", "end"} <= body.keys():
            raise Refused(400, "required", "Missing start or end time.")
        made = {
            "status": "confirmed", "eventType": "default", "sequence": 0, **body, **more,
            "kind": "calendar#event", "id": key, "iCalUID": uid, "created": now(),
            "creator": {"email": self.server.address, "self": True},
            "htmlLink": f"https://www.google.com/calendar/event?eid={key}",
            "reminders": body.get("reminders", {"useDefault": True}),
        }  # fmt: skip
        if made["status"] == "cancelled":
            raise Refused(400, "invalid", "Invalid status")
        return made

    def patch(self, asked: Asked) -> dict[str, Any]:
        calendar, before = self._to_change(asked)
        after = dict(before)
        for name, value in asked.body.items():
            if value is None:
                after.pop(name, None)
            elif isinstance(value, dict) and isinstance(before.get(name), dict):
                merged = {**before[name], **value}
                after[name] = {key: it for key, it in merged.items() if it is not None}
            else:
                after[name] = value
        return self._changed(calendar, before, after, asked)

    def update(self, asked: Asked) -> dict[str, Any]:
        calendar, before = self._to_change(asked)
        kept = {*READ_ONLY, "id", "iCalUID", "organizer", "eventType", "privateCopy", "sequence"}
        own = {name: value for name, value in before.items() if name in kept}
        return self._changed(calendar, before, {"status": "confirmed", **own, **asked.body}, asked)

    def _to_change(self, asked: Asked) -> tuple[Calendar, dict[str, Any]]:
        calendar = self.calendar(asked, write=True)
        found = self._event(calendar, asked["eventId"])
        if {"id", "iCalUID", "organizer", "privateCopy"} & (asked.body or {}).keys():
            raise Refused(400, "invalid", "read-only")
        check_match(found, asked)
        return calendar, found

    def _changed(
        self, calendar: Calendar, before: dict[str, Any], after: dict[str, Any], asked: Asked
    ) -> dict[str, Any]:
        check_event(asked.body)
        if "recurringEventId" in before and "recurrence" in asked.body:
            raise Refused(400, "invalid", "Cannot turn an instance of a recurring event into one")
        if after.get("sequence", 0) < before["sequence"]:
            raise Refused(400, "invalid", "Invalid sequence value")
        check_times(after)
        if before["start"] != after["start"] and after["sequence"] == before["sequence"]:
            after["sequence"] += 1
        return self._written(calendar, after, asked)

    def delete(self, asked: Asked) -> None:
        calendar = self.calendar(asked, write=True)
        found = self._event(calendar, asked["eventId"])
        if found["status"] == "cancelled":
            raise Refused(410, "deleted", "Resource has been deleted")
        check_match(found, asked)
        self._written(calendar, {**found, "status": "cancelled"}, asked)

    def _written(self, calendar: Calendar, event: dict[str, Any], asked: Asked) -> dict[str, Any]:
        self._keep(calendar, event)
        others = [it for it in event.get("attendees", ()) if it["email"] != self.server.address]
        if others and (not event.get("privateCopy") or asked.get("sendUpdates", "none") != "none"):
            # Those at Google see it in their calendars, whether or not Google writes to them.
            self.told.append(event["id"])
        if "recurrence" in event or event["status"] == "cancelled":
            self._follow(calendar, event)
        return shown(event, calendar)

    def _keep(self, calendar: Calendar, event: dict[str, Any]) -> None:
        self.revision = next(self.revisions)
        event |= {"etag": f'"{self.revision}"', "updated": now()}
        for person in event.get("attendees", ()):
            person.setdefault("responseStatus", "needsAction")
            if person["email"] == self.server.address:
                person["self"] = True
        calendar.events[event["id"]] = event
        calendar.changed[event["id"]] = self.revision

    def _follow(self, calendar: Calendar, series: dict[str, Any]) -> None:
        """Call off the changed instances that a series does not have any more."""
        is_gone = series["status"] == "cancelled" or "recurrence" not in series
        starts = set() if is_gone else set(occurrences(series))
        for event in [*calendar.events.values()]:
            is_of_it = event.get("recurringEventId") == series["id"]
            if not is_of_it or event["status"] == "cancelled":
                continue
            if moment(event["originalStartTime"]) not in starts:
                self._keep(calendar, {**event, "status": "cancelled"})


def listed(calendar: Calendar) -> dict[str, Any]:
    entry = {
        "kind": "calendar#calendarListEntry", "etag": f'"{calendar.id}"', "id": calendar.id,
        "summary": calendar.summary, "timeZone": calendar.zone, "accessRole": calendar.role,
        "backgroundColor": calendar.color, "foregroundColor": "#000000", "selected": True,
        "defaultReminders": [],
    }  # fmt: skip
    return entry | ({"primary": True} if calendar.is_primary else {})
