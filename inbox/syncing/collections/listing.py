"""Which collections a server has: new ones, renamed ones, those that are gone."""

from datetime import timedelta

from django.utils import timezone

from inbox.models import RemoteCollection, RemoteSource
from inbox.providers.change_store import Collection
from inbox.syncing.collections.keepers import is_kept, keeper_of
from inbox.syncing.collections.visiting import SourceVisit

LISTED_EVERY = timedelta(hours=6)
MOST_COLLECTIONS = 500
_LONGEST_NAME = 200
_LONGEST_ID = 1000


def list_collections(visit: SourceVisit) -> None:
    """Bring our list of the server's collections up to date, now and then."""
    listed_at = visit.source.listed_at
    if listed_at is not None and timezone.now() - listed_at < LISTED_EVERY:
        return
    found = visit.store.collections()
    with visit.writing():
        note_collections(visit.source, found)


def note_collections(
    source: RemoteSource, found: list[Collection], *, taken: frozenset[str] | None = None
) -> None:
    """Write down what a server lists; in the caller's transaction.

    `taken` are the keys of those to be kept in step. Without it those of the first list are, but
    for folders of files, and what comes later waits for a person.
    """
    fit = [one for one in found[:MOST_COLLECTIONS] if len(one.id) <= _LONGEST_ID]
    # Each once, whatever a server says.
    fit = list({one.key: one for one in fit}.values())
    # What is new goes to the first that is taken.
    fit.sort(key=lambda one: not one.is_default)
    rows = {(row.kind, row.href): row for row in source.collections.all()}
    is_first = not rows
    for one in fit:
        row = rows.pop((one.kind, one.id), None)
        if row is not None:
            _follow(row, one)
        elif is_kept(one.kind):
            wanted = is_first and one.kind != "files" if taken is None else one.key in taken
            _add(source, one, is_taken=wanted)
    RemoteCollection.objects.filter(pk__in=[row.pk for row in rows.values()]).update(is_gone=True)
    source.listed_at = timezone.now()
    source.save(update_fields=["listed_at"])


def _add(source: RemoteSource, one: Collection, *, is_taken: bool) -> None:
    row = RemoteCollection.objects.create(
        workspace_id=source.workspace_id, source=source, kind=one.kind, href=one.id,
        name=_name(one), color=one.color, is_writable=one.writable, is_taken=is_taken,
        is_own=one.writable,
    )  # fmt: skip
    if is_taken:
        keeper_of(row.kind).open(row)


def _follow(row: RemoteCollection, one: Collection) -> None:
    now = (_name(one), one.color, one.writable)
    if now == (row.name, row.color, row.is_writable) and not row.is_gone:
        return
    row.name, row.color, row.is_writable = now
    row.is_gone = False
    row.save(update_fields=["name", "color", "is_writable", "is_gone"])
    if row.is_taken:
        keeper_of(row.kind).open(row)


def _name(one: Collection) -> str:
    return " ".join(one.name.split())[:_LONGEST_NAME] or one.kind
