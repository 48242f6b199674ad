"""When the occurrences of a series take place, as the calendar's server reckons (RFC 5545 3.8.5)."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rruleset, rrulestr

_MOST = 5_000


def moment(time: dict[str, Any]) -> datetime:
    """Return a time of an event as UTC; of a day its beginning there."""
    if "date" in time:
        return datetime.combine(date.fromisoformat(time["date"]), datetime.min.time(), UTC)
    found = datetime.fromisoformat(time["dateTime"])
    if found.tzinfo is None:
        found = found.replace(tzinfo=ZoneInfo(time["timeZone"]))
    return found.astimezone(UTC)


def at(moment: datetime, like: dict[str, Any]) -> dict[str, Any]:
    """Return a moment as a time in the manner of another."""
    if "date" in like:
        return {"date": moment.date().isoformat()}
    zone = like.get("timeZone", "UTC")
    return {"dateTime": moment.astimezone(ZoneInfo(zone)).isoformat(), "timeZone": zone}


def stamp(moment: datetime, like: dict[str, Any]) -> str:
    return f"{moment:%Y%m%d}" if "date" in like else f"{moment:%Y%m%dT%H%M%SZ}"


def occurrences(series: dict[str, Any]) -> Iterator[datetime]:
    """Yield the starts of a series in UTC, in order."""
    start = series["start"]
    zone = ZoneInfo("UTC" if "date" in start else start.get("timeZone", "UTC"))
    first = moment(start).astimezone(zone).replace(tzinfo=None)
    rules = rruleset()
    for line in series["recurrence"]:
        _add(rules, line, first, zone)
    for local in islice(rules, _MOST):
        yield local.replace(tzinfo=zone).astimezone(UTC)


def _add(rules: rruleset, line: str, first: datetime, zone: ZoneInfo) -> None:
    head, _, value = line.partition(":")
    name = head.partition(";")[0].upper()
    if name == "RRULE":
        parts = [_local_until(part, zone) for part in value.split(";")]
        rules.rrule(rrulestr(";".join(parts), dtstart=first))
        return
    own = next((it[5:] for it in head.split(";") if it.upper().startswith("TZID=")), None)
    for text in value.split(","):
        local = _local(text, ZoneInfo(own) if own else zone, zone)
        rules.rdate(local) if name == "RDATE" else rules.exdate(local)


def _local(text: str, own: ZoneInfo, zone: ZoneInfo) -> datetime:
    if len(text) == 8:
        return datetime.combine(date.fromisoformat(text), datetime.min.time())
    known = UTC if text.endswith("Z") else own
    found = datetime.strptime(text.rstrip("Z"), "%Y%m%dT%H%M%S").replace(tzinfo=known)
    return found.astimezone(zone).replace(tzinfo=None)


def _local_until(part: str, zone: ZoneInfo) -> str:
    name, _, value = part.partition("=")
    if name.upper() != "UNTIL" or len(value) == 8:
        return part
    return f"UNTIL={_local(value, zone, zone):%Y%m%dT%H%M%S}"


def instance_of(series: dict[str, Any], start: datetime) -> dict[str, Any]:
    """Return an occurrence that nobody changed."""
    lasts = moment(series["end"]) - moment(series["start"])
    end = start + (lasts or timedelta())
    rest = {name: value for name, value in series.items() if name != "recurrence"}
    return rest | {
        "id": f"{series['id']}_{stamp(start, series['start'])}",
        "recurringEventId": series["id"],
        "originalStartTime": at(start, series["start"]),
        "start": at(start, series["start"]), "end": at(end, series["end"]),
    }  # fmt: skip
