"""When everybody has time."""

import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Annotated, Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.utils import timezone
from pydantic import Field

from agents.contracts import Effect, tool
from agents.contracts.fields import WHOLE, Closed, IdOrName, Maybe, Moment
from agents.dispatching.rows import read_key
from agents.errors import invalid, not_found
from agents.tools.calendar.events import (
    People,
    accounts_by_address,
    check_window,
    read_people,
)
from calendar_app.free_slots import WorkingHours, find_slots
from calendar_app.operations.busy import list_busy, read_as_of
from calendar_app.operations.events import check_zone
from inbox.actor import Actor
from inbox.models import Account
from inbox.prepared import Prepared

_MOST_SLOTS = 100
_MOST_ACCOUNTS = 50
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d")

Clock: TypeAlias = Annotated[str, Field(pattern=f"^{_CLOCK.pattern}$", description="Like 09:00.")]
Day: TypeAlias = Literal["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
_DAYS: tuple[Day, ...] = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


class WorkingTime(Closed):
    """From when to when, on which days, on the clock of `timezone`."""

    start: Clock = "09:00"
    end: Clock = "17:00"
    days: Annotated[list[Day], Field(min_length=1, max_length=7)] = ["MO", "TU", "WE", "TH", "FR"]


class FindFreeSlots(Closed):
    """For how long, from when to when, and who has to have time."""

    duration_minutes: Annotated[int, Field(ge=5, le=1440), WHOLE]
    start: Moment
    end: Moment
    account_ids: Maybe[
        Annotated[
            list[Annotated[str, IdOrName(Account.ID_PREFIX)]],
            Field(
                min_length=1,
                max_length=_MOST_ACCOUNTS,
                description="Their ids, addresses or names. Default: all of yours.",
            ),
        ]
    ] = None
    attendees: Maybe[
        Annotated[People, Field(description="Addresses; those of our accounts are known.")]
    ] = None
    timezone: Annotated[str, Field(description="An IANA zone.")] = "UTC"
    working_hours: WorkingTime = WorkingTime()
    tentative_is_free: bool = False
    limit: Annotated[int, Field(ge=1, le=_MOST_SLOTS), WHOLE] = 10


class Slot(Closed):
    """A time at which everybody known is free."""

    start: Moment
    end: Moment


class FreeSlots(Closed):
    """The first free slots; nothing is known of the time of those in `unknown`."""

    slots: list[Slot]
    unknown: list[str]
    # As of when the calendars are: now, or when the one that is oldest was in step with its server.
    as_of: Moment


@tool(
    family="house",
    domain="calendar",
    effect=Effect.READ,
    shows=False,
    example={
        "duration_minutes": 30,
        "start": "2026-03-09T00:00:00Z",
        "end": "2026-03-14T00:00:00Z",
        "timezone": "Europe/Berlin",
        "working_hours": {"start": "10:00", "end": "16:00"},
    },
)
def find_free_slots(actor: Actor, args: FindFreeSlots) -> FreeSlots:
    """Find the first times at which all of our accounts that are asked for have time.

    By all of their calendars, within the working hours of a day, at quarters of an hour. Addresses
    that are none of our accounts are named in `unknown` and keep nobody from a slot.
    """
    check_window(args.start, args.end)
    hours = _hours(args)
    people = read_people(args.attendees, "/attendees")
    known = accounts_by_address(actor, people)
    keys = _accounts(actor, args.account_ids) | set(known.values())
    now = timezone.now()
    # Before they are read: what is in step meanwhile is newer than it says.
    as_of = read_as_of(actor=actor, accounts=keys, now=now)
    busy = [
        (one.begin, one.stop)
        for taken in list_busy(
            actor=actor, accounts=keys, since=args.start, until=args.end
        ).values()
        for one in taken
        if not (one.is_tentative and args.tentative_is_free)
    ]
    found = find_slots(
        busy, since=args.start, until=args.end, lasts=timedelta(minutes=args.duration_minutes),
        hours=hours, limit=args.limit,
    )  # fmt: skip
    return FreeSlots(
        slots=[Slot(start=start, end=end) for start, end in found],
        unknown=[address for address in people if address not in known],
        as_of=min(as_of.values(), default=now),
    )


def _accounts(actor: Actor, account_ids: list[str] | None) -> set[int]:
    """Return the keys of the accounts that are named, or of all; raises ToolError `not_found`."""
    visible = {key for (key,) in _VISIBLE.tuples(actor=actor)}
    if account_ids is None:
        return visible
    pointers = [f"/account_ids/{place}" for place in range(len(account_ids))]
    keys = [
        read_key(Account, account_id, "account", pointer)
        for account_id, pointer in zip(account_ids, pointers, strict=True)
    ]
    for key, pointer in zip(keys, pointers, strict=True):
        if key not in visible:
            raise not_found("account", pointer)
    return set(keys)


def _visible(*, actor: Actor) -> Sequence[QuerySet[Any]]:
    return [Account.objects.visible_to(actor).values_list("pk")]


_VISIBLE = Prepared(_visible)


def _hours(args: FindFreeSlots) -> WorkingHours:
    start, end = _clock(args.working_hours.start), _clock(args.working_hours.end)
    if end <= start:
        raise invalid("/working_hours/end", "is not after the start", "a later time of the day")
    zone = ZoneInfo(check_zone(args.timezone) or "UTC")
    return WorkingHours(zone, start, end, frozenset(map(_DAYS.index, args.working_hours.days)))


def _clock(text: str) -> time:
    return datetime.strptime(text, "%H:%M").time()  # noqa: DTZ007
