"""What is done every so often, by one process at a time, however many there are."""

import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from inbox.background.precedence import in_background
from inbox.models import PeriodicRun

log = logging.getLogger(__name__)


@dataclass
class _Periodic:
    run: Callable[[], object]
    period: timedelta
    in_each_process: bool = False
    # When this process looks again, by its monotonic clock, in seconds.
    look_at: float = 0.0


_PERIODIC: dict[str, _Periodic] = {}


def periodic(
    seconds: float, *, in_each_process: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function, called without arguments, that one of all workers runs about so often.

    Where clocks differ, or a run takes longer than its period, two may run it at once: it must be
    idempotent and, like any handler, short. `in_each_process`: every worker runs it for itself.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        name = f"{function.__module__}.{function.__qualname__}"
        if name in _PERIODIC:
            raise ValueError(f"two periodic functions {name!r}")
        _PERIODIC[name] = _Periodic(function, timedelta(seconds=seconds), in_each_process)
        return function

    return register


def run_periodic() -> None:
    """Run the functions whose turn it is and that no other process takes; log one that fails.

    What each process does for itself comes first and waits for nobody: by it one sees it work.
    """
    now = time.monotonic()
    pressing = {name: each for name, each in _PERIODIC.items() if each.look_at <= now}
    for own in (True, False):
        with in_background(not own):
            _run({name: it for name, it in pressing.items() if it.in_each_process == own})


def _run(pressing: Mapping[str, _Periodic]) -> None:
    for name in _take(pressing):
        try:
            pressing[name].run()
        except Exception:
            log.exception("the periodic %s failed", name)


def _take(pressing: Mapping[str, _Periodic]) -> Iterator[str]:
    """Take, by compare-and-set, those that are due; yield each that is ours to run."""
    due_at = _due_times([name for name, each in pressing.items() if not each.in_each_process])
    for name, each in pressing.items():
        now = timezone.now()
        wait = due_at[name] - now if name in due_at else timedelta(0)
        # Farther off than its period: a clock was wrong when it was noted, so it is due.
        waits = timedelta(0) < wait <= each.period
        each.look_at = time.monotonic() + (wait if waits else each.period).total_seconds()
        if waits:
            continue
        if name not in due_at or _take_over(name, due_at[name], now + each.period):
            yield name


def _take_over(name: str, due_at: datetime, again_at: datetime) -> bool:
    with transaction.atomic():
        return bool(PeriodicRun.objects.filter(name=name, due_at=due_at).update(due_at=again_at))


def _due_times(names: Collection[str]) -> dict[str, datetime]:
    if not names:
        return {}
    rows = PeriodicRun.objects.filter(name__in=names).values_list("name", "due_at")
    known = dict(rows)
    if missing := [name for name in names if name not in known]:
        now = timezone.now()
        PeriodicRun.objects.bulk_create(
            [PeriodicRun(name=name, due_at=now) for name in missing], ignore_conflicts=True
        )
        known = dict(rows.all())
    return known
