"""Events in Graph's calendars: fetched whole, and changed part by part."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any

from inbox.providers.change_store import (
    LARGEST_ITEM,
    Applied,
    Change,
    Collection,
    Item,
    ItemChangedError,
    ItemRefusedError,
    Put,
    Remove,
)
from inbox.providers.graph.answers import Json, etag, instant, moment
from inbox.providers.graph.asking import GraphApi, query
from inbox.providers.graph.calendars.guests import (
    ANSWERS,
    answer_of,
    check_guest,
    check_organizer,
    has_guests,
)
from inbox.providers.graph.calendars.parts import Part, moment_of, read_parts
from inbox.providers.graph.calendars.reading import Known, of_series, read_event
from inbox.providers.graph.calendars.rules import UnsaidError
from inbox.providers.graph.calendars.writing import changed_event, changed_part, new_event, reverted
from inbox.providers.graph.kept import EXPANDED, named
from inbox.providers.http.addresses import part
from inbox.providers.http.json_values import objects_of, text_of
from inbox.providers.http.reading import entries_of
from inbox.reasons import of_error
from inbox.reasons import phrase as _

_SELECTED = (
    "id,changeKey,lastModifiedDateTime,subject,body,start,end,isAllDay,originalStartTimeZone,"
    "location,showAs,recurrence,attendees,organizer,isOrganizer,isCancelled,responseStatus,"
    "iCalUId,type,originalStart,cancelledOccurrences,exceptionOccurrences"
)
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_WHOLE = query({"$select": _SELECTED, "$expand": f"exceptionOccurrences,{EXPANDED}"})


class Events:
    """The events of the account whose address is `own`."""

    def __init__(self, api: GraphApi, own: str) -> None:
        self._api = api
        self._own = own.strip().lower()

    def fetch(self, _collection: Collection, ids: Sequence[str]) -> Iterator[Item]:
        """Yield the events that are still there and can be read."""
        ids = list(dict.fromkeys(ids))
        for id_, got in zip(ids, self._api.batch([_path(each) for each in ids]), strict=True):
            if got.status == 200 and (item := self._item(id_, got.fields)) is not None:
                yield item

    def _item(self, id_: str, found: Json) -> Item | None:
        try:
            raw = read_event(found, self._own).calendar()
        except (ValueError, OverflowError):
            return None
        return Item(id_, etag(found), raw) if len(raw) <= LARGEST_ITEM else None

    def apply(self, collection: Collection, change: Change, if_match: str) -> Applied:
        """Do one change; raises ItemChangedError, ItemRefusedError."""
        match change:
            case Put(id=""):
                return self._create(collection, change)
            case Put():
                return self._update(change, if_match)
            case Remove():
                return self._remove(change, if_match)
        raise ItemRefusedError(_("An event is not moved."))

    # -- a new one ---------------------------------------------------------------------------------
    def _create(self, collection: Collection, change: Put) -> Applied:
        uid, parts = _parts(change.raw)
        if "" not in parts:
            raise ItemRefusedError(_("It is an instance without its series."))
        path = f"/me/calendars/{part(collection.id)}/events"
        options = {"$filter": named(uid), "$select": "id", "$top": "1"}
        if entries_of(self._api.get(f"{path}?{query(options)}"), "value", required=True):
            raise ItemChangedError
        made = self._api.change("POST", path, _said(lambda: new_event(uid, change.name, parts)))
        id_ = text_of(made, "id")
        if len(parts) > 1 or parts[""].excluded:
            self._change_instances(self._read(id_), parts)
        return Applied(id_, "")

    # -- one that is there -------------------------------------------------------------------------
    def _read(self, id_: str) -> Known:
        """Return an event as it is; raises ItemChangedError where it is gone."""
        found = self._api.find(_path(id_))
        if found is None:
            raise ItemChangedError
        try:
            return read_event(found, self._own)
        except (ValueError, OverflowError) as error:
            words = _("The server does not take it: %(why)s.", why=of_error(error))
            raise ItemRefusedError(words) from error

    def _update(self, change: Put, if_match: str) -> Applied:
        known = self._read(change.id)
        told = known.told[""]
        if if_match and etag(told) != if_match:
            raise ItemChangedError
        uid, parts = _parts(change.raw)
        if "" not in parts:
            raise ItemRefusedError(_("It is an instance without its series."))
        check_organizer(known)
        answer = answer_of(known.parts[""], parts[""], self._own) if has_guests(known) else ""
        body = _said(lambda: changed_event(known, uid, parts))
        check_guest(known, parts, body)
        _check_restored(known, parts[""], body)
        if body:
            self._api.change("PATCH", f"/me/events/{part(change.id)}", body, etag(told))
        if answer:
            path = f"/me/events/{part(change.id)}/{ANSWERS[answer]}"
            self._api.change("POST", path, {"sendResponse": False})
        if not has_guests(known):
            # At other times it has no instances of its own any more.
            is_reset = bool(body.keys() & {"start", "recurrence"})
            self._change_instances(self._read(change.id) if is_reset else known, parts)
        return Applied(change.id, "")

    def _remove(self, change: Remove, if_match: str) -> Applied:
        found = self._api.find(_path(change.id))
        if found is not None:
            if if_match and etag(found) != if_match:
                raise ItemChangedError
            check_organizer(Known("", {}, {"": found}))
            self._api.change("DELETE", f"/me/events/{part(change.id)}", etag=etag(found))
        return Applied(change.id, "")

    # -- instances ---------------------------------------------------------------------------------
    def _change_instances(self, known: Known, parts: Mapping[str, Part]) -> None:
        whole = parts[""]
        off = {stamp for stamp, one in parts.items() if stamp and one.status == "CANCELLED"}
        off |= set(whole.excluded)
        for stamp in sorted(off - set(known.parts[""].excluded)):
            if (found := self._instance(known, stamp)) is not None:
                path = f"/me/events/{part(text_of(found, 'id'))}"
                self._api.change("DELETE", path, etag=etag(found))
        for stamp in sorted((parts.keys() | known.parts.keys()) - off - {""}):
            if stamp not in parts:
                self._patch(known.told[stamp], reverted(known, stamp))
            elif parts[stamp] != known.parts.get(stamp):
                self._change_instance(known, parts[stamp])

    def _change_instance(self, known: Known, wanted: Part) -> None:
        found = self._instance(known, wanted.stamp)
        if found is None:
            raise ItemRefusedError(_("Its series does not take place when an instance of it does."))
        before = known.parts.get(wanted.stamp)
        if before is None:
            before = replace(of_series(known.parts[""], wanted.stamp), people=wanted.people)
        self._patch(found, changed_part(before, wanted, found))

    def _patch(self, found: Json, body: Mapping[str, Any]) -> None:
        if body:
            path = f"/me/events/{part(text_of(found, 'id'))}"
            self._api.change("PATCH", path, body, etag(found))

    def _instance(self, known: Known, stamp: str) -> Json | None:
        """Return an instance of a series as it is told; None where it does not take place then."""
        if stamp in known.told:
            return known.told[stamp]
        try:
            start = moment_of(stamp, known.parts[""].start)
        except ValueError:
            return None
        first, last = start.instant - timedelta(days=1), start.instant + timedelta(days=2)
        options = {
            "startDateTime": first.strftime(_TIME), "endDateTime": last.strftime(_TIME),
            "$select": "id,originalStart,start,isAllDay,showAs,type", "$top": "50",
        }  # fmt: skip
        path = f"/me/events/{part(text_of(known.told[''], 'id'))}/instances?{query(options)}"
        for page in self._api.pages(path):
            for each in objects_of(page, "value"):
                if _is_at(each, stamp):
                    return each
        return None


def _is_at(found: Json, stamp: str) -> bool:
    begins = moment(found, "start")
    original = instant(found, "originalStart") or (begins.instant if begins else None)
    form = "%Y%m%dT%H%M%SZ" if "T" in stamp else "%Y%m%d"
    return original is not None and stamp == original.astimezone(UTC).strftime(form)


def _check_restored(known: Known, whole: Part, body: Mapping[str, Any]) -> None:
    """Raise ItemRefusedError for an instance that was taken out of its series, and is back."""
    is_reset = bool(body.keys() & {"start", "recurrence"})
    if not is_reset and set(known.parts[""].excluded) - set(whole.excluded):
        words = _("Graph does not bring back an instance that was taken out of its series.")
        raise ItemRefusedError(words)


def _parts(raw: bytes) -> tuple[str, dict[str, Part]]:
    try:
        return read_parts(raw)
    except (ValueError, OverflowError) as error:
        words = _("The server does not take it: %(why)s.", why=of_error(error))
        raise ItemRefusedError(words) from error


def _said(write: Any) -> dict[str, Any]:
    """Return what is written of an event; raises ItemRefusedError where Graph has no words."""
    try:
        body: dict[str, Any] = write()
    except UnsaidError as error:
        words = _("Graph cannot say how it recurs: %(why)s.", why=of_error(error))
        raise ItemRefusedError(words) from error
    except (ValueError, OverflowError) as error:
        words = _("The server does not take it: %(why)s.", why=of_error(error))
        raise ItemRefusedError(words) from error
    return body


def _path(id_: str) -> str:
    return f"/me/events/{part(id_)}?{_WHOLE}"
