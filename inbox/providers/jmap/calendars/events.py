"""Events as a server has them: by the draft of JMAP calendars, or by the one that Cyrus 3.6 has."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from inbox.providers.change_store import Collection, ItemRefusedError, Put
from inbox.providers.http.json_values import object_of, text_of
from inbox.providers.jmap.calendars.reading import write_calendar
from inbox.providers.jmap.calendars.said import Series, read_series
from inbox.providers.jmap.calendars.times import Json, Words
from inbox.providers.jmap.calendars.writing import body_of, patch_of
from inbox.providers.jmap.patches import Call, pointed
from inbox.reasons import phrase as _

_CALENDAR = "calendar/"
# As which program events are made: such of another may have been sent to guests before.
_MAKER = "-//Chancery//JMAP//EN"


def id_of(calendar: str) -> str:
    """Return the id of a calendar as a collection: an address book may have the same one."""
    return f"{_CALENDAR}{calendar}"


def _calendar(collection: Collection) -> str:
    return collection.id.removeprefix(_CALENDAR)


@dataclass(frozen=True, slots=True)
class Events:
    """The events of an account (draft-ietf-jmap-calendars); the server is to write to nobody."""

    account: str
    name: str = "CalendarEvent"
    state_properties: None = None
    set_arguments: Json = field(default_factory=lambda: {"sendSchedulingMessages": False})
    set_headers: Mapping[str, str] = field(default_factory=dict)
    words: ClassVar[Words] = Words()

    def is_there(self, collection: Collection) -> Call | None:
        """Return a call for a calendar."""
        asked = {"accountId": self.account, "ids": [_calendar(collection)], "properties": ["id"]}
        return "Calendar/get", asked, "there"

    def lies_in(self, found: Json, collection: Collection) -> bool:
        """Return True if an event lies in a calendar."""
        return object_of(found, "calendarIds").get(_calendar(collection)) is True

    def write(self, found: Json) -> bytes:
        """Return an event as a calendar; an empty one, which is refused, where it says no time."""
        try:
            return write_calendar(found, self.words)
        except (ValueError, ArithmeticError, LookupError):
            return b""

    def same_uid(self, uid: str) -> Call:
        """Return a call for the ids of a UID."""
        asked = {"accountId": self.account, "filter": {"uid": uid}, "limit": 1}
        return "CalendarEvent/query", asked, "same"

    def made(self, change: Put, collection: Collection) -> tuple[str, dict[str, Any]]:
        """Return a UID and a new event."""
        series = read_series(change.raw)
        made = body_of(series, self.words) | {"prodId": _MAKER}
        return series.uid, {**made, **self._place(collection)}

    def _place(self, collection: Collection) -> dict[str, Any]:
        return {"calendarIds": {_calendar(collection): True}}

    def patch(self, found: Json, raw: bytes) -> dict[str, Any]:
        """Return what has to change so that an event says what a calendar does."""
        return patch_of(
            found, read_series(write_calendar(found, self.words)), read_series(raw), self.words
        )

    def taken_out(self, found: Json, collection: Collection) -> dict[str, Any] | None:
        """Return what takes an event out of one of several calendars; None: it is in no other."""
        places = [one for one, is_in in object_of(found, "calendarIds").items() if is_in is True]
        return {f"calendarIds/{pointed(_calendar(collection))}": None} if len(places) > 1 else None


@dataclass(frozen=True, slots=True)
class CyrusEvents(Events):
    """The events of an account at a Cyrus 3.6.

    It writes to guests itself, and takes no argument against that. What it goes by are the
    addresses that are the user's: those that a request names in a header of Cyrus's own, and those
    that were when the event was last stored. So we name one that is nobody's, and leave events
    alone that were stored with the user's own: of such it tells who of its guests the user is.
    """

    set_arguments: Json = field(default_factory=dict)
    set_headers: Mapping[str, str] = field(
        default_factory=lambda: {"Schedule-Address": "nobody@chancery.invalid"}
    )
    words: ClassVar[Words] = Words("jsevent", True, True)

    def lies_in(self, found: Json, collection: Collection) -> bool:
        """Return True if an event lies in a calendar."""
        return text_of(found, "calendarId") == _calendar(collection)

    def same_uid(self, uid: str) -> Call:
        """Return a call for the event of a UID, which is its id."""
        asked = {"accountId": self.account, "ids": [uid], "properties": ["id"]}
        return "CalendarEvent/get", asked, "same"

    def _place(self, collection: Collection) -> dict[str, Any]:
        return {"calendarId": _calendar(collection)}

    def made(self, change: Put, collection: Collection) -> tuple[str, dict[str, Any]]:
        """Return a UID and a new event."""
        _check_inviter(read_series(change.raw))
        return Events.made(self, change, collection)

    def patch(self, found: Json, raw: bytes) -> dict[str, Any]:
        """Return what has to change; raises ItemRefusedError where guests would be told."""
        _check_inviter(read_series(raw))
        patch = Events.patch(self, found, raw)
        is_first = not object_of(found, "participants") and "participants" in patch
        is_another = found.get("sequence") and text_of(found, "prodId") != _MAKER
        if patch and (_is_told(found) or (is_first and is_another)):
            raise _left_alone()
        return patch

    def taken_out(self, found: Json, _collection: Collection) -> dict[str, Any] | None:
        """Return none: it is destroyed; raises ItemRefusedError where guests would be told."""
        if _is_told(found):
            raise _left_alone()
        return None


def _is_told(found: Json) -> bool:
    return bool(object_of(found, "participants")) and found.get("participantId") is not None


def _left_alone() -> ItemRefusedError:
    return ItemRefusedError(
        _(
            "The server would write to the guests of this event by itself: change it with the "
            "program that invited them."
        )
    )


def _check_inviter(series: Series) -> None:
    people = series.itself.people
    if people.guests and not people.organizer[0]:
        raise ValueError("it has guests, and nobody who invites them")
