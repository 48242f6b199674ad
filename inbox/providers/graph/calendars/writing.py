"""What is written of an event at Graph: all of a new one, else what changed of it. Pure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from inbox.formats.calendar_lines import Moment
from inbox.providers.graph.answers import Json
from inbox.providers.graph.calendars.parts import Part
from inbox.providers.graph.calendars.patterns import to_rule
from inbox.providers.graph.calendars.reading import (
    Known,
    is_same_recurrence,
    of_series,
    show_as,
    shown_as,
    status_of,
)
from inbox.providers.graph.calendars.rules import to_recurrence
from inbox.providers.graph.kept import NAME, REST, Kept, properties, write_kept
from inbox.providers.graph.zones import iana_name, windows_name
from inbox.providers.http.json_values import object_of


def new_event(uid: str, name: str, parts: Mapping[str, Part]) -> dict[str, Any]:
    """Return the body that makes an event, without its instances; raises UnsaidError, ValueError.

    Nobody is named as a guest there: Graph would write to them.
    """
    whole = parts[""]
    body = {
        "subject": whole.summary, "body": _body(whole), "showAs": _show_as(whole),
        "location": {"displayName": whole.location}, **_times(whole),
        "transactionId": str(uuid5(NAMESPACE_URL, f"urn:chancery:{name}")),
        "singleValueExtendedProperties": properties(
            {NAME: uid} | ({REST: said} if (said := write_kept(kept_of(parts))) else {})
        ),
    }  # fmt: skip
    if whole.rule:
        body["recurrence"] = to_recurrence(whole.rule, whole.start)
    return body


def changed_event(known: Known, uid: str, parts: Mapping[str, Part]) -> dict[str, Any]:
    """Return what is to change of an event as a whole; raises UnsaidError, ValueError."""
    before, whole, told = known.parts[""], parts[""], known.told[""]
    body = changed_part(before, whole, told)
    recurrence = object_of(told, "recurrence")
    if whole.rule != before.rule or (whole.rule and "start" in body):
        if not whole.rule:
            body["recurrence"] = None
        elif "start" in body or not is_same_recurrence(whole.rule, whole.start, recurrence):
            body["recurrence"] = to_recurrence(whole.rule, whole.start)
    guests = told.get("attendees")
    wanted = kept_of(parts, guests_told=bool(guests))
    said, kept = write_kept(wanted), write_kept(kept_of(known.parts, guests_told=bool(guests)))
    values = ({NAME: uid} if uid != known.uid else {}) | ({REST: said} if said != kept else {})
    if values:
        body["singleValueExtendedProperties"] = properties(values)
    return body


def changed_part(before: Part, part: Part, told: Json) -> dict[str, Any]:
    """Return what is to change of an event or an instance, but for how it recurs."""
    body: dict[str, Any] = {}
    if part.summary != before.summary:
        body["subject"] = part.summary
    if part.description != before.description:
        body["body"] = _body(part)
    if part.location != before.location:
        body["location"] = {"displayName": part.location}
    if _show_as(part) != shown_as(told):
        body["showAs"] = _show_as(part)
    if (part.start, part.end) != (before.start, before.end):
        body |= _times(part)
    return body


def _body(part: Part) -> dict[str, str]:
    return {"contentType": "text", "content": part.description}


def _show_as(part: Part) -> str:
    return show_as(part.status, is_transparent=part.is_transparent)


def _times(part: Part) -> dict[str, Any]:
    return {
        "isAllDay": part.start.is_day, "start": _time(part.start), "end": _time(part.end),
    }  # fmt: skip


def _time(moment: Moment) -> dict[str, str]:
    zone = windows_name(moment.zone or "UTC")
    return {"dateTime": f"{moment.local:%Y-%m-%dT%H:%M:%S}", "timeZone": zone}


# -- beyond Graph's words --------------------------------------------------------------------------
def kept_of(parts: Mapping[str, Part], *, guests_told: bool = False) -> dict[str, Kept]:
    """Return what has to be kept of each part, for Graph does not say it.

    `guests_told`: Graph has guests of its own, and so says who they are.
    """
    whole = parts[""]
    kept = {"": _kept(whole, guests_told=guests_told)}
    for stamp, part in parts.items():
        if stamp and part.status != "CANCELLED":
            kept[stamp] = _kept(part, guests_told=guests_told)
            if part.people == whole.people:
                kept[stamp] = replace(kept[stamp], people=())
    return kept


def _kept(part: Part, *, guests_told: bool) -> Kept:
    rule = ""
    if part.rule and to_rule(to_recurrence(part.rule, part.start), part.start) != part.rule:
        rule = part.rule
    zone = part.start.zone
    is_usual = status_of(_show_as(part)) == (part.status, part.is_transparent)
    return Kept(
        rule=rule, zone="" if iana_name(windows_name(zone)) == zone else zone,
        status="" if is_usual else part.status,
        is_transparent=not is_usual and part.is_transparent,
        people=() if guests_told else part.people, rest=part.rest,
    )  # fmt: skip


def reverted(known: Known, stamp: str) -> dict[str, Any]:
    """Return what makes a changed instance say again what its series does."""
    usual = of_series(known.parts[""], stamp)
    return changed_part(known.parts[stamp], usual, known.told[stamp])
