"""The times that calendars have taken."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

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
    time_as_stored,
    times_of,
)
from calendar_app.packed_starts import MICROSECOND, to_moment, to_number
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
_WHOSE_AT = slice(len(SERIES), len(SERIES) + len(_WHOSE))
# Starts, by these two and by how long they last, in microseconds: what many series have is once.
_key, _begin = itemgetter(0), itemgetter(0)
_Taken: TypeAlias = dict[tuple[int, bool, int], set[int]]


class Busy(NamedTuple):
    """A time that is taken, in microseconds since 1970; `is_tentative` where it is not certain.

    A month has hundreds of them: what only writes or compares them needs no `datetime` of each.
    """

    begin: int
    stop: int
    is_tentative: bool = False

    @property
    def start(self) -> datetime:
        """When it begins."""
        return to_moment(self.begin)

    @property
    def end(self) -> datetime:
        """When it is over."""
        return to_moment(self.stop)


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
    stops: dict[tuple[int, bool], dict[int, int]] = defaultdict(dict)
    # Of what begins at once the longest comes last, and counts.
    for (account, is_tentative, lasts), starts in sorted(
        _taken(actor, accounts, window).items(), key=_key
    ):
        if lasts and starts:
            stops[account, is_tentative].update({start: start + lasts for start in starts})
    busy: dict[int, list[Busy]] = {}
    first, last = to_number(since), to_number(until)
    # What is certain comes before what is not, where both begin at once.
    for (account, is_tentative), found in stops.items():
        busy.setdefault(account, []).extend(_joined(found, first, last, bool(is_tentative)))
    return {account: sorted(found, key=_begin) for account, found in busy.items() if found}


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
    series = times_of(_SERIES.tuples(**asked), partial(_events, **whose), window)
    first, last = window.stamps(series)
    changed = list(_CHANGED.tuples(**asked, first=first, last=last))
    hidden = hidden_stamps(row[:3] for row in changed)
    taken: _Taken = defaultdict(set)
    for one in series:
        starts = one.starts_without(hidden) if hidden else one.starts
        taken[(*one.row[_WHOSE_AT], one.lasts)].update(starts)
    since, until = to_number(window.since), to_number(window.until)
    single = _SINGLES.tuples(**asked, earliest=window.earliest)
    for account, is_tentative, start, end in (*(row[4:] for row in changed if row[3]), *single):
        begin, stop = number_of(start), number_of(end)
        if begin < until and stop > since:
            taken[account, is_tentative, stop - begin].add(begin)
    return taken


def _joined(stops: dict[int, int], first: int, last: int, is_tentative: bool) -> list[Busy]:
    """Return what is taken, in order and cut to the window; what touches is joined.

    `stops` says of each beginning when it is over; all is in the window at least in part.
    """
    joined = []
    begins = sorted(stops)
    # Only the first may begin before the window, and only the last end after it.
    begin, end = max(begins[0], first), stops[begins[0]]
    for start in begins:
        stop = stops[start]
        if start > end:
            joined.append(Busy(begin, end, is_tentative))
            begin, end = start, stop
        elif stop > end:
            end = stop
    joined.append(Busy(begin, min(end, last), is_tentative))
    return joined


def _events(*, actor: Actor, accounts: Sequence[int]) -> EventQuerySet:
    rows = Event.objects.visible_to(actor).kept()
    return rows.filter(calendar__account__in=accounts)


def _told(*, actor: Actor, accounts: Sequence[int]) -> EventQuerySet:
    return _events(actor=actor, accounts=accounts).annotate(
        account=F("calendar__account_id"),
        is_tentative=as_stored(_IS_TENTATIVE),
        takes_time=as_stored(_TAKES_TIME),
        start=time_as_stored("dtstart"),
        end=time_as_stored("dtend"),
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
    first, each = to_number(since), step // MICROSECOND
    intervals = -((first - to_number(until)) // each)
    digits = bytearray(b"0" * intervals)
    for one in sorted(busy, key=_is_certain):
        place = max((one.begin - first) // each, 0)
        count = min(-((first - one.stop) // each), intervals) - place
        if count > 0:
            digits[place : place + count] = (b"1" if one.is_tentative else b"2") * count
    return digits.decode()


def _is_certain(one: Busy) -> bool:
    return not one.is_tentative
