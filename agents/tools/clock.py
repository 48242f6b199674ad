"""What time it is."""

from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Literal, TypeAlias
from zoneinfo import ZoneInfo, available_timezones

from django.utils import timezone
from pydantic import Field

from agents.contracts import Effect, tool
from agents.contracts.fields import Closed, Maybe, Moment
from agents.errors import invalid
from inbox.actor import Actor

Weekday: TypeAlias = Literal[
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"
]
_WEEKDAYS: tuple[Weekday, ...] = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
ZoneName: TypeAlias = Annotated[
    str,
    Field(
        min_length=1, max_length=64,
        description="An IANA time zone, like Europe/Berlin; UTC unless given.",
    ),
]  # fmt: skip


class GetCurrentTime(Closed):
    """Where."""

    timezone: Maybe[ZoneName] = None


class CurrentTime(Closed):
    """The time now: in UTC and by the clocks of a zone, which are `utc_offset` ahead of it."""

    utc: Moment
    timezone: str
    # RFC 3339 with the zone's offset, and so no Moment, which is in UTC.
    local: str
    date: str
    weekday: Weekday
    utc_offset: str


@tool(
    family="house",
    domain="time",
    effect=Effect.READ,
    shows=False,
    example={"timezone": "Europe/Berlin"},
)
def get_current_time(actor: Actor, args: GetCurrentTime) -> CurrentTime:
    """Tell the time now, in UTC and in a time zone, with the day of the week there."""
    zone = args.timezone or "UTC"
    if zone not in _zones():
        raise invalid("/timezone", "is no time zone", "an IANA name, like Europe/Berlin")
    now = timezone.now().replace(microsecond=0)
    local = now.astimezone(UTC if zone == "UTC" else ZoneInfo(zone))
    return CurrentTime(
        utc=now,
        timezone=zone,
        local=local.isoformat(),
        date=local.date().isoformat(),
        weekday=_WEEKDAYS[local.weekday()],
        utc_offset=_offset(local),
    )


@cache
def _zones() -> frozenset[str]:
    """Return the names there are: names are looked up here and never used as a path."""
    return frozenset(available_timezones())


def _offset(local: datetime) -> str:
    return f"{local:%z}"[:3] + ":" + f"{local:%z}"[3:5]
