"""A feed as it is read: whether it changed since, in two queries and a hash; then what it says."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256

from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from calendar_app.feeds.changes import digest_of
from calendar_app.feeds.saying import say_events
from calendar_app.itip_writing import write_published
from calendar_app.models import CalendarFeed, Event, FeedDetail
from calendar_app.models.events import EventQuerySet

# So many rows a feed has; those that end last.
MOST_EVENTS = 5_000
# How often readers are asked to come again.
REFRESH = timedelta(hours=1)
# Reads are noted no more often than this.
_NOTED_EVERY = timedelta(minutes=1)
# What is called differently after a change of what feeds say.
_FORM = 1
_BUSY_NAME = "Busy times"


@dataclass(frozen=True, slots=True)
class Look:
    """A feed at a time: what its present state is called, and since when it is so."""

    feed: CalendarFeed
    since: datetime
    etag: str
    changed_at: datetime


def find_feed(secret: str) -> CalendarFeed | None:
    """Return the feed at an address; None alike for a revoked one and for what never was."""
    rows = CalendarFeed.objects.live().filter(digest=digest_of(secret))
    return rows.select_related("calendar").first()


def look_at(feed: CalendarFeed) -> Look:
    """Return what the feed would say, by its name, and note that it was read."""
    now = timezone.now()
    since = first_told(now)
    etag = _state_of(feed, since)
    is_new = etag != feed.etag or feed.changed_at is None
    changed_at = now if is_new or feed.changed_at is None else feed.changed_at
    if is_new or feed.last_read_at is None or now - feed.last_read_at > _NOTED_EVERY:
        CalendarFeed.objects.filter(pk=feed.pk).update(
            last_read_at=now, reads=F("reads") + 1, etag=etag, changed_at=changed_at
        )
    return Look(feed, since, etag, changed_at)


def first_told(now: datetime) -> datetime:
    """Return from when on events are told: a year ago, at the beginning of that month.

    It stays the same for a month, and so does what a feed says of unchanged events.
    """
    local = now.astimezone(UTC)
    return datetime(local.year - 1, local.month, 1, tzinfo=UTC)


def _state_of(feed: CalendarFeed, since: datetime) -> str:
    """Return a hash of all that decides what the feed says."""
    state = sha256(repr((_FORM, feed.pk, feed.detail, feed.calendar.name, since)).encode())
    rows = _rows(feed, since).values_list("pk", "version", "updated_at", "partstat", "status")
    for row in rows[:MOST_EVENTS].iterator(chunk_size=1_000):
        state.update(repr(row).encode())
    return state.hexdigest()


@lru_cache(maxsize=4)
def write_feed(look: Look) -> bytes:
    """Return the feed as an iCalendar file (RFC 5545, RFC 7986).

    To write thousands of events takes a while: what several ask for at a time is written once.
    """
    feed, is_busy = look.feed, look.feed.detail == FeedDetail.BUSY
    text = write_published(
        say_events(_rows(feed, look.since)[:MOST_EVENTS], detail=feed.detail, feed_id=feed.pk),
        name=_BUSY_NAME if is_busy else feed.calendar.name,
        refresh=REFRESH,
        zones_until=look.changed_at,
    )
    return text.encode()


def _rows(feed: CalendarFeed, since: datetime) -> EventQuerySet:
    """Return what ends after a time, and every changed instance of a series that does."""
    lasts = Q(last_end__isnull=True) | Q(last_end__gte=since)
    series = Event.objects.filter(
        lasts, calendar_id=OuterRef("calendar_id"), uid=OuterRef("uid"), recurrence_id="",
        deleted_at=None,
    )  # fmt: skip
    rows = Event.objects.kept().filter(calendar_id=feed.calendar_id)
    rows = rows.filter(lasts | Q(Exists(series), recurrence_id__gt=""))
    return rows.order_by(F("last_end").desc(nulls_first=True), "uid", "recurrence_id", "pk")
