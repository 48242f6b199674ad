"""A place in the queue, and how an address names it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

APPROVAL, ACTIVITY = 0, 1


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the queue; `asof` is the time by which its levels were worked out."""

    asof: datetime
    level: int
    at: datetime
    kind: int
    pk: int

    def __str__(self) -> str:
        times = (_micros(self.asof), self.level, _micros(self.at), self.kind, self.pk)
        return ".".join(str(number) for number in times)

    @property
    def order(self) -> tuple[int, datetime, int, int]:
        """What it is sorted by."""
        return self.level, self.at, self.kind, self.pk


def read_place(text: str) -> Position | None:
    """Return the place that an address names; None for anything else."""
    parts = text.split(".")
    if len(parts) != 5 or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    if any(len(part) > 17 for part in parts):
        return None
    asof, level, at, kind, pk = numbers = [int(part) for part in parts]
    if max(numbers) > 2**53 or level > 100 or kind > ACTIVITY:
        return None
    return Position(_time(asof), level, _time(at), kind, pk)


def _micros(at: datetime) -> int:
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _time(micros: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
