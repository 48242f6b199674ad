"""How old what we hold of an account's collections is, and having their servers asked."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime

from inbox.models import Account, RemoteCollection, RemoteSource, SyncStatus
from inbox.reasons import phrase as _
from inbox.syncing.asking import wait_for_syncs
from inbox.syncing.collections.visiting import TURNS, ask_for_source_sync


@dataclass(frozen=True, slots=True)
class Mirrored:
    """The servers behind a reading; `current_at` is as of when the oldest of it is theirs.

    `kinds` are those of the collections that are read. None: something was not read yet.
    """

    account: Account
    kinds: AbstractSet[str]
    sources: tuple[RemoteSource, ...]
    current_at: datetime | None


def find_mirrored(account: Account, kinds: AbstractSet[str]) -> Mirrored | None:
    """Return the servers behind a reading of an account; None where our rows are all there is."""
    if not kinds or not account.has_sources:
        return None
    rows = RemoteCollection.objects.filter(source__account=account, kind__in=kinds, is_taken=True)
    found = list(rows.filter(is_gone=False).select_related("source"))
    if not found:
        return None
    times = [one.current_at for one in found]
    oldest = None if None in times else min(time for time in times if time is not None)
    sources = tuple({one.source_id: one.source for one in found}.values())
    return Mirrored(account, kinds, sources, oldest)


def ask_for_syncs(mirrored: Mirrored) -> None:
    """Have the servers asked soon, in the caller's transaction."""
    for source in mirrored.sources:
        ask_for_source_sync(source=source)


def is_behind(mirrored: Mirrored) -> bool:
    """Return True where nobody waits for the servers: a first sync goes on, or one is paused."""
    return mirrored.current_at is None or any(
        source.first_done_at is None or source.status == SyncStatus.PAUSED
        for source in mirrored.sources
    )


def bring_collections_up_to_date(mirrored: Mirrored) -> datetime:
    """Have servers synced now; return as of when our rows are theirs, as `wait_for_syncs`.

    That is longer ago where a server answers, but not for one of the collections.
    """
    names = ", ".join(source.name for source in mirrored.sources)
    synced_at = wait_for_syncs(
        TURNS,
        [source.pk for source in mirrored.sources],
        late=_("%(name)s did not answer in time.", name=names),
        paused=_("The server is paused."),
    )
    now = find_mirrored(mirrored.account, mirrored.kinds)
    return now.current_at if now is not None and now.current_at is not None else synced_at
