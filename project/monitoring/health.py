"""Whether this process can serve, and whether work gets done: what `/health/ready` says."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import connection

from inbox.files.storage import check_storage
from inbox.operations.figures import queue_figures
from inbox.operations.worker_processes import GONE_AFTER, seconds_since_worker
from project.schema.comparing import missing_migrations, schema_differences

# What is due and has waited so long is late.
LATE = timedelta(minutes=5)
# The storage is written to so often at most, in seconds.
STORAGE_EVERY = 30.0


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; without a `vital` one this process cannot serve."""

    name: str
    words: str = ""
    vital: bool = True

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.words


@dataclass(frozen=True, slots=True)
class Health:
    """What was found: `ok`, `degraded` (work waits) or `unavailable` (this cannot serve)."""

    checks: tuple[Check, ...]

    @property
    def status(self) -> str:
        """All of it in one word."""
        if any(check.vital and not check.ok for check in self.checks):
            return "unavailable"
        return "ok" if all(check.ok for check in self.checks) else "degraded"

    def as_json(self) -> dict[str, object]:
        """Return what is told; it names no host, no path and no error of the system."""
        return {
            "status": self.status,
            "checks": {check.name: check.words or "ok" for check in self.checks},
        }


class Readiness:
    """Looks at what this process needs, and remembers what need not be looked at each time."""

    def __init__(self) -> None:
        self._migrated = False
        self._stored = Check("storage")
        self._stored_at = float("-inf")

    def look(self) -> Health:
        """Return how things stand; raises nothing, whatever is broken."""
        database = _checked("database", _database)
        rest = self._rest() if database.ok else ()
        return Health((database, *rest))

    def _rest(self) -> Iterator[Check]:
        yield _checked("migrations", self._migrations)
        yield self._storage()
        yield _checked("queue", _queue, vital=False)
        yield _checked("worker", _worker, vital=False)

    def _migrations(self) -> str:
        # What was found right stays right while this code runs.
        words = "" if self._migrated else _schema()
        self._migrated = not words
        return words

    def _storage(self) -> Check:
        if time.monotonic() - self._stored_at > STORAGE_EVERY or not self._stored.ok:
            self._stored = _checked("storage", _storage)
            self._stored_at = time.monotonic()
        return self._stored


def _checked(name: str, look: Callable[[], str], *, vital: bool = True) -> Check:
    try:
        return Check(name, look(), vital)
    except Exception:  # noqa: BLE001 (a driver's or a storage's own; whoever asks may be anybody)
        return Check(name, "does not answer", vital)


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return ""


def _schema() -> str:
    if schema_differences():
        return f"made by an unreleased version or a newer one, see {settings.COMMAND} doctor"
    return "there are migrations to apply" if missing_migrations() else ""


def _storage() -> str:
    check_storage()
    return ""


def _queue() -> str:
    oldest = max(each.oldest_seconds for each in queue_figures())
    return "work is late" if oldest > LATE.total_seconds() else ""


def _worker() -> str:
    seconds = seconds_since_worker()
    if seconds is None:
        return "none was ever seen"
    return "none was seen lately" if seconds > GONE_AFTER.total_seconds() else ""
