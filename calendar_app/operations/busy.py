"""The times that calendars have taken."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeAlias

from django.db.models import F, Q, QuerySet

from calendar_app.models import Calendar, Event, EventStatus, Partstat, Transparency
from calendar_app.models.events import EventQuerySet
from calendar_app.operations.windows import (
    MOST_CHANGED,
    SERIES,
    Window,
    as_stored,
    changed_in,
    hidden_stamps,
    number_of,
    series_in,
    singles_in,
    times_of,
)
from calendar_app.packed_starts import to_moment, to_number
from inbox.actor import Actor
from inbox.prepared import Prepared, padded

# So many events that take place once are looked at.
MOST_BUSY = 10_000

_TAKES_TIME = (
    Q(transparency=Transparency.OPAQUE)
    & ~Q(status=EventStatus.CANCELLED)
    & ~Q(partstat=Partstat.DECLINED)
)
_IS_TENTATIVE = Q(status=EventStatus.TENTATIVE) & ~Q(partstat=Partstat.ACCEPTED)
# The key of an account, and whether it is uncertain.
_WHOSE = ("account", "is_tentative")
# Starts, by these two and by how long they last, in microseconds: what many series have is once.
_Taken: TypeAlias = dict[tuple[int, bool, int], set[int]]


@dataclass(frozen=True, slots=True)
class Busy:
    """A time that is taken; `is_tentative` where it is not certain."""

    start: datetime
    end: datetime
    is_tentative: bool = False


def list_busy(
    *, actor: Actor, accounts: Collection[int], since: datetime, until: datetime
) -> dict[int, list[Busy]]:
    """Return the taken times of accounts, by their keys, between two times; in three queries.

    Of all their calendars that the actor may see; cut to the window and in order; what touches is
    joined.
    """
    if not accounts:
        return {}
    window = Window(since, until)
    spans: dict[tuple[int, bool], list[tuple[int, int]]] = {}
    for (account, is_tentative, lasts), starts in _taken(actor, accounts, window).items():
        if lasts and starts:
            found = spans.setdefault((account, is_tentative), [])
            found.extend([(start, start + lasts) for start in starts])
    busy: dict[int, list[Busy]] = {}
    # What is certain comes before what is not, where both begin at once.
    for account, is_tentative in sorted(spans):
        busy.setdefault(account, []).extend(
            Busy(start, end, bool(is_tentative))
            for start, end in _joined(spans[account, is_tentative], window)
        )
    return {account: sorted(found, key=_start) for account, found in busy.items() if found}


def read_as_of(*, actor: Actor, accounts: Collection[int], now: datetime) -> dict[int, datetime]:
    """Return as of when the calendars of accounts are, by their keys: as the oldest of each is.

    What is kept here alone is as of now. What never was in step with its server is as of when it
    was listed: nothing is known that is newer.
    """
    if not accounts:
        return {}
    found = dict.fromkeys(accounts, now)
    for account, current_at, listed_at in _REMOTE.rows(
        actor=actor, accounts=padded(sorted(accounts))
    ):
        found[account] = min(found[account], current_at or listed_at)
    return found


def _taken(actor: Actor, accounts: Collection[int], window: Window) -> _Taken:
    whose: dict[str, Any] = {"actor": actor, "accounts": padded(sorted(accounts))}
    asked: dict[str, Any] = {**whose, "since": window.since, "until": window.until}
    series = times_of(_SERIES.rows(**asked), partial(_events, **whose), window)
    first, last = window.stamps(series)
    changed = list(_CHANGED.rows(**asked, first=first, last=last))
    hidden = hidden_stamps(row[:3] for row in changed)
    taken: _Taken = {}
    for one in series:
        account, is_tentative = one.more
        starts = taken.setdefault((account, is_tentative, one.lasts), set())
        starts.update(one.starts_without(hidden))
    since, until = to_number(window.since), to_number(window.until)
    single = _SINGLES.rows(**asked, earliest=window.earliest)
    for account, is_tentative, start, end in (*(row[4:] for row in changed if row[3]), *single):
        begin, stop = number_of(start), number_of(end)
        if begin < until and stop > since:
            taken.setdefault((account, is_tentative, stop - begin), set()).add(begin)
    return taken


def _joined(spans: list[tuple[int, int]], window: Window) -> Iterator[tuple[datetime, datetime]]:
    """Yield what is taken, in order and cut to the window, what touches joined."""
    spans.sort()
    begin, end = spans[0]
    joined = []
    for start, stop in spans:
        if start > end:
            joined.append((begin, end))
            begin, end = start, stop
        elif stop > end:
            end = stop
    joined.append((begin, end))
    for start, stop in joined:
        yield max(to_moment(start), window.since), min(to_moment(stop), window.until)


def _start(one: Busy) -> datetime:
    return one.start


def _events(*, actor: Actor, accounts: Sequence[int]) -> EventQuerySet:
    rows = Event.objects.visible_to(actor).kept()
    return rows.filter(calendar__account__in=accounts)


def _told(*, actor: Actor, accounts: Sequence[int]) -> EventQuerySet:
    return _events(actor=actor, accounts=accounts).annotate(
        account=F("calendar__account_id"),
        is_tentative=as_stored(_IS_TENTATIVE),
        takes_time=as_stored(_TAKES_TIME),
        start=as_stored(F("dtstart")),
        end=as_stored(F("dtend")),
    )


def _series(
    *, actor: Actor, accounts: Sequence[int], **window: datetime
) -> Sequence[QuerySet[Any]]:
    rows = _told(actor=actor, accounts=accounts).filter(_TAKES_TIME)
    return [series_in(rows, **window).values_list(*SERIES, *_WHOSE)]


def _changed(*, actor: Actor, accounts: Sequence[int], **window: Any) -> Sequence[QuerySet[Any]]:
    rows = changed_in(_told(actor=actor, accounts=accounts), **window)
    columns = ("calendar_id", "uid", "recurrence_id", "takes_time", *_WHOSE, "start", "end")
    return [rows.values_list(*columns)[:MOST_CHANGED]]


def _singles(
    *, actor: Actor, accounts: Sequence[int], **window: datetime
) -> Sequence[QuerySet[Any]]:
    rows = singles_in(_told(actor=actor, accounts=accounts).filter(_TAKES_TIME), **window)
    return [rows.values_list(*_WHOSE, "start", "end")[:MOST_BUSY]]


def _remote(*, actor: Actor, accounts: Sequence[int]) -> Sequence[QuerySet[Any]]:
    rows = Calendar.objects.visible_to(actor).kept()
    rows = rows.filter(account__in=accounts, remote__isnull=False)
    return [rows.values_list("account_id", "remote__current_at", "created_at")]


_REMOTE = Prepared(_remote)
_SERIES, _CHANGED, _SINGLES = Prepared(_series), Prepared(_changed), Prepared(_singles)


def availability_view(
    busy: Iterable[Busy], *, since: datetime, until: datetime, step: timedelta
) -> str:
    """Return a digit for each interval, as Microsoft Graph does: 0 free, 1 tentative, 2 busy."""
    intervals = -((since - until) // step)
    digits = ["0"] * intervals
    for one in sorted(busy, key=lambda it: not it.is_tentative):
        first = max((one.start - since) // step, 0)
        for place in range(first, min(-((since - one.end) // step), intervals)):
            digits[place] = "1" if one.is_tentative else "2"
    return "".join(digits)
