"""A series that is moved, with its exceptions. No Django."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from calendar_app.icalendar import ItipEvent, read_stamp, write_stamp
from calendar_app.recurrence import Series, read_rule, to_local, to_utc
from inbox.reasons import phrase as _

_ONE_DAY = re.compile(r"BYDAY=([A-Z]{2})(?=;|$)", re.IGNORECASE)
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def move_series(before: ItipEvent, after: ItipEvent) -> ItipEvent:
    """Return a changed series with its rule and exceptions moved as its start was.

    Raises ValueError where the rule names days that the new start is not one of.
    """
    if not (before.rrule or before.rdate) or _moved_by(before, after) == timedelta():
        return after
    return replace(
        after,
        rrule=_moved_rule(before, after),
        rdate=tuple(move_stamp(stamp, before, after) for stamp in before.rdate),
        exdate=tuple(move_stamp(stamp, before, after) for stamp in before.exdate),
    )


def move_instance(instance: ItipEvent, before: ItipEvent, after: ItipEvent) -> ItipEvent:
    """Return a changed instance as the moved series names it; it takes place when it did."""
    return replace(
        instance,
        recurrence_id=move_stamp(instance.recurrence_id, before, after),
        sequence=after.sequence,
        dtstamp=after.dtstamp,
    )


def move_stamp(stamp: str, before: ItipEvent, after: ItipEvent) -> str:
    """Return how the moved series names what it named so before: by the clock, not the instant."""
    local = to_local(_series(before), read_stamp(stamp)) + _moved_by(before, after)
    return write_stamp(to_utc(_series(after), local), all_day=after.all_day)


def _series(event: ItipEvent) -> Series:
    if event.start is None:
        raise ValueError(_("a series needs a start"))
    return Series(event.start, event.timezone, event.all_day)


def _local_start(event: ItipEvent) -> datetime:
    series = _series(event)
    return to_local(series, series.start)


def _moved_by(before: ItipEvent, after: ItipEvent) -> timedelta:
    return _local_start(after) - _local_start(before)


def _moved_rule(before: ItipEvent, after: ItipEvent) -> str:
    old, new = _local_start(before), _local_start(after)
    if not before.rrule or old.date() == new.date():
        return before.rrule
    rule = read_rule(before.rrule)
    weekly = _ONE_DAY.search(before.rrule)
    if rule.freq == "WEEKLY" and weekly and weekly[1].upper() == _DAYS[old.weekday()]:
        return _ONE_DAY.sub(f"BYDAY={_DAYS[new.weekday()]}", before.rrule)
    if rule.byday or any(name in rule.by for name in ("BYMONTHDAY", "BYYEARDAY", "BYMONTH")):
        raise ValueError(_("the series repeats on certain days, and this is not one of them"))
    return before.rrule
