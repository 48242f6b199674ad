"""When a meeting is, in words."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from calendar_app.icalendar import ItipEvent


def describe_time(said: ItipEvent) -> str:
    """Return when it is, on its zone's clock, and how it recurs; in one line."""
    if said.start is None or said.end is None:
        return "as it was"
    recurs = f", recurring ({said.rrule})" if said.rrule else ""
    if said.all_day:
        last = said.end - timedelta(days=1)
        days = _day(said.start)
        return f"{days if last <= said.start else f'{days} to {_day(last)}'}, all day{recurs}"
    zone = ZoneInfo(said.timezone) if said.timezone else UTC
    start, end = said.start.astimezone(zone), said.end.astimezone(zone)
    until = f"{end:%H:%M}" if end.date() == start.date() else f"{_day(end)}, {end:%H:%M}"
    return f"{_day(start)}, {start:%H:%M} to {until} ({said.timezone or 'UTC'}){recurs}"


def _day(moment: datetime) -> str:
    return f"{moment:%A}, {moment.day} {moment:%B %Y}"
