"""What Google would show to the guests of an event, and what it keeps from them.

Google never writes to anybody of what we do (`sendUpdates=none`), but to guests with a calendar of
its own it shows events all the same. So an event with guests is made as a private copy, which is
shown to nobody (`events.import`), and one whose guests Google serves is not changed.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from inbox.providers.change_store import ItemRefusedError
from inbox.providers.google.calendar.reading import OWNER_ADDED, email_of
from inbox.providers.http.json_values import object_of, objects_of
from inbox.reasons import phrase as _

# What a guest may say of an event without its organizer's leave: their own answer, which left
# under a seal, and whether it takes their time.
_OF_GUESTS = frozenset({"attendees", "transparency", "sequence"})


def others(addresses: Iterable[str], own: frozenset[str]) -> list[str]:
    """Return those addresses that are not the calendar's own."""
    return [one for one in addresses if one not in own]


def with_owner(body: dict[str, Any], owner: str, calendar: str) -> dict[str, Any]:
    """Return a private copy that Google takes: the calendar's owner has to have a part in it.

    Whom nobody invited is added to this copy alone, and left out again where it is read.
    """
    people = {email_of(one) for one in (body["organizer"], *body.get("attendees", ()))}
    if people & {owner, calendar.lower()}:
        return body
    added = {"email": owner, "responseStatus": "accepted"}
    return {
        **body,
        "attendees": [*body.get("attendees", ()), added],
        "extendedProperties": {"private": {OWNER_ADDED: owner}},
    }


def check_guests(own: frozenset[str], event: Mapping[str, Any], body: Mapping[str, Any]) -> None:
    """Raise ItemRefusedError for a change that Google would show to the guests of an event."""
    if event.get("privateCopy") is True:
        return
    there = objects_of(event, "attendees")
    own |= {email_of(one) for one in there if one.get("self") is True}
    named = [email_of(one) for one in (*there, *objects_of(body, "attendees"))]
    if not others(named, own):
        return
    organizer = object_of(event, "organizer")
    is_guest = organizer.get("self") is not True and email_of(organizer) not in own
    if not (is_guest and body.keys() <= _OF_GUESTS and _same_others(there, body, own)):
        words = _(
            "The server would write to the guests of this event by itself: change it with the "
            "program that invited them."
        )
        raise ItemRefusedError(words)


def _same_others(
    there: Iterable[Mapping[str, Any]], body: Mapping[str, Any], own: frozenset[str]
) -> bool:
    """Return True if a change says nothing else of those who are not us."""
    if "attendees" not in body:
        return True
    before = [dict(one) for one in there if email_of(one) not in own]
    after = [dict(one) for one in objects_of(body, "attendees") if email_of(one) not in own]
    return before == after
