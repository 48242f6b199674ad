"""Whoever is in an event: participants (RFC 8984 4.4.6), as ORGANIZER and ATTENDEE lines. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from inbox.formats.calendar_lines import make_line, split_line
from inbox.formats.content_lines import Block
from inbox.providers.http.json_values import object_of, text_of
from inbox.providers.jmap.calendars.times import Json

_ADDRESS = re.compile(r"[^\s<>:;,\"]{1,250}@[^\s<>:;,\"]{1,250}")
_STATUSES = frozenset({"needs-action", "accepted", "declined", "tentative", "delegated"})
# The role of a guest by what makes it one, the strongest first.
_ROLES = {
    "chair": "CHAIR", "optional": "OPT-PARTICIPANT", "informational": "NON-PARTICIPANT",
    "attendee": "REQ-PARTICIPANT",
}  # fmt: skip
_MOST = 2_000


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who is invited; `status` and `role` are JSCalendar's."""

    name: str = ""
    status: str = "needs-action"
    role: str = "attendee"
    is_waited_for: bool = False


@dataclass(frozen=True, slots=True)
class People:
    """Who invites, by address and name, and the guests by their address."""

    organizer: tuple[str, str]
    guests: Mapping[str, Guest]


NOBODY = People(("", ""), {})


def address_of(one: Json) -> str:
    """Return a participant's address in lower case; empty where it has none by mail."""
    said = (text_of(object_of(one, "sendTo"), "imip"), text_of(one, "calendarAddress"),
            f"mailto:{text_of(one, 'email')}")  # fmt: skip
    return next((found for it in said if (found := email_of(it))), "")


def email_of(uri: str) -> str:
    """Return the address of a mailto: URI in lower case, empty for what is none."""
    scheme, _, rest = uri.strip().lower().partition(":")
    return rest if scheme == "mailto" and _ADDRESS.fullmatch(rest) else ""


# -- read ------------------------------------------------------------------------------------------
def people_in(event: Json) -> People:
    """Return who is in an event of JSCalendar."""
    found = [one for _key, one in participants(event)]
    inviting = next((one for one in found if object_of(one, "roles").get("owner") is True), {})
    said = (
        text_of(object_of(event, "replyTo"), "imip"),
        text_of(event, "organizerCalendarAddress"),
    )
    organizer = next((it for each in said if (it := email_of(each))), "") or address_of(inviting)
    named = next((one for one in found if address_of(one) == organizer), inviting)
    guests = {address_of(one): _guest(one) for one in found if _role(one) and address_of(one)}
    return People((organizer, _name(named)) if organizer else ("", ""), guests)


def participants(event: Json) -> list[tuple[str, Json]]:
    """Return the participants by their ids."""
    found: list[tuple[str, Json]] = [
        (key, one) for key, one in object_of(event, "participants").items() if isinstance(one, dict)
    ]
    return found[:_MOST]


def _role(one: Json) -> str:
    roles = object_of(one, "roles")
    return next((role for role in _ROLES if roles.get(role) is True), "")


def _name(one: Json) -> str:
    return " ".join(text_of(one, "name").split())


def _guest(one: Json) -> Guest:
    status = text_of(one, "participationStatus").lower()
    is_known = status in _STATUSES
    return Guest(
        _name(one), status if is_known else "needs-action", _role(one),
        one.get("expectReply") is True,
    )  # fmt: skip


def people_lines(people: People) -> Iterator[str]:
    """Yield the lines that say who is in an event."""
    email, name = people.organizer
    if email:
        yield make_line("ORGANIZER", f"mailto:{email}", {"CN": name})
    for address, guest in people.guests.items():
        params = {
            "CN": guest.name, "ROLE": _ROLES[guest.role], "PARTSTAT": guest.status.upper(),
            "RSVP": "TRUE" if guest.is_waited_for else "",
        }  # fmt: skip
        yield make_line("ATTENDEE", f"mailto:{address}", params)


def people_of(event: Block) -> People:
    """Return who is in an event of iCalendar."""
    organizer = next(map(_organizer, event.lines("ORGANIZER")), ("", ""))
    guests = dict(filter(None, map(_attendee, event.lines("ATTENDEE"))))
    return People(organizer if organizer[0] else ("", ""), guests)


def _organizer(line: str) -> tuple[str, str]:
    _name, params, value = split_line(line)
    return email_of(value), params.get("CN", "")


def _attendee(line: str) -> tuple[str, Guest] | None:
    _name, params, value = split_line(line)
    email, status = email_of(value), params.get("PARTSTAT", "").lower()
    role = params.get("ROLE", "").upper()
    own = next((name for name, theirs in _ROLES.items() if theirs == role), "attendee")
    is_known = status in _STATUSES
    guest = Guest(
        params.get("CN", ""), status if is_known else "needs-action", own,
        params.get("RSVP", "").upper() == "TRUE",
    )  # fmt: skip
    return (email, guest) if email else None


# -- written ---------------------------------------------------------------------------------------
def rebuilt(event: Json, before: People, after: People) -> list[tuple[str, dict[str, Any]]]:
    """Return the participants after whom an event has these people; a new one has no id yet.

    Whoever says the same as before stays as they are, and so does whoever cannot be written to.
    """
    made, there = [], set()
    organizer = after.organizer[0]
    for key, one in participants(event):
        email = address_of(one)
        wanted = after.guests.get(email)
        if not email or (not _role(one) and email != before.organizer[0]):
            made.append((key, dict(one)))
        elif wanted is not None or email == organizer:
            there.add(email)
            made.append((key, _changed(one, before, after, email)))
    new = [email for email in (*after.guests, organizer) if email and email not in there]
    return [*made, *(("", _new(email, after)) for email in dict.fromkeys(new))]


def _changed(one: Json, before: People, after: People, email: str) -> dict[str, Any]:
    wanted, said = after.guests.get(email), dict(one)
    if wanted is not None and wanted != before.guests.get(email):
        said |= _said(wanted)
        said["roles"] = _roles(one, wanted.role)
    roles = {key: it for key, it in object_of(said, "roles").items() if key != "owner"}
    if email == after.organizer[0]:
        roles["owner"] = True
        if after.organizer[1] != before.organizer[1] and after.organizer[1]:
            said["name"] = after.organizer[1]
    if wanted is None:
        roles = {key: it for key, it in roles.items() if key not in _ROLES}
    return {**said, "roles": roles}


def _roles(one: Json, role: str) -> dict[str, Any]:
    """Return the roles of a participant who comes in another one from now on."""
    if _role(one) == role:
        return dict(object_of(one, "roles"))
    kept = {key: it for key, it in object_of(one, "roles").items() if key not in _ROLES}
    return {**kept, "attendee": True, role: True}


def _said(guest: Guest) -> dict[str, Any]:
    return {
        **({"name": guest.name} if guest.name else {}),
        "participationStatus": guest.status, "expectReply": guest.is_waited_for,
    }  # fmt: skip


def _new(email: str, after: People) -> dict[str, Any]:
    guest = after.guests.get(email)
    roles: dict[str, bool] = {"attendee": True, guest.role: True} if guest else {}
    said = _said(guest) if guest else {"name": after.organizer[1]} if after.organizer[1] else {}
    if email == after.organizer[0]:
        roles["owner"] = True
    return {"@type": "Participant", **said, "sendTo": {"imip": f"mailto:{email}"}, "roles": roles}
