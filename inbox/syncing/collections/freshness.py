"""How old what we hold of an account's collections is, and having their servers asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from inbox.models import Account, RemoteCollection, RemoteSource, SyncStatus
from inbox.reasons import phrase as _
from inbox.syncing.asking import wait_for_syncs
from inbox.syncing.collections.visiting import TURNS, ask_for_source_sync

# What is read, by what of the mirror it is (`inbox.syncing.mirror.AGES`).
KINDS_OF = {
    "event_list": "calendar", "event": "calendar", "contact_list": "contacts",
    "contact": "contacts", "file_list": "files", "file": "files",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mirrored:
    """The servers behind a reading; `current_at` is as of when the oldest of it is theirs.

    None: something was not read yet.
    """

    sources: tuple[RemoteSource, ...]
    current_at: datetime | None


def find_mirrored(account: Account, resource: str) -> Mirrored | None:
    """Return the servers behind a reading of an account; None where our rows are all there is."""
    kind = KINDS_OF.get(resource)
    if kind is None or not account.has_sources:
        return None
    rows = RemoteCollection.objects.filter(source__account=account, kind=kind, is_taken=True)
    found = list(rows.filter(is_gone=False).select_related("source"))
    if not found:
        return None
    times = [one.current_at for one in found]
    oldest = None if None in times else min(time for time in times if time is not None)
    return Mirrored(tuple({one.source_id: one.source for one in found}.values()), oldest)


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


def bring_collections_up_to_date(sources: Sequence[RemoteSource]) -> datetime:
    """Have servers synced now; return as of when our rows are theirs, as `wait_for_syncs`."""
    names = ", ".join(source.name for source in sources)
    return wait_for_syncs(
        TURNS,
        [source.pk for source in sources],
        late=_("%(name)s did not answer in time.", name=names),
        paused=_("The server is paused."),
    )
