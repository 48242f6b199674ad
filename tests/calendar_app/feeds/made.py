"""Calendars to be fed out: events as other programs write them, in the year to come."""

from datetime import UTC, date, datetime, timedelta

from django.utils import timezone

from calendar_app.feeds.changes import create_feed
from calendar_app.models import CalendarFeed, FeedDetail

YEAR = timezone.now().year + 1
# A Monday at the beginning of March: the clocks of Europe change four weeks later.
FIRST = date(YEAR, 3, 1) + timedelta(-date(YEAR, 3, 1).weekday() % 7)


def on(days: int) -> str:
    """Return the day so many days after the first, as iCalendar writes it."""
    return f"{FIRST + timedelta(days):%Y%m%d}"


def at(days: int, hour: int = 0, minute: int = 0) -> datetime:
    """Return a time in UTC so many days after the first."""
    day = FIRST + timedelta(days)
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC)


def weekly(more: str = "") -> str:
    """Return a series on Mondays at nine in Berlin that goes on for ever."""
    return f"""UID:weekly@lantern.example
SUMMARY:Standup
DTSTART;TZID=Europe/Berlin:{on(0)}T090000
DTEND;TZID=Europe/Berlin:{on(0)}T093000
RRULE:FREQ=WEEKLY;BYDAY=MO{more}"""


def changed(days: int, hour: int, more: str = "") -> str:
    """Return an instance of that series that is at another hour of its day."""
    return f"""UID:weekly@lantern.example
RECURRENCE-ID;TZID=Europe/Berlin:{on(days)}T090000
SUMMARY:Standup, late
DTSTART;TZID=Europe/Berlin:{on(days)}T{hour:02}0000
DTEND;TZID=Europe/Berlin:{on(days)}T{hour:02}3000{more}"""


def once(uid: str, days: int, hour: int, more: str = "") -> str:
    """Return an event of an hour in UTC."""
    return f"""UID:{uid}
SUMMARY:About {uid}
DTSTART:{on(days)}T{hour:02}0000Z
DTEND:{on(days)}T{hour + 1:02}0000Z{more}"""


def ics(*events: str) -> bytes:
    """Return the events as a file."""
    parts = "".join(
        f"BEGIN:VEVENT\nDTSTAMP:20260301T080000Z\n{one.strip()}\nEND:VEVENT\n" for one in events
    )
    return f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n{parts}END:VCALENDAR\n".encode()


def share(calendar, by, detail: str = FeedDetail.FULL) -> tuple[CalendarFeed, str]:
    """Return a feed, and the path at which it is read."""
    feed, secret = create_feed(
        calendar=calendar, detail=FeedDetail(detail), name="The assistants", by=by
    )
    return feed, f"/calendars/{secret}.ics"
