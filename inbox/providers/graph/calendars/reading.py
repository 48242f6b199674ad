"""Events as Graph has them, in parts that iCalendar is made of. Pure; what comes in is hostile."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from inbox.formats.calendar_lines import Moment, make_line
from inbox.html import sanitise
from inbox.providers.graph.answers import Json, instant, moment
from inbox.providers.graph.calendars.parts import Part, moment_of, stamp_of, write_parts
from inbox.providers.graph.calendars.patterns import essence, to_rule
from inbox.providers.graph.calendars.rules import UnsaidError, to_recurrence
from inbox.providers.graph.kept import NAME, REST, Kept, read_kept, value_of
from inbox.providers.graph.zones import iana_name, is_same_clock
from inbox.providers.http.json_values import object_of, objects_of, text_of, texts_of

_CANCELLED = re.compile(r"OID\..*\.(\d{4}-\d\d-\d\d)")
_FOREIGN = re.compile(
    r"040000008200E00074C5B7101A82E008[0-9A-F]*7643616C2D55696401000000([0-9A-F]+)"
)
_ADDRESS = re.compile(r"[^\s<>:;,\"]{1,250}@[^\s<>:;,\"]{1,250}")
_ROLES = {"optional": "OPT-PARTICIPANT", "resource": "NON-PARTICIPANT"}
_PARTSTATS = {
    "organizer": "ACCEPTED", "accepted": "ACCEPTED", "tentativelyAccepted": "TENTATIVE",
    "declined": "DECLINED",
}  # fmt: skip
_MOST_GUESTS = 1_000
_MOST_EXCLUDED = 2_000


@dataclass(frozen=True, slots=True)
class Known:
    """An event at Graph with its changed instances: as parts, by stamp, and as it was told."""

    uid: str
    parts: Mapping[str, Part]
    told: Mapping[str, Json]

    def calendar(self) -> bytes:
        """Return it as a calendar of one UID."""
        whole = self.told[""]
        said_at = instant(whole, "lastModifiedDateTime") or datetime(2026, 1, 1, tzinfo=UTC)
        return write_parts(self.uid, self.parts.values(), said_at)


def read_event(found: Json, own: str) -> Known:
    """Return an event; raises ValueError where it has no time that can be read.

    `own` is the address of whoever signed in.
    """
    kept = read_kept(value_of(found, REST))
    whole = part_of(found, kept.get("", Kept()), own)
    parts, told = {"": replace(whole, excluded=_excluded(found, whole))}, {"": found}
    # What is not said of an instance's guests is as it is of the series.
    usual = Kept(people=kept[""].people) if "" in kept else Kept()
    for each in objects_of(found, "exceptionOccurrences"):
        stamp = _stamp(each, whole)
        instance = replace(part_of(each, kept.get(stamp, usual), own), stamp=stamp)
        told[stamp] = each
        if instance != of_series(whole, stamp):
            parts[stamp] = instance
    return Known(_uid(found), parts, told)


def _uid(found: Json) -> str:
    """Return our name of an event, or the one that it came with (MS-OXOCAL 2.2.1.27)."""
    uid = value_of(found, NAME) or text_of(found, "iCalUId")
    foreign = _FOREIGN.fullmatch(uid.upper())
    if foreign is not None and len(foreign[1]) % 2 == 0:
        uid = bytes.fromhex(foreign[1]).partition(b"\0")[0].decode("utf-8", "replace")
    return uid[:255] or text_of(found, "id")[:255]


def of_series(whole: Part, stamp: str) -> Part:
    """Return what a series says of the instance that a stamp names."""
    start = moment_of(stamp, whole.start)
    lasts = whole.end.local - whole.start.local
    end = Moment(start.local + lasts, start.zone, start.is_day)
    return replace(whole, stamp=stamp, start=start, end=end, rule="", excluded=(), rest=())


def part_of(found: Json, kept: Kept, own: str) -> Part:
    """Return an event, or a changed instance, by itself."""
    start, end = _times(found, kept)
    status, is_transparent = _status(found, kept)
    people = tuple(_people(found, own)) or kept.people
    return Part(
        stamp="", start=start, end=end, summary=text_of(found, "subject").strip(),
        description=_description(found), status=status, is_transparent=is_transparent,
        location=text_of(object_of(found, "location"), "displayName").strip(),
        rule=_rule(found, kept, start), people=people, rest=kept.rest,
    )  # fmt: skip


def _times(found: Json, kept: Kept) -> tuple[Moment, Moment]:
    start, end = moment(found, "start"), moment(found, "end")
    if start is None or end is None:
        raise ValueError("it has no time")
    if found.get("isAllDay") is True:
        return Moment.of_day(start.local.date()), Moment.of_day(end.local.date())
    zone = iana_name(text_of(found, "originalStartTimeZone"))
    if object_of(found, "recurrence") and not zone:
        zone = iana_name(
            text_of(object_of(object_of(found, "recurrence"), "range"), "recurrenceTimeZone")
        )
        if not zone:
            raise ValueError("it recurs on the clock of a time zone that is not known")
    zone = zone or "UTC"
    if kept.zone and is_same_clock(kept.zone, zone):
        zone = kept.zone
    return Moment.of_instant(start.instant, zone), Moment.of_instant(end.instant, zone)


def _stamp(found: Json, whole: Part) -> str:
    original = instant(found, "originalStart")
    if original is None:
        raise ValueError("an instance does not say which one it is")
    if whole.start.is_day:
        return f"{original.astimezone(UTC):%Y%m%d}"
    return stamp_of(Moment.of_instant(original, "UTC"))


def _excluded(found: Json, whole: Part) -> tuple[str, ...]:
    stamps = set()
    for each in texts_of(found, "cancelledOccurrences")[:_MOST_EXCLUDED]:
        if matched := _CANCELLED.fullmatch(each):
            day = date.fromisoformat(matched[1])
            local = datetime.combine(day, whole.start.local.time())
            stamps.add(stamp_of(Moment(local, whole.start.zone, whole.start.is_day)))
    return tuple(sorted(stamps))


# -- what an event says ----------------------------------------------------------------------------
def show_as(status: str, *, is_transparent: bool) -> str:
    """Return how Graph shows the time of an event."""
    if is_transparent or status == "CANCELLED":
        return "free"
    return "tentative" if status == "TENTATIVE" else "busy"


def shown_as(found: Json) -> str:
    """Return whether an event takes its time: free, tentative or busy."""
    said = text_of(found, "showAs")
    return said if said in ("free", "tentative") else "busy"


def status_of(shown: str) -> tuple[str, bool]:
    """Return STATUS, and whether it is transparent, of how Graph shows an event."""
    return ("TENTATIVE" if shown == "tentative" else "CONFIRMED"), shown == "free"


def _status(found: Json, kept: Kept) -> tuple[str, bool]:
    if found.get("isCancelled") is True:
        return "CANCELLED", shown_as(found) == "free"
    if kept.status and show_as(kept.status, is_transparent=kept.is_transparent) == shown_as(found):
        return kept.status, kept.is_transparent
    return status_of(shown_as(found))


def _rule(found: Json, kept: Kept, start: Moment) -> str:
    recurrence = object_of(found, "recurrence")
    if not recurrence:
        return ""
    if kept.rule and is_same_recurrence(kept.rule, start, recurrence):
        return kept.rule
    return to_rule(recurrence, start)


def is_same_recurrence(rule: str, start: Moment, recurrence: Json) -> bool:
    """Return True if a rule says what a recurrence does."""
    try:
        return essence(to_recurrence(rule, start)) == essence(recurrence)
    except UnsaidError:
        return False


def _description(found: Json) -> str:
    body = object_of(found, "body")
    content = text_of(body, "content")
    if text_of(body, "contentType").lower() == "html":
        content = sanitise(content).text
    return content.replace("\r\n", "\n").replace("\r", "\n").strip()


def _people(found: Json, own: str) -> list[str]:
    guests = objects_of(found, "attendees")[:_MOST_GUESTS]
    lines = [line for each in guests if (line := _guest(found, each, own))]
    if not lines:
        return []
    name, address = _named(object_of(found, "organizer"))
    organizer = [make_line("ORGANIZER", f"mailto:{address}", {"CN": name})] if address else []
    return [*organizer, *lines]


def _guest(found: Json, guest: Json, own: str) -> str:
    name, address = _named(guest)
    if not address:
        return ""
    response = text_of(object_of(guest, "status"), "response")
    if address == own and found.get("isOrganizer") is False:
        response = text_of(object_of(found, "responseStatus"), "response")
    params = {
        "CN": name,
        "ROLE": _ROLES.get(text_of(guest, "type"), "REQ-PARTICIPANT"),
        "PARTSTAT": _PARTSTATS.get(response, "NEEDS-ACTION"),
    }
    return make_line("ATTENDEE", f"mailto:{address}", params)


def _named(person: Json) -> tuple[str, str]:
    said = object_of(person, "emailAddress")
    address = text_of(said, "address").strip().lower()
    return text_of(said, "name")[:300], address if _ADDRESS.fullmatch(address) else ""
