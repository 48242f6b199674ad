"""The days of a meeting as they are drawn: hours, columns, what is at the same time. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from math import ceil
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

from calendar_app.free_slots import WorkingHours

Kind: TypeAlias = Literal["proposed", "before", "other"]
# Pixels of an hour; what is short is drawn as high as a line of text.
HOUR = 38
_LEAST = 20
_AROUND = 2 * HOUR
_DAY = timedelta(days=1)
MOST_DAYS = 7
_MOST_COLUMNS = 6
_HOURS = WorkingHours(zone=ZoneInfo("UTC"))


@dataclass(frozen=True, slots=True)
class Block:
    """Something that takes place; a whole day runs from midnight to midnight UTC."""

    summary: str
    start: datetime
    end: datetime
    kind: Kind = "other"
    all_day: bool = False
    is_conflict: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """A block on the drawing: pixels from above, per cent of the width, and its clock."""

    block: Block
    x: float
    width: float
    y: int
    height: int
    clock: str


@dataclass(frozen=True, slots=True)
class Hour:
    """A line of the drawing; `other` is what the second clock says there."""

    y: int
    label: str
    other: str


@dataclass(frozen=True, slots=True)
class Day:
    """A day as it is drawn; `listed` has all of it in order, for reading."""

    date: date
    height: int
    hours: tuple[Hour, ...]
    placed: tuple[Placed, ...]
    all_day: tuple[Block, ...]
    listed: tuple[Placed, ...]
    work_y: int
    work_height: int
    # The part that is shown, in pixels from above: around the proposal, where there is one.
    window_y: int
    window_height: int


def days_of(block: Block, zone: tzinfo) -> list[date]:
    """Return the days on which a block is, at most a week of them."""
    first, last = block.start, max(block.end - timedelta(microseconds=1), block.start)
    clock = UTC if block.all_day else zone
    begin, end = first.astimezone(clock).date(), last.astimezone(clock).date()
    return [begin + number * _DAY for number in range(min((end - begin).days + 1, MOST_DAYS))]


def midnight(day: date, zone: tzinfo) -> datetime:
    """Return when a day begins on a zone's clock."""
    return datetime.combine(day, time(), zone)


def draw(day: date, blocks: Iterable[Block], zone: tzinfo, other: tzinfo | None) -> Day:
    """Lay a day out on the clock of a zone, with a second clock where there is one."""
    here = [one for one in blocks if day in days_of(one, zone)]
    timed = [one for one in here if not one.all_day]
    spans = [_hours_of(one, day, zone) for one in timed]
    # What goes on from the day before, or into the next, does not make the drawing longer.
    first = int(min([8.0, *(start for start, _ in spans if start)]))
    last = max([18, *(ceil(end) for _, end in spans if end < 24)])
    spans = [
        (min(max(start, first), last - 0.5), max(min(end, last), first + 0.5))
        for start, end in spans
    ]
    work = _HOURS if day.weekday() in _HOURS.days else None
    placed = tuple(_place(timed, spans, first, zone))
    ordered = sorted(placed, key=lambda one: (one.block.start, one.block.end))
    whole = tuple(one for one in here if one.all_day)
    height = (last - first) * HOUR
    above, shown = _window([it for it in placed if it.block.kind != "other"], height)
    return Day(
        date=day, height=height,
        hours=tuple(_lines(day, first, last, zone, other)), placed=placed, all_day=whole,
        listed=(*(Placed(one, 0, 0, 0, 0, "") for one in whole), *ordered),
        work_y=(work.start.hour - first) * HOUR if work else 0,
        work_height=(work.end.hour - work.start.hour) * HOUR if work else 0,
        window_y=above, window_height=shown,
    )  # fmt: skip


def _window(mine: Sequence[Placed], height: int) -> tuple[int, int]:
    """Return where what is shown begins and how high it is: two hours around the proposal."""
    if not mine:
        return 0, height
    above = max(min(it.y for it in mine) - _AROUND, 0)
    below = min(max(it.y + it.height for it in mine) + _AROUND, height)
    return above, below - above


def _hours_of(block: Block, day: date, zone: tzinfo) -> tuple[float, float]:
    """Return when it begins and ends that day, in hours of the clock, cut to the day."""
    return (
        0.0 if block.start.astimezone(zone).date() < day else _clock_hours(block.start, zone),
        24.0 if block.end.astimezone(zone).date() > day else _clock_hours(block.end, zone),
    )


def _clock_hours(moment: datetime, zone: tzinfo) -> float:
    local = moment.astimezone(zone)
    return local.hour + local.minute / 60


def _place(
    blocks: Sequence[Block], spans: Sequence[tuple[float, float]], first: int, zone: tzinfo
) -> Iterator[Placed]:
    """Yield the blocks in columns: what overlaps stands side by side, the proposal foremost."""
    drawn = [(start, max(end, start + _LEAST / HOUR)) for start, end in spans]
    order = sorted(range(len(blocks)), key=lambda at: (drawn[at][0], _rank(blocks[at])))
    group: list[int] = []
    ends = 0.0
    for at in [*order, -1]:
        if group and (at < 0 or drawn[at][0] >= ends):
            yield from _columns(group, blocks, drawn, first, zone)
            group, ends = [], 0.0
        if at >= 0:
            group.append(at)
            ends = max(ends, drawn[at][1])


def _rank(block: Block) -> int:
    return ("proposed", "before", "other").index(block.kind)


def _columns(
    group: Sequence[int],
    blocks: Sequence[Block],
    drawn: Sequence[tuple[float, float]],
    first: int,
    zone: tzinfo,
) -> Iterator[Placed]:
    columns: dict[int, int] = {}
    for at in sorted(group, key=lambda one: (_rank(blocks[one]), drawn[one][0])):
        overlapping = {
            columns[other] for other in columns
            if drawn[other][0] < drawn[at][1] and drawn[at][0] < drawn[other][1]
        }  # fmt: skip
        column = next(number for number in range(len(group) + 1) if number not in overlapping)
        columns[at] = min(column, _MOST_COLUMNS - 1)
    width = 100 / (max(columns.values()) + 1)
    for at, column in columns.items():
        start, end = drawn[at]
        yield Placed(
            blocks[at], round(column * width, 2), round(width, 2), round((start - first) * HOUR),
            round((end - start) * HOUR), clock_of(blocks[at], zone),
        )  # fmt: skip


def clock_of(block: Block, zone: tzinfo) -> str:
    """Return from when to when it is on a zone's clock; empty for a whole day."""
    if block.all_day:
        return ""
    return f"{block.start.astimezone(zone):%H:%M}–{block.end.astimezone(zone):%H:%M}"


def _lines(day: date, first: int, last: int, zone: tzinfo, other: tzinfo | None) -> Iterator[Hour]:
    for hour in range(first, last + 1):
        at = midnight(day, zone) + timedelta(hours=hour)
        label = f"{hour % 24:02d}:00"
        beside = f"{at.astimezone(UTC).astimezone(other):%H:%M}" if other else ""
        yield Hour((hour - first) * HOUR, label, beside)
