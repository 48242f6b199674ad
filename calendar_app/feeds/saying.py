"""What a feed says of the rows of its calendar. No query and no clock in here.

Nobody who is invited is named, in either kind: an address is passed on more easily than meant, and
guests did not agree to be told of. What does not take place, or not for us, is left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from django.utils.crypto import salted_hmac

from calendar_app.icalendar import ItipEvent
from calendar_app.models import Event, EventStatus, FeedDetail, Partstat, Transparency
from calendar_app.operations.keeping import said_alone

BUSY = "Busy"
_SALT = "chancery.calendar_app.feeds"
# Of what was written by others so much is passed on.
_LONGEST = {"summary": 500, "location": 500, "description": 2_000}


def say_events(rows: Iterable[Event], *, detail: str, feed_id: int) -> Iterator[ItipEvent]:
    """Yield the events as the feed has them.

    A series whose instance is left out says so (EXDATE), lest its rule tells of it all the same.
    """
    rows = list(rows)
    takes_part = takes_time if detail == FeedDetail.BUSY else takes_place
    left_out: dict[str, list[str]] = {}
    for event in rows:
        if event.recurrence_id and not takes_part(event):
            left_out.setdefault(event.uid, []).append(event.recurrence_id)
    for event in rows:
        if takes_part(event):
            said = _plainly(event)
            if not event.recurrence_id:
                exdate = {*said.exdate, *left_out.get(event.uid, ())}
                said = replace(said, exdate=tuple(sorted(exdate)))
            yield _only_times(said, feed_id) if detail == FeedDetail.BUSY else said


def takes_place(event: Event) -> bool:
    """Return True unless it was called off, or we declined it."""
    return event.status != EventStatus.CANCELLED and event.partstat != Partstat.DECLINED


def takes_time(event: Event) -> bool:
    """Return True if nobody else can have this time."""
    lasts = event.dtend > event.dtstart
    return lasts and event.transparency == Transparency.OPAQUE and takes_place(event)


def _plainly(event: Event) -> ItipEvent:
    said = said_alone(event)
    is_certain = event.partstat == Partstat.ACCEPTED or said.status != EventStatus.TENTATIVE
    status = EventStatus.CONFIRMED if is_certain else EventStatus.TENTATIVE
    return replace(
        said, dtstamp=event.updated_at, status=str(status.value), summary=_cut(said, "summary"),
        location=_cut(said, "location"), description=_cut(said, "description"),
    )  # fmt: skip


def _cut(said: ItipEvent, name: str) -> str:
    text, longest = str(getattr(said, name)), _LONGEST[name]
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _only_times(said: ItipEvent, feed_id: int) -> ItipEvent:
    """Return the times alone, under a UID that is the same each time and tells nothing.

    A zone tells where somebody is; it is named only where a rule has to follow its clock.
    """
    recurs = said.rrule or said.rdate or said.recurrence_id
    return replace(
        said, uid=salted_hmac(f"{_SALT}.{feed_id}", said.uid, algorithm="sha256").hexdigest()[:40],
        sequence=0, summary=BUSY, description="", location="",
        timezone=said.timezone if recurs else "", rrule=_without_words(said.rrule),
    )  # fmt: skip


def _without_words(rule: str) -> str:
    """Return a rule without the parts of others' making, which may say anything."""
    return ";".join(part for part in rule.split(";") if not part.upper().startswith("X-"))
