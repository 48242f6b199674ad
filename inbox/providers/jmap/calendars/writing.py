"""Events of iCalendar as JSCalendar (RFC 8984), and the patch between two states of one. Pure.

Only what differs is patched. What is said of an instance that iCalendar has no words for, or that
we leave as it is, stays in its override.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inbox.providers.http.json_values import object_of, text_of
from inbox.providers.jmap.calendars.parts import effective, main_location, overrides_of
from inbox.providers.jmap.calendars.people import NOBODY, People, participants, rebuilt
from inbox.providers.jmap.calendars.said import Said, Series
from inbox.providers.jmap.calendars.times import (
    Json,
    Words,
    at_clock,
    duration_between,
    like,
    local_of,
    said_local,
    times_of,
)
from inbox.providers.jmap.patches import map_patch

_TEXTS = ("title", "description", "status")
# What of an override is ours to say; all else in it stays.
_OURS = frozenset({
    "title", "description", "descriptionContentType", "status", "freeBusyStatus", "sequence",
    "start", "duration", "timeZone", "showWithoutTime", "locations", "participants", "excluded",
})  # fmt: skip


def body_of(series: Series, words: Words) -> dict[str, Any]:
    """Return a new event; raises ValueError."""
    said = series.itself
    made: dict[str, Any] = {
        "@type": words.type,
        "uid": series.uid,
        **times_of(said.start, said.end, words),
    }
    made |= _difference({}, replace(said, **_BLANK), said, words)
    if series.rules:
        made |= _rules(series, words)
    before = replace(series, instances={}, added=frozenset(), left_out=frozenset())
    return made | _overrides({}, before, series, words)


_BLANK: dict[str, Any] = {
    "title": "", "description": "", "location": "", "status": "confirmed", "is_free": False,
    "sequence": 0, "people": NOBODY,
}  # fmt: skip


def patch_of(event: Json, before: Series, after: Series, words: Words) -> dict[str, Any]:
    """Return what has to change so that an event says `after`; raises ValueError."""
    patch = _difference(event, before.itself, after.itself, words)
    if before.rules != after.rules:
        patch |= _rules(after, words)
    return patch | _overrides(event, before, after, words)


def _rules(series: Series, words: Words) -> dict[str, Any]:
    if not words.has_one_rule:
        return {"recurrenceRules": list(series.rules) or None}
    if len(series.rules) > 1:
        raise ValueError("it has more than one rule of recurrence")
    return {"recurrenceRule": series.rules[0] if series.rules else None}


def _difference(event: Json, before: Said, after: Said, words: Words) -> dict[str, Any]:
    """Return what differs of an event by itself."""
    patch: dict[str, Any] = {
        name: getattr(after, name)
        for name in _TEXTS
        if getattr(after, name) != getattr(before, name)
    }
    if "description" in patch and text_of(event, "descriptionContentType").startswith("text/html"):
        patch["descriptionContentType"] = "text/plain"
    if (before.start, before.end) != (after.start, after.end):
        old = times_of(before.start, before.end, words)
        new = times_of(after.start, after.end, words)
        patch |= {name: it for name, it in new.items() if it != old[name]}
    if before.is_free != after.is_free:
        patch["freeBusyStatus"] = "free" if after.is_free else "busy"
    if after.sequence > before.sequence:
        patch["sequence"] = after.sequence
    if before.location != after.location:
        patch |= _location(event, after.location)
    if before.people != after.people:
        patch |= _people(event, before.people, after.people)
    return patch


def _location(event: Json, name: str) -> dict[str, Any]:
    """Return what names the place anew: one of another name is another place."""
    key = main_location(event)[0]
    made = [(key, {"@type": "Location", "name": name})] if name else []
    return map_patch(event, "locations", [key] if key else [], made)


def _people(event: Json, before: People, after: People) -> dict[str, Any]:
    if not after.guests and not after.organizer[0]:
        return {"participants": None, "replyTo": None}
    ids = [key for key, _one in participants(event)]
    patch = map_patch(event, "participants", ids, rebuilt(event, before, after))
    if after.organizer[0] and after.organizer[0] != before.organizer[0]:
        patch["replyTo"] = {"imip": f"mailto:{after.organizer[0]}"}
    return patch


# -- occurrences -----------------------------------------------------------------------------------
def _overrides(event: Json, before: Series, after: Series, words: Words) -> dict[str, Any]:
    """Return what differs of the occurrences of a series, all of them where anything does."""
    told = (before.instances, before.added, before.left_out, before.itself)
    if told == (after.instances, after.added, after.left_out, after.itself):
        return {}
    old, made = overrides_of(event), dict[str, Any]()
    for key in sorted(after.left_out | after.added | after.instances.keys()):
        there = old.get(key, {})
        if key in after.left_out:
            made[key] = there if there.get("excluded") is True else {"excluded": True}
        elif key in after.instances:
            made[key] = _override(event, before, after, key, words)
        else:
            made[key] = {}
    # An instance that says what its series does is none; one that was added still takes place.
    kept = {key: it for key, it in made.items() if it or key in after.added}
    if kept == old:
        return {}
    return {"recurrenceOverrides": kept or None}


def _override(event: Json, before: Series, after: Series, key: str, words: Words) -> dict[str, Any]:
    """Return what differs in an instance."""
    old, said, series = overrides_of(event).get(key, {}), after.instances[key], after.itself
    known = before.instances.get(key)
    if known == said and before.itself == series:
        return dict(old)
    made = {path: it for path, it in old.items() if path.partition("/")[0] not in _OURS}
    made |= _times(key, said, series, words)
    made |= {
        name: getattr(said, name) for name in _TEXTS if getattr(said, name) != getattr(series, name)
    }
    if said.is_free != series.is_free:
        made["freeBusyStatus"] = "free" if said.is_free else "busy"
    if said.sequence > series.sequence:
        made["sequence"] = said.sequence
    for name in ("locations", "participants"):
        if (wanted := _part(name, said)) == _part(name, series):
            continue
        is_as_before = known and _part(name, known) == wanted
        if is_as_before and _part(name, before.itself) == _part(name, series):
            made |= {path: it for path, it in old.items() if path.partition("/")[0] == name}
        else:
            instance, was = effective(event, key, old), known or before.itself
            of = _places if name == "locations" else _guests
            made[name] = of(instance, was, said)
    return made


def _part(name: str, said: Said) -> Any:
    return said.location if name == "locations" else said.people.guests


def _times(key: str, said: Said, series: Said, words: Words) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if said.start.is_day != series.start.is_day:
        return times_of(said.start, said.end, words)
    start = like(said.start, series.start)
    if start != at_clock(local_of(key), series.start):
        made["start"] = said_local(start.local)
    lasts = duration_between(said.start, said.end, words)
    if lasts != duration_between(series.start, series.end, words):
        made["duration"] = lasts
    return made


def _places(instance: Json, _before: Said, said: Said) -> dict[str, Any] | None:
    key = main_location(instance)[0]
    kept = {name: it for name, it in object_of(instance, "locations").items() if name != key}
    made = {
        **kept,
        **({key or "n1": {"@type": "Location", "name": said.location}} if said.location else {}),
    }
    return made or None


def _guests(instance: Json, before: Said, said: Said) -> dict[str, Any] | None:
    people = People(before.people.organizer, said.people.guests)
    made = rebuilt(instance, before.people, people)
    patch: Mapping[str, Any] = map_patch({}, "participants", [], made)
    return patch.get("participants")
