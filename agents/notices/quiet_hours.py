"""Quiet hours: by the clock on the wall of a named time zone, whatever it does in spring."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

_LONGEST_CHAIN = 8


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From one time to another, beginning on these days (Monday 0); alike times: a whole day."""

    begins: time
    ends: time
    days: frozenset[int]
    zone: ZoneInfo


def quiet_until(hours: QuietHours, now: datetime) -> datetime | None:
    """Return when the quiet ends in which `now` falls, in UTC; None where it is not quiet.

    Stretches that follow one another without a pause are one.
    """
    end: datetime | None = None
    at = now.astimezone(UTC)
    for _ in range(_LONGEST_CHAIN):
        ends = [until for since, until in _stretches(hours, at) if since <= at < until]
        if not ends:
            return end
        at = end = max(ends)
    return end


def _stretches(hours: QuietHours, at: datetime) -> list[tuple[datetime, datetime]]:
    """Return the stretches that may hold a moment, in UTC: those of its day and the one before."""
    today = at.astimezone(hours.zone).date()
    over_night = timedelta(days=1 if hours.ends <= hours.begins else 0)
    return [
        (
            datetime.combine(day, hours.begins, hours.zone).astimezone(UTC),
            datetime.combine(day + over_night, hours.ends, hours.zone).astimezone(UTC),
        )
        for day in (today - timedelta(days=1), today)
        if day.weekday() in hours.days
    ]
