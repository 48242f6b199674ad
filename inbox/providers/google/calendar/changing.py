"""Changes of events, made in a calendar at Google: each only if the event is as we know it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeAlias

from inbox.formats.calendar_lines import Moment
from inbox.providers.change_store import (
    Applied,
    Change,
    Collection,
    ItemChangedError,
    ItemRefusedError,
    Move,
    Put,
    Remove,
)
from inbox.providers.google.asking import GoogleApi, fields_of, refused_change
from inbox.providers.google.calendar.guests import check_guests, others, with_owner
from inbox.providers.google.calendar.items import Events, calendar_of, etag_of, events_path
from inbox.providers.google.calendar.reading import is_cancelled, moment_of
from inbox.providers.google.calendar.writing import Body, Said, body_of, difference, read_said
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import object_of, text_of
from inbox.providers.http.reading import Answer, entries_of
from inbox.reasons import of_error
from inbox.reasons import phrase as _

_SILENT = {"sendUpdates": "none"}
_GONE = frozenset({404, 410})
# So often what changed in between is looked at again: it may be as it was, or not matter.
_ROUNDS = 3
# The events of one UID, by the occurrence that each is; None is the series, or the single event.
Wanted: TypeAlias = Mapping[datetime | None, Said]


@dataclass(slots=True)
class EventChanger:
    """Makes changes in a source's calendars; `owner` is whose they are there, `address` here."""

    api: GoogleApi
    owner: str
    address: str
    # Reads the events of one item as they are now.
    item: Callable[[Collection, str], Events]

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change; raises ItemChangedError, ItemRefusedError or StoreError."""
        calendar = _Calendar(self, collection)
        match change:
            case Remove():
                return calendar.remove(change.id, if_match)
            case Move():
                raise ItemRefusedError(_("Only files can be moved."))
            case Put(id=""):
                return calendar.create(_read(change.raw))
            case Put():
                return calendar.replace(change.id, _read(change.raw), if_match)


@dataclass(slots=True)
class _Calendar:
    """One calendar, in which a change is made."""

    by: EventChanger
    collection: Collection

    @property
    def _path(self) -> str:
        return events_path(self.collection)

    @property
    def _own(self) -> frozenset[str]:
        return frozenset({self.by.owner, self.by.address, self.collection.id.lower()})

    # -- making ------------------------------------------------------------------------------------
    def create(self, wanted: Wanted) -> Applied:
        """Make an event where none of its UID is there."""
        series = wanted.get(None)
        if series is None or series.status == "cancelled":
            raise ItemRefusedError(_("Google takes no part of a series, and nothing called off."))
        named = self._named(series.uid)
        if any(not is_cancelled(one) for one in named):
            raise ItemChangedError
        answer = self._ask_to_make(series, named)
        if answer.status in (409, 412):
            raise ItemChangedError
        key = text_of(_done(answer), "id")
        for said in wanted.values():
            if said.original is not None:
                self._change_occurrence(key, said)
        return Applied(key, "")

    def _named(self, uid: str) -> Events:
        """Return the events of a UID, deleted ones too."""
        page = self.by.api.get(
            self._path, {"iCalUID": uid, "showDeleted": "true", "maxResults": 2500}
        )
        found = [dict(one) for one in entries_of(page, "items", "id")]
        return [one for one in found if not text_of(one, "recurringEventId")]

    def _ask_to_make(self, said: Said, deleted: Events) -> Answer:
        body, organizer = body_of(said), said.organizer[0] or self.by.address
        if others([*said.guests, organizer], self._own):
            person = {"email": organizer, "displayName": said.organizer[1]}
            body["organizer"] = {name: value for name, value in person.items() if value}
            body = with_owner({**body, "iCalUID": said.uid}, self.by.owner, self.collection.id)
            return self.by.api.ask("POST", f"{self._path}/import", fields=body)
        if not deleted:
            body = {**body, "iCalUID": said.uid}
            return self.by.api.ask("POST", self._path, _SILENT, body)
        # What was deleted keeps its UID: it is there again. Its number goes on from what it was.
        body = {"status": "confirmed", **body}
        body.pop("sequence", None)
        path = f"{self._path}/{part(text_of(deleted[0], 'id'))}"
        return self.by.api.ask("PUT", path, _SILENT, body, if_match=text_of(deleted[0], "etag"))

    # -- replacing ---------------------------------------------------------------------------------
    def replace(self, key: str, wanted: Wanted, if_match: str) -> Applied:
        """Have an event say what is wanted."""
        for _number in range(_ROUNDS):
            there = self.by.item(self.collection, key)
            if not there or (if_match and etag_of(there) != if_match):
                raise ItemChangedError
            with suppress(ItemChangedError):
                self._have_say(key, there, wanted)
                return Applied(key, "")
        raise ItemChangedError

    def _have_say(self, key: str, there: Events, wanted: Wanted) -> None:
        before = _read(calendar_of(there))
        events = {_stamp(one): one for one in there if not is_cancelled(one)}
        plan = [
            (events[stamp], _change(before[stamp], said, events[stamp]))
            for stamp, said in sorted(wanted.items(), key=_series_first)
            if stamp in events
        ]
        plan += list(_taken_back(before, events, wanted))
        plan += [
            (one, {"status": "confirmed"})
            for one in there
            if is_cancelled(one) and _is_wanted_again(one, before, wanted)
        ]
        plan = [(event, body) for event, body in plan if body != {}]
        new = [said for stamp, said in wanted.items() if stamp is not None and stamp not in events]
        series = events.get(None, {})
        for event, body in [*plan, *((series, body_of(said)) for said in new)]:
            check_guests(self._own, {**series, **event}, body or {"status": "cancelled"})
        for event, body in plan:
            self._do(event, body)
        for said in new:
            self._change_occurrence(key, said)

    def _change_occurrence(self, key: str, said: Said) -> None:
        """Have an occurrence of a series differ from it; none is there where there is none."""
        event = self._occurrence(key, said)
        if event is not None:
            before = _read(calendar_of([event]))[said.stamp]
            if (body := _change(before, said, event)) != {}:
                self._do(event, body)

    def _occurrence(self, key: str, said: Said) -> dict[str, Any] | None:
        if said.stamp is None or said.original is None:
            return None
        day = said.original.local.date().isoformat()
        start = day if said.original.is_day else f"{said.stamp:%Y-%m-%dT%H:%M:%SZ}"
        path = f"{self._path}/{part(key)}/instances"
        page = self.by.api.get(path, {"originalStart": start})
        found = [dict(one) for one in entries_of(page, "items", "id")]
        return next((one for one in found if _stamp(one) == said.stamp), None)

    # -- removing ----------------------------------------------------------------------------------
    def remove(self, key: str, if_match: str) -> Applied:
        """Remove an event with all that belongs to it."""
        for _number in range(_ROUNDS):
            there = self.by.item(self.collection, key)
            if there and if_match and etag_of(there) != if_match:
                raise ItemChangedError
            for event in there:
                check_guests(self._own, event, {"status": "cancelled"})
            with suppress(ItemChangedError):
                for event in [one for one in there if text_of(one, "id") == key] or there:
                    self._do(event, None)
                return Applied(key, "")
        raise ItemChangedError

    def _do(self, event: Mapping[str, Any], body: Body | None) -> None:
        """Patch an event, or delete it, only in the state that is known."""
        path = f"{self._path}/{part(text_of(event, 'id'))}"
        method = "DELETE" if body is None else "PATCH"
        answer = self.by.api.ask(method, path, _SILENT, body, if_match=text_of(event, "etag"))
        if answer.status in _GONE and body is None:
            return
        if answer.status == 412 or answer.status in _GONE:
            raise ItemChangedError
        _done(answer)


def _read(raw: bytes) -> dict[datetime | None, Said]:
    try:
        return read_said(raw)
    except ValueError as error:
        words = _("The server does not take it: %(why)s.", why=of_error(error))
        raise ItemRefusedError(words) from error


def _done(answer: Answer) -> dict[str, Any]:
    if not answer.is_good:
        raise refused_change(answer)
    return fields_of(answer)


def _stamp(event: Mapping[str, Any]) -> datetime | None:
    """Return which occurrence of its series an event is, None for none."""
    if not text_of(event, "recurringEventId"):
        return None
    return moment_of(object_of(event, "originalStartTime")).instant


def _series_first(item: tuple[datetime | None, Said]) -> tuple[bool, datetime]:
    return item[0] is not None, item[0] or datetime.min.replace(tzinfo=UTC)


def _change(before: Said, after: Said, event: Mapping[str, Any]) -> Body | None:
    """Return what to patch; None for what is to be deleted."""
    return None if after.status == "cancelled" else difference(before, after, event)


def _taken_back(
    before: Wanted, events: Mapping[datetime | None, dict[str, Any]], wanted: Wanted
) -> list[tuple[dict[str, Any], Body | None]]:
    """Return what becomes of instances that differed: called off now, or as their series again."""
    series = wanted.get(None)
    plan: list[tuple[dict[str, Any], Body | None]] = []
    for stamp in events.keys() - wanted.keys() - {None}:
        one = before[stamp]
        if series is None or stamp in series.exdates or one.original is None:
            plan.append((events[stamp], None))
        else:
            plan.append((events[stamp], difference(one, _as_series(series, one), events[stamp])))
    return plan


def _as_series(series: Said, instance: Said) -> Said:
    """Return an instance that says what its series does."""
    original = instance.original or series.start
    lasts = series.end.local - series.start.local
    start = original
    if not series.start.is_day:
        start = Moment.of_instant(original.instant, series.start.zone or "UTC")
    end = replace(start, local=start.local + lasts)
    return replace(
        series, original=original, start=start, end=end, rules=(), exdates=frozenset(),
        sequence=instance.sequence,
    )  # fmt: skip


def _is_wanted_again(event: Mapping[str, Any], before: Wanted, wanted: Wanted) -> bool:
    """Return True for an instance that was called off there, and takes place again here."""
    stamp = _stamp(event)
    if stamp is None or None not in before or None not in wanted:
        return False
    said = wanted[None]
    is_same_series = (said.start, said.rules) == (before[None].start, before[None].rules)
    return is_same_series and stamp not in said.exdates
