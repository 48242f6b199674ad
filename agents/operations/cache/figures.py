"""What there is to say of the mirror: how well it serves, and how far the first sync has come."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db.models import Count, Q, QuerySet, Sum

from calendar_app.models import Event
from inbox.actor import Actor
from inbox.models import (
    Account,
    Correspondence,
    FileNode,
    Import,
    Message,
    MirrorEntry,
    RemoteCollection,
)
from inbox.models.remote import SyncState
from inbox.prepared import Prepared
from inbox.syncing.hits import HITS


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured of the entries of one resource of an account, or of several."""

    entries: int = 0
    bytes: int = 0
    hits: int = 0
    misses: int = 0

    @property
    def hit_rate(self) -> float | None:
        """The share of readings that needed no provider, 0 to 1; None before the first."""
        asked = self.hits + self.misses
        return round(self.hits / asked, 4) if asked else None


def read_figures(actor: Actor) -> dict[int, dict[str, Figures]]:
    """Return the figures of the actor's accounts, by account and resource, in one query.

    Readings that another process counted in the last seconds may come later.
    """
    waiting = HITS.waiting()
    found: dict[int, dict[str, Figures]] = {}
    for account, resource, entries, *sums in _MEASURED.fetched(actor=actor):
        # PostgreSQL adds up whole numbers to a decimal one.
        size, hits, missed = (int(one) for one in sums)
        figures = Figures(entries, size, hits + waiting[account, resource], missed)
        found.setdefault(account, {})[resource] = figures
    return found


def _measured(*, actor: Actor) -> Sequence[QuerySet[Any, Any]]:
    rows = MirrorEntry.objects.visible_to(actor).values_list("account_id", "resource")
    measured = rows.annotate(
        entries=Count("pk", filter=Q(cached_at__isnull=False)),
        size=Sum("bytes"), hit=Sum("hits"), missed=Sum("misses"),
    )  # fmt: skip
    return [measured.order_by("account_id", "resource")]


_MEASURED = Prepared(_measured)


def total(parts: Iterable[Figures]) -> Figures:
    """Return the figures of all of them together."""
    every = list(parts)
    return Figures(
        sum(part.entries for part in every), sum(part.bytes for part in every),
        sum(part.hits for part in every), sum(part.misses for part in every),
    )  # fmt: skip


def find_entries(actor: Actor, pattern: str, account: Account | None) -> list[int]:
    """Return the keys of the actor's entries whose names the pattern fits; `*` stands for any."""
    rows = MirrorEntry.objects.visible_to(actor).filter(cached_at__isnull=False)
    if account is not None:
        rows = rows.filter(account=account)
    pieces = pattern.split("*")
    names = rows.values_list("pk", "name").iterator(chunk_size=2000)
    return [key for key, name in names if fits(name, pieces)]


def fits(name: str, pieces: list[str]) -> bool:
    """Return True if the pieces between the stars stand in the name, in order and from end to end.

    Each is looked for once, so that no pattern takes longer than its length.
    """
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return name == first
    if len(name) < len(first) + len(last) or not (name.startswith(first) and name.endswith(last)):
        return False
    place, end = len(first), len(name) - len(last)
    for piece in pieces[1:-1]:
        found = name.find(piece, place, end)
        if found < 0:
            return False
        place = found + len(piece)
    return True


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of an account's first sync is done, of one kind of row: `email_list`, …."""

    operation: str
    total: int
    done: int
    # The server has yet to be read to its end; how much there is may not even be known.
    under_way: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing left to do."""
        return not self.under_way and self.done >= self.total

    @property
    def percent(self) -> float:
        """The share that is done, 0 to 100; nothing to do is done."""
        if self.total:
            return round(100 * self.done / self.total, 1)
        return 0.0 if self.under_way else 100.0


Counts: TypeAlias = dict[int, int]


def read_progress(accounts: list[Account]) -> dict[int, list[Progress]]:
    """Return the progress of each account, in one query for each operation.

    Our rows are the whole of a built-in account; an import that is running has more, and so have
    the servers of mail and of collections that are read for the first time.
    """
    keys = [account.pk for account in accounts]
    reading = _still_at_server(keys)
    coming = _still_imported(keys)
    noted = _still_in_collections([account.pk for account in accounts if account.has_sources])
    counted = {operation: count(keys) for operation, count in _COUNTS.items()}
    return {
        key: [
            _progress_of_mail(counts.get(key, 0), coming.get(key, 0), reading.get(key))
            if operation == "email_list"
            else _progress_of(operation, counts.get(key, 0), noted.get((key, operation)))
            for operation, counts in counted.items()
        ]
        for key in keys
    }


def _progress_of(operation: str, done: int, noted: int | None) -> Progress:
    return Progress(operation, done + (noted or 0), done, under_way=noted is not None)


def _progress_of_mail(done: int, imported: int, at_server: int | None) -> Progress:
    return Progress(
        "email_list", done + imported + (at_server or 0), done, under_way=at_server is not None
    )


def _still_at_server(keys: list[int]) -> Counts:
    """Return how many messages each first sync that is not over has yet to read, by account."""
    states = SyncState.objects.filter(account__in=keys, first_done_at=None)
    return {
        account: max(0, total - done)
        for account, total, done in states.values_list("account_id", "total", "done")
    }


def _still_in_collections(keys: list[int]) -> dict[tuple[int, str], int]:
    """Return how many items are noted and have yet to be read, by account and operation.

    Of collections that were never read to their end; what is left out has none of those.
    """
    if not keys:
        return {}
    rows = RemoteCollection.objects.filter(
        source__account__in=keys, kind__in=_LISTED, is_taken=True, is_gone=False, first_done_at=None
    )
    noted = (
        rows.order_by()
        .values("source__account_id", "kind")
        .annotate(noted=Count("items", filter=Q(items__stale=True)))
    )
    return {(it["source__account_id"], _LISTED[it["kind"]]): it["noted"] for it in noted}


def _still_imported(keys: list[int]) -> Counts:
    """Return how many messages the newest import of each account has yet to deal with."""
    runs = Import.objects.filter(inbox__account_id__in=keys).order_by("inbox_id", "-id")
    newest: dict[int, Any] = {}
    for run in runs.select_related("inbox").only(
        "finished_at", "total", "stored", "known", "inbox__account_id"
    ):
        newest.setdefault(run.inbox_id, run)
    coming: Counts = {}
    for run in newest.values():
        left = 0 if run.finished_at else max(0, run.total - run.stored - run.known)
        coming[run.inbox.account_id] = coming.get(run.inbox.account_id, 0) + left
    return coming


def _count(rows: Any, path: str, keys: list[int]) -> Counts:
    chosen = rows.filter(**{f"{path}__in": keys}).order_by().values_list(path)
    return dict(chosen.annotate(Count("pk")))


# By which operation the items of a collection are listed.
_LISTED = {
    "calendar": "calendar_list_events", "contacts": "contact_list", "files": "file_list",
}  # fmt: skip
_COUNTS: dict[str, Callable[[list[int]], Counts]] = {
    "email_list": lambda keys: _count(
        Message.objects.filter(deleted_at=None), "inbox__account_id", keys
    ),
    "calendar_list_events": lambda keys: _count(
        Event.objects.filter(deleted_at=None), "calendar__account_id", keys
    ),
    "contact_list": lambda keys: _count(Correspondence.objects, "account_id", keys),
    "file_list": lambda keys: _count(FileNode.objects.filter(deleted_at=None), "account_id", keys),
}
