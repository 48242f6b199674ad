"""What was changed in folders that lie at a server as well, marked to be told there."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Q

from inbox.background.jobs import Payload, subscribe
from inbox.models import FileNode, RemoteCollection, RemoteItem
from inbox.operations.batched import in_chunks
from inbox.syncing.collections.keepers import Fields
from inbox.syncing.collections.marking import mark_changed


@subscribe("file.changed", "files.mark_changed")
def mark_changed_files(payload: Payload) -> None:
    """Have servers told of files and folders that were made, written, moved or restored."""
    _mark(payload)


@subscribe("file.deleted", "files.mark_deleted")
def mark_deleted_files(payload: Payload) -> None:
    """Have servers told of files and folders that were deleted."""
    _mark(payload)


def _mark(payload: Payload) -> None:
    rows = FileNode.objects.filter(pk__in=payload["file_ids"])
    for node in rows.defer(*FileNode.LIST_DEFERRED):
        _mark_node(node)


def _mark_node(node: FileNode) -> None:
    taken = RemoteCollection.objects.filter(
        kind="files", is_taken=True, source__account=node.account_id, folder__deleted_at=None,
        folder__isnull=False,
    )  # fmt: skip
    collections = list(taken.select_related("source__account", "folder"))
    if not collections:
        return
    inside = FileNode.objects.below(node) if node.is_folder else FileNode.objects.none()
    keys = [str(node.pk), *(str(key) for key in inside.values_list("pk", flat=True))]
    holding = _holding(collections, node)
    known = _known(collections, keys)
    for collection in collections:
        if _is_in(collection.folder, node):
            # The whole collection was deleted or moved, and that is ours alone.
            continue
        if collection == holding:
            all_keys = [*_above(collection.folder, node), *keys]
            moved = _moved(collection, node)
            for some in in_chunks(all_keys):
                mark_changed(collection, list(some), expected=moved)
        elif collection.pk in known:
            # It was moved out of there.
            for some in in_chunks(known[collection.pk]):
                mark_changed(collection, list(some))


def _holding(collections: list[RemoteCollection], node: FileNode) -> RemoteCollection | None:
    """Return the collection that something stands in; of one in another, the inner one."""
    above = [one for one in collections if one.folder and _is_in(node, one.folder)]
    return max(
        above, key=lambda one: len(one.folder.path_key) if one.folder else 0, default=None
    )  # fmt: skip


def _is_in(node: FileNode | None, folder: FileNode) -> bool:
    """Return True if something is a folder, or stands in it."""
    key = node.path_key if node else ""
    return key == folder.path_key or key.startswith(f"{folder.path_key}/")


def _above(folder: FileNode | None, node: FileNode) -> Iterator[str]:
    """Yield the keys of the folders on the way, which may have been made with it."""
    if folder is None:
        return
    steps = node.path_key.removeprefix(f"{folder.path_key}/").split("/")[:-1]
    paths = ["/".join([folder.path_key, *steps[: depth + 1]]) for depth in range(len(steps))]
    rows = FileNode.objects.kept().filter(account=node.account_id, path_key__in=paths)
    for key in rows.values_list("pk", flat=True):
        yield str(key)


def _known(collections: list[RemoteCollection], keys: list[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for some in in_chunks(keys):
        rows = RemoteItem.objects.filter(Q(key__in=some), collection__in=collections)
        for collection, key in rows.values_list("collection", "key"):
            found.setdefault(collection, []).append(key)
    return found


class _Moved:
    """What stands in a folder that was moved says that it stands elsewhere, and is not told."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new

    def __call__(self, agreed: Fields) -> Mapping[str, Any]:
        path = str(agreed.get("path", ""))
        if not path.startswith(self._old) or path == self._old:
            return dict(agreed)
        return {**agreed, "path": self._new + path.removeprefix(self._old)}


def _moved(collection: RemoteCollection, node: FileNode) -> Any:
    row = RemoteItem.objects.filter(collection=collection, key=str(node.pk)).first()
    old = str(row.agreed.get("path", "")) if row is not None and node.is_folder else ""
    if not old or collection.folder is None:
        return dict
    return _Moved(old, f"{node.path.removeprefix(f'{collection.folder.path}/')}/")
