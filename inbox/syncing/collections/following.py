"""Items that the server has no more: deleted here too, softly."""

from django.db.models.functions import Length

from inbox.models import RemoteCollection, RemoteItem, SyncConflict
from inbox.syncing.collections.keepers import Keeper, PathKeeper, keeper_of
from inbox.syncing.collections.merging import differing
from inbox.syncing.collections.paths import below, tell_as_new
from inbox.syncing.collections.reading import uid_of
from inbox.syncing.collections.visiting import SourceVisit

_AT_ONCE = 100


def follow_gone(visit: SourceVisit, collection: RemoteCollection) -> None:
    """Delete here what was deleted there; what was changed here meanwhile is told of.

    A folder goes at once with what went with it. Where something of ours stands in it, it stays and
    is made there again.
    """
    keeper = keeper_of(collection.kind)
    while not visit.is_over():
        with visit.writing():
            some = _next(keeper, collection)
            if not some:
                return
            _delete(keeper, collection, some)


def _next(keeper: Keeper, collection: RemoteCollection) -> list[RemoteItem]:
    gone = RemoteItem.objects.filter(collection=collection, gone=True).select_for_update()
    if not isinstance(keeper, PathKeeper):
        return list(gone.order_by("pk")[:_AT_ONCE])
    some = {row.pk: row for row in gone.order_by(Length("path"), "pk")[:_AT_ONCE]}
    for folder in [row for row in some.values() if row.is_folder]:
        some |= {row.pk: row for row in below(collection, folder.path).filter(gone=True)}
    return list(some.values())


def _delete(keeper: Keeper, collection: RemoteCollection, rows: list[RemoteItem]) -> None:
    keys = [row.key for row in rows if row.key]
    ours = keeper.find(collection, keys)
    conflicts = []
    for row in rows:
        lost = differing(row.agreed, ours[row.key]) if row.key in ours else set()
        if lost:
            conflicts.append(
                SyncConflict(
                    workspace_id=collection.workspace_id, collection=collection, key=row.key,
                    title=keeper.title(ours[row.key])[:300],
                    ours={name: ours[row.key].get(name) for name in sorted(lost)},
                )
            )  # fmt: skip
    keeper.remove(collection, [key for key in keys if key in ours])
    SyncConflict.objects.bulk_create(conflicts)
    stay = _staying(keeper, collection, rows)
    RemoteItem.objects.filter(pk__in=[row.pk for row in rows if row.pk not in stay]).delete()
    tell_as_new(RemoteItem.objects.filter(pk__in=stay))
    if not isinstance(keeper, PathKeeper):
        _try_again(collection, keys)


def _try_again(collection: RemoteCollection, keys: list[str]) -> None:
    """Have what was unfit for having the UID of what is gone now read again."""
    rows = RemoteItem.objects.filter(collection=collection, key="", stale=False, gone=False)
    unfit = rows.exclude(problem="").exclude(href=None).only("pk", "raw")
    again = [row.pk for row in unfit if (uid := uid_of(bytes(row.raw))) and uid in keys]
    RemoteItem.objects.filter(pk__in=again).update(stale=True)


def _staying(keeper: Keeper, collection: RemoteCollection, rows: list[RemoteItem]) -> set[int]:
    """Return the folders in which something of ours stands still."""
    folders = {row.key: row.pk for row in rows if row.is_folder and row.key}
    kept = keeper.find(collection, list(folders)) if folders else {}
    return {folders[key] for key in kept}
