"""For how long one puts a thing off: what a page offers, and when that ends for the reader."""

from datetime import datetime, time, timedelta, tzinfo
from typing import Any

from django.utils.translation import gettext_lazy as _

SNOOZES: tuple[tuple[str, Any], ...] = (
    ("3h", _("In three hours")),
    ("evening", _("This evening, 18:00")),
    ("tomorrow", _("Tomorrow, 8:00")),
    ("monday", _("Next Monday, 8:00")),
    ("week", _("In a week, 8:00")),
)
_MORNING, _EVENING = time(8), time(18)


def snooze_end(code: str, now: datetime, zone: tzinfo) -> datetime:
    """Return when a snooze ends whose code is one of `SNOOZES`; raises KeyError for another.

    Days and hours are those of the reader's time zone; an evening that has begun is tomorrow's.
    """
    here = now.astimezone(zone)
    evening = 0 if here.time() < _EVENING else 1
    days = {"evening": evening, "tomorrow": 1, "monday": 7 - here.weekday(), "week": 7}
    if code == "3h":
        return now + timedelta(hours=3)
    at = _EVENING if code == "evening" else _MORNING
    day = here.date() + timedelta(days=days[code])
    # An hour that a change of the clocks left out is the one after it.
    return datetime.combine(day, at, zone).astimezone(now.tzinfo)


def offered_snoozes(
    now: datetime, zone: tzinfo, expires_at: datetime | None = None
) -> list[tuple[str, Any, datetime]]:
    """Return the code, the words and the end of each snooze that ends before `expires_at`."""
    ends = [(code, words, snooze_end(code, now, zone)) for code, words in SNOOZES]
    return [one for one in ends if expires_at is None or one[2] < expires_at]
