"""What was changed here is marked, and its server told soon."""

from collections.abc import Callable, Sequence

from django.db import transaction
from django.db.models import F

from inbox.models import RemoteCollection, RemoteItem
from inbox.syncing.collections.keepers import Fields, keeper_of
from inbox.syncing.collections.merging import differing
from inbox.syncing.collections.visiting import ask_for_source_sync


def mark_changed(
    collection: RemoteCollection,
    keys: Sequence[str],
    *,
    expected: Callable[[Fields], Fields] = dict,
) -> None:
    """Note that ours under these keys may have changed; what a sync itself wrote has not.

    In a job, whoever changed it. What has no item at the server yet becomes a new one there.
    `expected` gives what an item says by what both sides agreed on, where another item that is told
    of takes it along.
    """
    if not collection.may_write:
        return
    with transaction.atomic():
        wanted = list(dict.fromkeys(keys))
        ours = keeper_of(collection.kind).find(collection, wanted)
        rows = RemoteItem.objects.filter(collection=collection, key__in=wanted)
        known = {row.key: row for row in rows.select_for_update()}
        # With a row that is dirty already it may have been read meanwhile: it counts again.
        changed = [
            row.pk
            for key, row in known.items()
            if row.dirty or key not in ours or differing(expected(row.agreed), ours[key])
        ]
        new = [key for key in wanted if key in ours and key not in known]
        if not changed and not new:
            return
        RemoteItem.objects.filter(pk__in=changed).update(dirty=True, touched=F("touched") + 1)
        RemoteItem.objects.bulk_create(
            [RemoteItem(collection=collection, key=key, dirty=True, touched=1) for key in new],
            ignore_conflicts=True,
        )
        ask_for_source_sync(source=collection.source)
