"""Calendars of an account and what is done with their events."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from tests.machines.api_server import Call, Reply
from tests.machines.graph.checking import check_answer, refuse
from tests.machines.graph.events import (
    Event,
    cancelled_of,
    check_move,
    new_id,
    occurrence_id,
    overlaps,
    shown,
    write,
)
from tests.machines.graph.mailbox import Mailbox, Served, body_of, check_match
from tests.machines.graph.queries import (
    Asked,
    check_prefers,
    named_property,
    read_query,
    select,
)
from tests.machines.graph.times import in_utc, read_offset, stamp, windows_name

_HIDDEN = ("cancelledOccurrences",)
_SINCE = re.compile(r"lastModifiedDateTime ge (\S+Z)")
_SPAN = {"startDateTime", "endDateTime"}


@dataclass
class Calendar:
    """A calendar, with its single events and the masters of its series."""

    name: str
    id: str = field(default_factory=new_id)
    color: str = "#0078d4"
    can_edit: bool = True
    is_default: bool = False
    events: dict[str, Event] = field(default_factory=dict)

    def shown(self, owner: str) -> dict[str, Any]:
        return {
            "id": self.id, "name": self.name, "hexColor": self.color, "color": "auto",
            "canEdit": self.can_edit, "isDefaultCalendar": self.is_default, "canShare": True,
            "canViewPrivateItems": True, "changeKey": "key", "isRemovable": not self.is_default,
            "isTallyingResponses": True, "owner": {"name": owner, "address": owner},
        }  # fmt: skip


# -- calendars -------------------------------------------------------------------------------------
def list_calendars(served: Served, call: Call) -> Reply:
    asked = read_query(call, "calendar", {"$select", "$top"})
    box = served.box
    found = [each.shown(box.address) for each in box.calendars.values()]
    return served.page(call, "calendar", [select(asked, each) for each in found], asked)


def _calendar(served: Served, id: str) -> Calendar:  # noqa: A002
    found = served.box.calendars.get(id)
    if found is None:
        raise refuse("The specified object was not found in the store.", "ErrorItemNotFound", 404)
    return found


# -- reading events --------------------------------------------------------------------------------
def list_events(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    asked = read_query(
        call, "event", {"$select", "$top", "$filter", "$count", "$orderby", "$expand"}
    )
    found = list(_calendar(served, id).events.values())
    if asked.filter:
        found = [each for each in found if _is_wanted(each, asked.filter)]
    if asked.orderby not in ("", "lastModifiedDateTime"):
        raise refuse(f"$orderby={asked.orderby} is not supported", "BadRequest")
    key = (lambda it: it.modified) if asked.orderby else (lambda it: in_utc(it.start, it.zone))
    full = [_answer(served, call, asked, each) for each in sorted(found, key=key)]
    return served.page(call, "event", full, asked)


def _is_wanted(event: Event, text: str) -> bool:
    if since := _SINCE.fullmatch(text):
        return event.modified >= read_offset(since[1])
    name, value = named_property(text)
    return event.extended.get(name) == value


def get_event(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    asked = read_query(call, "event", {"$select", "$expand"})
    _calendar_of, event = _find(served.box, id)
    full = _answer(served, call, asked, event)
    check_answer("event", full)
    return Reply(body=full)


def list_instances(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    asked = read_query(call, "event", {"$select", "$top"} | _SPAN)
    if asked.times.keys() != _SPAN:
        raise refuse("startDateTime and endDateTime are needed", "ErrorInvalidParameter")
    _calendar_of, event = _find(served.box, id)
    if event.recurrence is None:
        raise refuse("it is not the master of a series", "ErrorCalendarOccurrence")
    start, end = (read_offset(asked.times[name]) for name in ("startDateTime", "endDateTime"))
    found = [one for one in _instances(event) if overlaps(one, start, end)]
    full = [_answer(served, call, asked, one) for one in found]
    return served.page(call, "event", full, asked)


def _instances(master: Event) -> Iterator[Event]:
    return (master.at(day) for day in master.days())


def _find(box: Mailbox, id: str) -> tuple[Calendar, Event]:  # noqa: A002
    for calendar in box.calendars.values():
        if id in calendar.events:
            return calendar, calendar.events[id]
        for master in calendar.events.values():
            found = _find_instance(master, id)
            if found is not None:
                return calendar, found
    raise refuse("The specified object was not found in the store.", "ErrorItemNotFound", 404)


def _find_instance(master: Event, id: str) -> Event | None:  # noqa: A002
    if not id.startswith(f"{master.id[:-1]}."):
        return None
    day = date.fromisoformat(id[-9:-1])
    return master.at(day) if day in master.days() else None


def _answer(served: Served, call: Call, asked: Asked, event: Event) -> dict[str, Any]:
    prefers = check_prefers(call)
    if 'outlook.timezone="UTC"' not in prefers and asked.select is None:
        # Without it the zone is the mailbox's own; a client that says nothing is mistaken.
        raise refuse("the time zone was not said")
    full = shown(event, served.box.address, as_text='outlook.body-content-type="text"' in prefers)
    full["cancelledOccurrences"] = cancelled_of(event)
    found = select(asked, full, _HIDDEN)
    found["@odata.etag"] = event.etag
    if "exceptionOccurrences" in asked.expand:
        plain = Asked()
        found["exceptionOccurrences"] = [
            _answer(served, call, plain, event.exceptions[day]) for day in sorted(event.exceptions)
        ]
    if (wanted := asked.expand.get("singleValueExtendedProperties")) is not None:
        kept = [{"id": it, "value": event.extended[it]} for it in wanted & event.extended.keys()]
        if kept:
            found["singleValueExtendedProperties"] = kept
    return served.with_ids(call, found, ("id", "seriesMasterId"))


# -- changing events -------------------------------------------------------------------------------
def create_event(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    asked = read_query(call, "event", set())
    calendar, body = _editable(served, id), body_of(call)
    box = served.box
    made = write(None, body, served.now(), box.address)
    for each in calendar.events.values():
        if made.transaction_id and each.transaction_id == made.transaction_id:
            # What was created under this name before is answered with.
            return Reply(201, _answer(served, call, asked, each))
    made.touch(served.now())
    made.created = made.modified
    calendar.events[made.id] = made
    _tell(box, "invitation", made)
    return Reply(201, _answer(served, call, asked, made))


def _editable(served: Served, id: str) -> Calendar:  # noqa: A002
    calendar = _calendar(served, id)
    if not calendar.can_edit:
        raise refuse("Access is denied.", "ErrorAccessDenied", 403)
    return calendar


def update_event(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    asked = read_query(call, "event", set())
    calendar, event = _find(served.box, id)
    _editable(served, calendar.id)
    check_match(call, event.etag)
    before = list(event.attendees)
    made = write(event, body_of(call), served.now(), served.box.address)
    if made.master is not None:
        check_move(made)
    made.touch(served.now())
    _keep(calendar, made)
    _tell(served.box, "update", made, before)
    return Reply(body=_answer(served, call, asked, made))


def _keep(calendar: Calendar, event: Event) -> None:
    if event.master is None:
        calendar.events[event.id] = event
        for one in event.exceptions.values():
            one.master = event
    else:
        assert event.day is not None
        event.master.exceptions[event.day] = event


def delete_event(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    read_query(call, "event", set())
    calendar, event = _find(served.box, id)
    _editable(served, calendar.id)
    check_match(call, event.etag)
    if event.master is None:
        del calendar.events[event.id]
    else:
        assert event.day is not None
        event.master.exceptions.pop(event.day, None)
        event.master.cancelled.add(event.day)
        event.touch(served.now())
    if event.organizer == served.box.address:
        _tell(served.box, "cancellation", event)
    return Reply(204)


def respond(served: Served, call: Call, id: str, action: str) -> Reply:  # noqa: A002
    read_query(call, "event", set())
    calendar, event = _find(served.box, id)
    body = body_of(call) if call.body else {}
    if body.keys() - {"comment", "sendResponse"}:
        raise refuse(f"{action} takes no such parameter")
    if event.organizer == served.box.address:
        raise refuse("You can't respond to this meeting: you're its organizer.")
    made = {"accept": "accepted", "decline": "declined"}.get(action, "tentativelyAccepted")
    event.response = made
    for each in event.attendees:
        if each["emailAddress"]["address"] == served.box.address:
            each["status"] = {"response": made, "time": stamp(served.now())}
    event.touch(served.now())
    if made == "declined":
        del calendar.events[event.id]
    if body.get("sendResponse", True):
        served.box.sent.append(("response", event.fields["subject"], (event.organizer,)))
    return Reply(202)


def _tell(
    box: Mailbox, kind: str, event: Event, before: list[dict[str, Any]] | None = None
) -> None:
    """Write to the guests of a meeting, as Exchange does by itself."""
    people = [*event.attendees, *(before or ())]
    to = tuple(sorted({each["emailAddress"]["address"] for each in people}))
    if to and event.organizer == box.address:
        box.sent.append((kind, event.fields["subject"] or "", to))


# -- for tests -------------------------------------------------------------------------------------
def invite(
    box: Mailbox, calendar: Calendar, subject: str, start: datetime, *, organizer: str,
    guests: tuple[str, ...], recurrence: dict[str, Any] | None = None,
) -> Event:  # fmt: skip
    """Have a meeting arrive in a calendar, as from Outlook; `start` is on Berlin's clock."""
    zone = windows_name("Europe/Berlin")
    said = {"timeZone": zone}
    body = {
        "subject": subject, "start": {"dateTime": f"{start:%Y-%m-%dT%H:%M:%S}", **said},
        "end": {"dateTime": f"{start + timedelta(hours=1):%Y-%m-%dT%H:%M:%S}", **said},
        "attendees": [{"emailAddress": {"address": one, "name": "Guest"}} for one in guests],
        "recurrence": recurrence,
    }  # fmt: skip
    moment = box.clock.now()
    event = write(None, body, moment, organizer)
    event.response = "organizer" if organizer == box.address else "notResponded"
    event.touch(moment)
    calendar.events[event.id] = event
    return event


def day_of(event: Event, day: date) -> str:
    """Return the id of what takes place on a day of a series."""
    return occurrence_id(event, day)
