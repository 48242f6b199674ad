"""The guests of events that Graph serves: it writes to them of each change by itself.

An event of ours is made there without guests; who they are is kept beside (`kept`), and they are
invited from here. One that has guests there is told of by Graph whatever is changed of it, by whom
it was invited to: such a change is refused. A guest may change what nobody hears of, and answer;
Graph is then asked to send nothing.
"""

from collections.abc import Mapping
from typing import Any

from inbox.formats.calendar_lines import split_line
from inbox.providers.change_store import ItemRefusedError
from inbox.providers.graph.answers import Json
from inbox.providers.graph.calendars.parts import Part
from inbox.providers.graph.calendars.reading import Known
from inbox.providers.http.json_values import objects_of
from inbox.reasons import phrase as _

# What an answer is called there; one that was declined is taken out of the calendar.
ANSWERS = {"ACCEPTED": "accept", "TENTATIVE": "tentativelyAccept"}
_OF_GUESTS = frozenset({"showAs", "singleValueExtendedProperties"})


def has_guests(known: Known) -> bool:
    """Return True if Graph has guests of an event, or of an instance of it."""
    whole = known.told[""]
    instances = objects_of(whole, "exceptionOccurrences")
    return any(objects_of(one, "attendees") for one in (whole, *instances))


def check_organizer(known: Known) -> None:
    """Raise ItemRefusedError for an event of whose change or end Graph would tell its guests."""
    if has_guests(known) and not is_guest(known.told[""]):
        words = _(
            "The server would write to the guests of this event by itself: change it with the "
            "program that invited them."
        )
        raise ItemRefusedError(words)


def is_guest(told: Json) -> bool:
    """Return True if somebody else organises an event."""
    return told.get("isOrganizer") is False


def check_guest(known: Known, parts: Mapping[str, Part], body: Mapping[str, Any]) -> None:
    """Raise ItemRefusedError where a guest changes what is the organizer's to say."""
    if not has_guests(known):
        return
    is_same = parts[""].excluded == known.parts[""].excluded and all(
        parts.get(stamp) == known.parts.get(stamp)
        for stamp in (parts.keys() | known.parts.keys()) - {""}
    )
    if body.keys() - _OF_GUESTS or not is_same:
        raise ItemRefusedError(_("Only its organizer changes this event."))


def answer_of(before: Part, part: Part, own: str) -> str:
    """Return the answer of whoever signed in where it changed; raises ItemRefusedError for more."""
    there, wanted = _people(before), _people(part)
    mine = wanted.get(own, "")
    if mine == there.get(own, ""):
        answer = ""
    elif mine in ANSWERS:
        answer = mine
    else:
        words = _("Graph would take this event out of the calendar: answer it there.")
        raise ItemRefusedError(words)
    if {**there, own: ""} != {**wanted, own: ""}:
        raise ItemRefusedError(_("Only its organizer changes this event."))
    return answer


def _people(part: Part) -> dict[str, str]:
    """Return the answers of guests by their address, and who invites."""
    found = {}
    for line in part.people:
        name, params, value = split_line(line)
        address = value.strip().lower().removeprefix("mailto:")
        if name == "ORGANIZER":
            found[f"{name} {address}"] = name
        else:
            found[address] = params.get("PARTSTAT", "NEEDS-ACTION").upper()
    return found
