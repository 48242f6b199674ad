"""Searching events: their titles, places, people and descriptions."""

from collections.abc import Collection
from datetime import UTC, datetime, time

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from calendar_app.models import Attendee, Calendar, Event, EventStatus
from inbox.actor import Actor
from inbox.models import Account
from inbox.search.operators import one_of, read_moment, read_text
from inbox.search.rows.finding import Wanted, find_rows, keep_rows
from inbox.search.rows.folding import contains
from inbox.search.rows.kinds import Kind, Operator

_MOST_CALENDARS = 1000


def find_events(
    *, actor: Actor, account: Account, query: str, limit: int, elsewhere: Collection[str] = ()
) -> dict[int, float]:
    """Return the keys of the best events and series of an account with their scores; six queries.

    As `find_rows` has it, which says what `elsewhere` is. DomainError names an operator that has a
    bad value.
    """
    calendars = Calendar.objects.visible_to(actor).kept().filter(account=account)
    keys = list(calendars.values_list("pk", flat=True)[:_MOST_CALENDARS])
    rows = Event.objects.visible_to(actor).kept().filter(recurrence_id="")
    return find_rows(Wanted(EVENTS, actor, keys, query, elsewhere), rows, limit)


def find_all_events(actor: Actor, query: str, limit: int) -> dict[int, float]:
    """Return the same of all calendars that the actor sees."""
    calendars = Calendar.objects.visible_to(actor).kept()
    keys = list(calendars.values_list("pk", flat=True)[:_MOST_CALENDARS])
    rows = Event.objects.visible_to(actor).kept()
    return find_rows(Wanted(EVENTS, actor, keys, query), rows, limit)


def keep_events(actor: Actor, rows: QuerySet[Event], query: str) -> QuerySet[Event]:
    """Keep the events that have every word of a query; DomainError as with `keep_rows`."""
    return keep_rows(Wanted(EVENTS, actor, (), query), rows)


def _organizer(text: str) -> Q:
    return contains("organizer", text) | contains("organizer_name", text)


def _with(text: str, _: Actor) -> Q:
    """Keep that to which somebody is invited, and whose event it is."""
    invited = Attendee.objects.filter(event=OuterRef("pk"))
    return _organizer(text) | Q(
        Exists(invited.filter(contains("email", text) | contains("name", text)))
    )


def _day(value: datetime) -> datetime:
    """Return the day of a moment as an event of whole days has it: its midnight in UTC."""
    day = value.astimezone(timezone.get_current_timezone()).date()
    return datetime.combine(day, time(), UTC)


def _after(value: datetime, _: Actor) -> Q:
    """Keep what goes on or begins from then on; a series that has not ended by then."""
    whole = Q(all_day=True) & _not_over(_day(value))
    return whole | (Q(all_day=False) & _not_over(value))


def _not_over(value: datetime) -> Q:
    return (
        Q(dtstart__gte=value)
        | Q(last_end__gt=value)
        | Q(last_end=None) & ~_ONCE
        | (Q(last_end=None, dtend__gt=value) & _ONCE)
    )


def _before(value: datetime, _: Actor) -> Q:
    whole = Q(all_day=True, dtstart__lt=_day(value))
    return whole | Q(all_day=False, dtstart__lt=value)


_ONCE = Q(rrule="", rdate=[])
_STATES = {
    "recurring": ~_ONCE,
    "all-day": Q(all_day=True),
    **{status.value: Q(status=status) for status in EventStatus},
}
_TITLE = Operator(read_text, lambda value, _: contains("summary", value))
_GUEST = Operator(read_text, _with)
_PLACE = Operator(read_text, lambda value, _: contains("location", value))
_CALENDAR = Operator(read_text, lambda value, _: contains("calendar__name", value))

EVENTS = Kind(
    model=Event,
    index="calendar_event_search",
    weights={
        "summary": 8.0, "location": 4.0, "organizer_name": 4.0, "organizer": 4.0,
        "search_extra": 2.0, "description": 1.0,
    },
    owner="calendar_id",
    # The description, the invited and other forms, place and organizer, the title.
    ts_rank="'{0.1, 0.25, 0.5, 1}'",
    operators={
        "title": _TITLE,
        "subject": _TITLE,
        "with": _GUEST,
        "to": _GUEST,
        "from": Operator(read_text, lambda value, _: _organizer(value)),
        "where": _PLACE,
        "location": _PLACE,
        "in": _CALENDAR,
        "calendar": _CALENDAR,
        "label": _CALENDAR,
        "is": Operator(one_of(tuple(_STATES)), lambda value, _: _STATES[value]),
        "after": Operator(read_moment, _after),
        "before": Operator(read_moment, _before),
    },
    newest=("-dtstart", "-pk"),
    has_part=lambda text: contains("summary", text) | contains("location", text) | _organizer(text),
    has_all_words=True,
)  # fmt: skip
