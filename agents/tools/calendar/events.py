"""The operations that read calendars: lists of events, one event, and who has time when."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, TypeAlias

from django.db.models import QuerySet
from django.utils import timezone
from pydantic import ConfigDict, Field, RootModel, with_config
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from agents.contracts import Effect, tool
from agents.contracts.fields import (
    PLAIN,
    WHOLE,
    Closed,
    Maybe,
    Moment,
    OrAbsent,
    PlainTime,
)
from agents.dispatching.rows import get_account
from agents.errors import invalid, not_found
from agents.tools.budget import fair_cut
from agents.tools.cached import ForceRefresh, UseCache, cache_fields, consult_for, measured
from agents.tools.calendar.event_shapes import LIST_BODY, ListedEvent, event_fields
from agents.tools.shapes import AccountId
from calendar_app.event_search import find_events
from calendar_app.models import Event
from calendar_app.models.events import EventQuerySet
from calendar_app.operations.busy import (
    Busy,
    availability_view,
    list_busy,
    read_as_of,
)
from calendar_app.operations.occurrences import (
    Occurrence,
    find_occurrence,
    list_occurrences,
)
from calendar_app.packed_starts import to_text
from inbox.actor import Actor
from inbox.compose.outgoing import check_recipients
from inbox.models import Account, Identity
from inbox.prepared import Prepared
from inbox.syncing.mirror import Freshness

EventId: TypeAlias = Annotated[
    str, Field(description="The event, series or instance, as a list or a search names it.")
]
# Whose time is asked for: one address, or several.
People: TypeAlias = str | list[str]
INTERVAL = timedelta(minutes=30)
LONGEST_WINDOW = timedelta(days=62)
LONGEST_LIST = timedelta(days=366)
MOST_PEOPLE = 100
# One event is shown with all that a list may cut.
_WHOLE_BODY = 200_000


def events_of(actor: Actor, account: Account | None = None) -> EventQuerySet:
    """Return the events that the actor may see; of one account, where one is given."""
    rows = Event.objects.visible_to(actor).kept()
    return rows.filter(calendar__account=account) if account else rows


def get_event(
    actor: Actor, account: Account, event_id: str, pointer: str = "/event_id"
) -> Occurrence:
    """Return an event, series or instance by its id; raises ToolError `not_found`."""
    rows = events_of(actor, account).select_related("calendar__account")
    found = find_occurrence(rows, event_id)
    if found is None:
        raise not_found("event", pointer)
    return found


class CalendarListEvents(Closed):
    """Which events."""

    account_id: AccountId
    days_ahead: Annotated[
        int, Field(ge=1, le=365, description="So many days from `start` on; `end` wins."), WHOLE
    ] = 7
    start: Maybe[
        Annotated[Moment, Field(description="From then on, also in the past; else from now on.")]
    ] = None
    end: Maybe[
        Annotated[Moment, Field(description="Until then, at most 366 days after the start.")]
    ] = None
    include_details: Annotated[bool, Field(description="With body, attendees and recurrence.")] = (
        False
    )
    limit: Annotated[int, Field(ge=1, le=200), WHOLE] = 50
    use_cache: UseCache = True
    force_refresh: ForceRefresh = False


class EventList(RootModel[list[ListedEvent]]):
    """Events by their start, series expanded into their instances."""


@tool(
    family="operations",
    domain="calendar",
    effect=Effect.READ,
    unified=[("list", "events")],
    example={"account_id": "acc_8fXoQ2mKpL", "days_ahead": 14, "include_details": True},
)
def calendar_list_events(actor: Actor, args: CalendarListEvents) -> EventList:
    """List what takes place in all calendars of an account, by start; from now on, or `start`.

    A recurring series is listed as its instances, each with an id of its own. `dateTime` is what
    the clock of the event's own `timeZone` shows.
    """
    account = get_account(actor, args.account_id)
    since, until = _window(args)
    found = consult_for(args, account, "event_list")
    rows = events_of(actor, account).select_related("calendar__account")
    details = args.include_details
    rows = rows.prefetch_related("attendees") if details else rows.defer("description")
    listed = list_occurrences(rows, since=since, until=until, limit=args.limit)
    longest = fair_cut([len(one.event.description) for one in listed]) if details else 0
    items = [_listed(one, found, details=details, longest=longest) for one in listed]
    return measured(found, EventList(items))


def _window(args: CalendarListEvents) -> tuple[datetime, datetime]:
    since = args.start or timezone.now()
    try:
        until = args.end or since + timedelta(days=args.days_ahead)
    except OverflowError:
        raise invalid("/start", "is too far away", "a time before the year 9999") from None
    if until <= since:
        raise invalid("/end", "is not after the start", "a time after /start, else after now")
    if until - since > LONGEST_LIST:
        raise invalid(
            "/end", "is too far away", f"at most {LONGEST_LIST.days} days after the start"
        )
    return since, until


def _listed(
    one: Occurrence, found: Freshness, *, details: bool, longest: int = LIST_BODY
) -> ListedEvent:
    fields = event_fields(one, with_details=details, longest=longest)
    return ListedEvent(**fields, **cache_fields(found))


class CalendarGetEvent(Closed):
    """Which event."""

    event_id: EventId
    account_id: AccountId
    use_cache: UseCache = True
    force_refresh: ForceRefresh = False


@tool(
    family="operations",
    domain="calendar",
    effect=Effect.READ,
    unified=[("get", "event")],
    example={"event_id": "evt_8fXoQ2mKpL", "account_id": "acc_8fXoQ2mKpL"},
)
def calendar_get_event(actor: Actor, args: CalendarGetEvent) -> ListedEvent:
    """Get an event whole: a single one, a series with its rule, or one instance of a series."""
    account = get_account(actor, args.account_id)
    found = consult_for(args, account, "event", args.event_id)
    one = get_event(actor, account, args.event_id)
    return measured(found, _listed(one, found, details=True, longest=_WHOLE_BODY))


def search_events(
    actor: Actor,
    account: Account,
    query: str,
    page: slice,
    found: Freshness,
    *,
    elsewhere: Collection[str] = (),
) -> list[ListedEvent]:
    """Return the events and series that a query finds, best first; DomainError as `find_events`."""
    scores = find_events(
        actor=actor, account=account, query=query, limit=page.stop, elsewhere=elsewhere
    )
    rows = events_of(actor, account).select_related("calendar__account").defer("description")
    best = sorted(
        rows.filter(pk__in=scores), key=lambda it: (scores[it.pk], it.dtstart, it.pk), reverse=True
    )
    events = [Occurrence(event, event.dtstart, event.dtend) for event in best[page]]
    return [_listed(one, found, details=False) for one in events]


# -- who has time ----------------------------------------------------------------------------------


class CalendarCheckAvailability(Closed):
    """Whose time, from when to when."""

    account_id: AccountId
    start: Moment
    end: Moment
    attendees: Maybe[
        Annotated[People, Field(description="Further addresses; our own accounts are known.")]
    ] = None


class _Graph(Closed):
    model_config = ConfigDict(alias_generator=to_camel)


@with_config(PLAIN)
class BusyBlock(TypedDict):
    """A time that is taken, as it is answered: a month has hundreds, and no model of each."""

    status: Literal["busy", "tentative"]
    start: PlainTime
    end: PlainTime


class ScheduleError(Closed):
    """Why nothing is known of somebody's time."""

    message: str


class Schedule(_Graph):
    """What is known of one address' time."""

    schedule_id: str
    # A digit for each interval: 0 free, 1 tentative, 2 busy. Empty where nothing is known.
    availability_view: str
    schedule_items: list[BusyBlock]
    # As of when: now, or when the calendar of it that was asked for longest ago was in step.
    as_of: OrAbsent[Moment] = None
    error: OrAbsent[ScheduleError] = None


class Availability(_Graph):
    """The account's own time first, then that of the attendees."""

    value: list[Schedule]
    availability_view_interval: int


@tool(
    family="operations",
    domain="calendar",
    effect=Effect.READ,
    shows=False,
    unified=[("get", "availability")],
    example={
        "account_id": "acc_8fXoQ2mKpL",
        "start": "2026-03-02T08:00:00Z",
        "end": "2026-03-02T18:00:00Z",
        "attendees": ["ada@customer.example"],
    },
)
def calendar_check_availability(actor: Actor, args: CalendarCheckAvailability) -> Availability:
    """Tell when an account and others have time: taken times, and a digit for each half hour.

    Addresses of accounts that the caller may see are known, by all of their calendars; of others
    nothing is, and it says so. `asOf` is how old it is what is known.
    """
    account = get_account(actor, args.account_id)
    check_window(args.start, args.end)
    people = read_people(args.attendees, "/attendees")
    addresses = list(dict.fromkeys([account.address.lower(), *people]))
    known = accounts_by_address(actor, addresses)
    keys = set(known.values())
    # Before they are read: what is in step meanwhile is newer than it says.
    as_of = read_as_of(actor=actor, accounts=keys, now=timezone.now())
    busy = list_busy(actor=actor, accounts=keys, since=args.start, until=args.end)
    return Availability(
        value=[_schedule(address, known, busy, as_of, args) for address in addresses],
        availability_view_interval=INTERVAL.seconds // 60,
    )


def check_window(start: datetime, end: datetime) -> None:
    """Refuse a window that is none or is too long; raises ToolError `invalid_input`."""
    if end <= start:
        raise invalid("/end", "is not after /start", "a later time")
    if end - start > LONGEST_WINDOW:
        raise invalid("/end", "is too far away", f"at most {LONGEST_WINDOW.days} days after /start")


def read_people(people: People | None, pointer: str) -> list[str]:
    """Return addresses in lower case, each once; raises the error that names the field."""
    given = [people] if isinstance(people, str) else people or []
    if len(given) > MOST_PEOPLE:
        raise invalid(pointer, "names too many", f"at most {MOST_PEOPLE} addresses")
    checked = check_recipients(**{pointer.removeprefix("/"): given})
    return [one["email"].lower() for one in next(iter(checked.values()))]


def accounts_by_address(actor: Actor, addresses: Iterable[str]) -> dict[str, int]:
    """Return, by address, the keys of the actor's accounts that these addresses belong to."""
    wanted = set(addresses)
    pairs = _ADDRESSES.tuples(actor=actor)
    return {address.lower(): key for address, key in pairs if address.lower() in wanted}


def _addresses(*, actor: Actor) -> Sequence[QuerySet[Any]]:
    return [
        Identity.objects.visible_to(actor).values_list("email", "account_id"),
        Account.objects.visible_to(actor).values_list("address", "pk"),
    ]


_ADDRESSES = Prepared(_addresses)


def _schedule(
    address: str,
    known: dict[str, int],
    busy: dict[int, list[Busy]],
    as_of: dict[int, datetime],
    args: CalendarCheckAvailability,
) -> Schedule:
    if address not in known:
        error = ScheduleError(message="Nothing is known of this address' time")
        return Schedule(schedule_id=address, availability_view="", schedule_items=[], error=error)
    taken = busy.get(known[address], [])
    view = availability_view(taken, since=args.start, until=args.end, step=INTERVAL)
    # Right as it is made: hundreds of times are not gone through once more.
    return Schedule.model_construct(
        schedule_id=address,
        availability_view=view,
        schedule_items=[_block(one) for one in taken],
        as_of=as_of[known[address]],
    )


def _block(one: Busy) -> BusyBlock:
    return {
        "status": "tentative" if one.is_tentative else "busy",
        "start": {"date_time": to_text(one.begin), "time_zone": "UTC"},
        "end": {"date_time": to_text(one.stop), "time_zone": "UTC"},
    }
