"""Files and folders put where their server has them, whatever stands there."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

from inbox.actor import Actor, system_actor
from inbox.files.file_names import fold_path
from inbox.models import FileNode, RemoteCollection, RemoteItem
from inbox.operations.files import (
    create_file,
    create_folder,
    find_node,
    move_file,
    read_file_path,
    revive_file,
    write_file,
)
from inbox.reasons import phrase as _
from inbox.syncing.collections.keepers import Incoming, UnfitItemError

_MOST_SAME_NAMES = 1000


@dataclass(frozen=True, slots=True)
class Placing:
    """Puts items into the folder of a collection; in a transaction."""

    collection: RemoteCollection
    folder: FileNode
    # What was put where it is in this batch.
    _placed: set[int] = field(default_factory=set)

    def keep(self, item: Incoming) -> str:
        """Make one item stand as its fields say; return its key.

        Raises DomainError, and UnfitItemError where another item of the server stands there.
        """
        path = f"{self.folder.path}/{str(item.fields['path']).removesuffix('/')}"
        is_folder = str(item.fields["path"]).endswith("/")
        own = FileNode.objects.filter(pk=item.key).first() if item.key else None
        there = self._find(path)
        if there is not None and there.pk in self._placed:
            raise _clash(path, there)
        if there is not None and (own is None or own.pk != there.pk):
            is_gone = own is None or own.deleted_at is not None
            if is_gone and there.is_folder == is_folder and self._take_over(there):
                own = there
            else:
                self._move_aside(there, path)
        node = self._put(own, path, item, is_folder=is_folder)
        if node.path != path:
            raise _clash(path, node)
        self._placed.add(node.pk)
        return str(node.pk)

    def _put(self, own: FileNode | None, path: str, item: Incoming, *, is_folder: bool) -> FileNode:
        actor, account = acting(self.collection), self.folder.account
        if own is None and is_folder:
            return create_folder(actor=actor, account=account, path=path, from_server=True)
        if own is None:
            return create_file(
                actor=actor, account=account, path=path, content=item.raw, from_server=True
            )
        if own.deleted_at is not None:
            own = revive_file(actor=actor, file=own, path=path)
        elif own.path != path:
            own = move_file(actor=actor, file=own, path=path, from_server=True)
        if not is_folder and item.fields["digest"] == hashlib.sha256(item.raw).hexdigest():
            own = write_file(actor=actor, file=own, content=item.raw, from_server=True)
        return own

    def _find(self, path: str) -> FileNode | None:
        return find_node(
            actor=acting(self.collection),
            account=self.folder.account,
            names=read_file_path(path, "path"),
        )

    def _take_over(self, node: FileNode) -> bool:
        """Return True if what stands here is no item of the server's yet, and may be one now."""
        rows = RemoteItem.objects.filter(collection=self.collection, key=str(node.pk))
        if rows.filter(gone=False).exclude(href=None).exists():
            return False
        rows.delete()
        return True

    def _move_aside(self, node: FileNode, path: str) -> None:
        """Give what stands in the way another name, which the server then hears of.

        Raises UnfitItemError where the server has it at just this place.
        """
        row = RemoteItem.objects.filter(collection=self.collection, key=str(node.pk)).first()
        if row is not None and row.href is not None and not row.gone and self._is_at(row, path):
            raise _clash(path, node)
        free = self._free_path(node)
        move_file(actor=acting(self.collection), file=node, path=free, from_server=True)
        if row is not None and row.href is not None and not row.dirty:
            # It is on its way to another place itself, or gone.
            end = "/" if node.is_folder else ""
            row.agreed |= {"path": free.removeprefix(f"{self.folder.path}/") + end}
            row.save(update_fields=["agreed"])

    def _is_at(self, row: RemoteItem, path: str) -> bool:
        return fold_path(f"{self.folder.path}/{row.path.removesuffix('/')}") == fold_path(path)

    def _free_path(self, node: FileNode) -> str:
        stem, dot, ending = node.path.rpartition(".")
        if node.is_folder or not dot or "/" in ending or stem.endswith("/"):
            stem, dot, ending = node.path, "", ""
        for number in range(2, _MOST_SAME_NAMES):
            path = f"{stem} ({number}){dot}{ending}"
            if self._find(path) is None:
                return path
        raise UnfitItemError(_("%(path)s already exists.", path=node.path))


def _clash(path: str, there: FileNode) -> UnfitItemError:
    """Return that another item stands where one is to stand."""
    if path.startswith(there.path):
        return UnfitItemError(_("%(path)s already exists.", path=there.path))
    words = _("%(path)s is there already; the names differ in case alone.", path=there.path)
    return UnfitItemError(words)


def acting(collection: RemoteCollection) -> Actor:
    """Return who changes files because a server did."""
    return system_actor(collection.workspace_id, "Chancery")


def fields_of(folder: FileNode, row: FileNode) -> dict[str, Any]:
    """Return the fields of what stands below a folder."""
    path = row.path[len(folder.path) + 1 :]
    return {
        "path": f"{path}/" if row.is_folder else path,
        "digest": row.blob.sha256 if row.blob is not None else "",
    }
