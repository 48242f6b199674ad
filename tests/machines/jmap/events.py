"""What an event has to be (RFC 8984): the properties that are not so are returned."""

import re
from typing import Any

_LOCAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_DURATION = re.compile(r"P(?=[\dT])(?:\d+W)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?")
_KNOWN = {
    "@type", "uid", "id", "calendarIds", "title", "description", "descriptionContentType", "start",
    "duration", "timeZone", "showWithoutTime", "status", "freeBusyStatus", "privacy", "sequence",
    "priority", "color", "keywords", "categories", "locations", "virtualLocations", "links",
    "recurrenceRules", "excludedRecurrenceRules", "recurrenceOverrides", "participants", "replyTo",
    "alerts", "useDefaultAlerts", "prodId", "created", "updated", "relatedTo", "localizations",
}  # fmt: skip
_RULE = {
    "@type", "frequency", "interval", "rscale", "skip", "firstDayOfWeek", "byDay", "byMonthDay",
    "byMonth", "byYearDay", "byWeekNo", "byHour", "byMinute", "bySecond", "bySetPosition", "count",
    "until",
}  # fmt: skip
_ROLES = {"owner", "attendee", "optional", "informational", "chair", "contact"}
_ANSWERS = {"needs-action", "accepted", "declined", "tentative", "delegated"}
_ONE_OF = {
    "status": {"confirmed", "cancelled", "tentative"}, "freeBusyStatus": {"free", "busy"},
    "privacy": {"public", "private", "secret"},
    "descriptionContentType": {"text/plain", "text/html"},
}  # fmt: skip


def check_event(event: dict[str, Any]) -> list[str]:
    """Return the properties that are not as RFC 8984 has them."""
    wrong = [name for name in event if name not in _KNOWN and ":" not in name]
    if event.get("@type") != "Event" or not _is_text(event.get("uid")):
        wrong.append("@type")
    if not _LOCAL.fullmatch(event.get("start", "")):
        wrong.append("start")
    if not _DURATION.fullmatch(event.get("duration", "PT0S")):
        wrong.append("duration")
    is_day = event.get("showWithoutTime", False)
    if is_day not in (True, False) or (is_day and not event["start"].endswith("T00:00:00")):
        wrong.append("showWithoutTime")
    wrong += [
        name
        for name, allowed in _ONE_OF.items()
        if event.get(name, next(iter(allowed))) not in allowed
    ]
    wrong += [name for name in ("title", "description") if not isinstance(event.get(name, ""), str)]
    checks = {"recurrenceRules": _are_rules, "participants": _are_people, "locations": _are_places,
              "recurrenceOverrides": _are_overrides}  # fmt: skip
    return wrong + [
        name for name, fits in checks.items() if name in event and not fits(event[name])
    ]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _are_rules(rules: Any) -> bool:
    return isinstance(rules, list) and bool(rules) and all(
        rule.get("@type") == "RecurrenceRule" and set(rule) <= _RULE
        and not {"count", "until"} <= rule.keys()
        and _LOCAL.fullmatch(rule.get("until", "2026-01-01T00:00:00"))
        and all(it.get("day") in ("mo", "tu", "we", "th", "fr", "sa", "su")
                for it in rule.get("byDay", []))
        and all(isinstance(it, str) for it in rule.get("byMonth", []))
        for rule in rules
    )  # fmt: skip


def _are_people(people: Any) -> bool:
    return isinstance(people, dict) and bool(people) and all(
        one.get("@type") == "Participant" and bool(one.get("roles"))
        and set(one["roles"]) <= _ROLES and all(it is True for it in one["roles"].values())
        and one.get("participationStatus", "accepted") in _ANSWERS
        and one.get("expectReply", False) in (True, False)
        for one in people.values()
    )  # fmt: skip


def _are_places(places: Any) -> bool:
    return isinstance(places, dict) and bool(places) and all(
        one.get("@type") == "Location" and _is_text(one.get("name")) for one in places.values()
    )  # fmt: skip


def _are_overrides(found: Any) -> bool:
    return isinstance(found, dict) and bool(found) and all(
        _LOCAL.fullmatch(key) and isinstance(one, dict)
        and ("excluded" not in one or one == {"excluded": True})
        and not {"uid", "recurrenceRules", "recurrenceOverrides", "replyTo"} & one.keys()
        for key, one in found.items()
    )  # fmt: skip
