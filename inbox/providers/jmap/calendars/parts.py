"""Parts of an event of JSCalendar (RFC 8984): its rules, its occurrences, its place. Pure."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from inbox.providers.http.json_values import object_of, text_of
from inbox.providers.jmap.calendars.times import Json

# What an instance cannot have otherwise than its series (RFC 8984 4.3.5).
_OF_SERIES = frozenset({
    "@type", "excludedRecurrenceRules", "method", "privacy", "prodId", "recurrenceId",
    "recurrenceIdTimeZone", "recurrenceOverrides", "recurrenceRule", "recurrenceRules", "relatedTo",
    "replyTo", "sentBy", "timeZones", "uid", "participantId",
})  # fmt: skip
_MOST_RULES, _DEEPEST = 20, 10


def overrides_of(event: Json) -> dict[str, Json]:
    """Return what differs in occurrences of an event, by their time on its clock."""
    found = object_of(event, "recurrenceOverrides").items()
    return {key: one for key, one in found if isinstance(one, dict)}


def effective(event: Json, key: str, override: Json) -> dict[str, Any]:
    """Return an occurrence with what differs in it (RFC 8984 4.3.5, RFC 8620 5.3)."""
    made: dict[str, Any] = deepcopy({
        name: it for name, it in event.items()
        if name not in ("recurrenceOverrides", "recurrenceRule", "recurrenceRules")
    })  # fmt: skip
    made["start"] = key
    for path, value in override.items():
        parts = [it.replace("~1", "/").replace("~0", "~") for it in path.split("/")[:_DEEPEST]]
        if parts[0] not in _OF_SERIES:
            _put(made, parts, value)
    return made


def _put(made: dict[str, Any], parts: list[str], value: Any) -> None:
    at: Any = made
    for part in parts[:-1]:
        at = at.get(part) if isinstance(at, dict) else None
    if isinstance(at, dict):
        at[parts[-1]] = value


def rules_of(event: Json) -> list[Json]:
    """Return the rules of a series; a server may have but one, under its own name."""
    many, one = event.get("recurrenceRules"), event.get("recurrenceRule")
    given = many if isinstance(many, list) else [one]
    found: list[Json] = [rule for rule in given if isinstance(rule, dict)]
    return found[:_MOST_RULES]


def main_location(event: Json) -> tuple[str, str]:
    """Return id and name of where an event takes place; empty ones where nothing says it."""
    found: Mapping[str, Any] = object_of(event, "locations")
    places = ((key, one) for key, one in found.items() if isinstance(one, dict))
    named = ((key, one_line(text_of(one, "name"))) for key, one in places
             if text_of(one, "relativeTo") != "end")  # fmt: skip
    return next(((key, name) for key, name in named if name), ("", ""))


def one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())
