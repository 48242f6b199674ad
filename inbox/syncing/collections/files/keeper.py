"""What keeps a folder of ours in step with a collection of files.

An item's fields are its path below the folder and the SHA-256 of its content; the path of a folder
ends with a slash, and it has no content. The bytes are read and stored, never compared.
"""

import hashlib
import logging
import unicodedata
from collections.abc import Sequence

from django.db import transaction

from inbox.errors import DomainError
from inbox.files.file_names import fold_path, split_path
from inbox.models import Blob, FileNode, RemoteCollection
from inbox.operations.files import create_folder, delete_file
from inbox.providers.change_store import LARGEST_FILE
from inbox.reasons import of_error
from inbox.reasons import phrase as _
from inbox.syncing.collections.files.placing import Placing, acting, fields_of
from inbox.syncing.collections.keepers import Fields, Incoming, Standing, UnfitItemError

log = logging.getLogger(__name__)
_MOST_SAME_NAMES = 100


class FileKeeper:
    """Our side of collections of files; a key is that of a file's or folder's row.

    It holds one item's content at a time; how many lie in memory is for who hands them over.
    """

    keeps_raw = False

    def open(self, collection: RemoteCollection) -> None:
        """Make a folder of the collection's name at the root, unless there is one already."""
        if self.is_open(collection):
            return
        account = collection.source.account
        actor = acting(collection)
        name = _folder_name(collection.name)
        tried = [name, *(f"{name} ({number})" for number in range(2, _MOST_SAME_NAMES))]
        paths = {f"/{one}".casefold(): one for one in tried}
        rows = FileNode.objects.kept().filter(account=account, parent=None)
        taken = {path.casefold() for path in rows.values_list("path", flat=True)}
        free = next(one for path, one in paths.items() if path not in taken)
        collection.folder = create_folder(actor=actor, account=account, path=f"/{free}")
        collection.save(update_fields=["folder"])

    def is_open(self, collection: RemoteCollection) -> bool:
        """Return True if the folder is there."""
        return _folder(collection) is not None

    def close(self, collection: RemoteCollection) -> None:
        """Delete the folder, softly, with all in it; for good where others wrote it.

        Restored as ours alone, what they wrote would count as our own word.
        """
        folder = _folder(collection)
        if folder is not None:
            delete_file(actor=acting(collection), file=folder, from_server=True)
            if not collection.is_own:
                FileNode.objects.below(folder).delete()
                folder.delete()
        collection.folder = None
        collection.save(update_fields=["folder"])

    def place(self, path: str) -> str:
        """Return a path in Unicode's normal form C; raises UnfitItemError for names not kept here.

        Some systems write names in form D, and mean the same.
        """
        placed = unicodedata.normalize("NFC", path)
        try:
            split_path(placed.removesuffix("/"))
        except ValueError as error:
            words = _("Its path %(error)s.", error=of_error(error))
            raise UnfitItemError(words) from error
        return placed

    def read(self, raw: bytes, path: str) -> Fields:
        """Return the fields of a file or folder; raises UnfitItemError for names not kept here."""
        placed = self.place(path)
        digest = "" if path.endswith("/") else hashlib.sha256(raw).hexdigest()
        return {"path": placed, "digest": digest}

    def find(self, collection: RemoteCollection, keys: Sequence[str]) -> dict[str, Fields]:
        """Return the fields of what stands in the folder; what was moved out of it is left out."""
        folder = _folder(collection)
        if folder is None or not keys:
            return {}
        rows = FileNode.objects.kept().below(folder).filter(pk__in=keys)
        held = rows.select_for_update(of=("self",)).select_related("blob").order_by("pk")
        return {str(row.pk): fields_of(folder, row) for row in held.defer(*FileNode.LIST_DEFERRED)}

    def at(self, collection: RemoteCollection, paths: Sequence[str]) -> dict[str, Standing]:
        """Return what stands at these paths below the folder."""
        folder = _folder(collection)
        if folder is None or not paths:
            return {}
        keys = {fold_path(f"{folder.path}/{path.removesuffix('/')}"): path for path in paths}
        rows = FileNode.objects.kept().filter(account=folder.account_id, path_key__in=keys)
        found = rows.values_list("path_key", "pk", "kind")
        return {keys[key]: Standing(str(pk), kind == "folder") for key, pk, kind in found}

    def keep(self, collection: RemoteCollection, items: Sequence[Incoming]) -> list[str]:
        """Make what stands in the folder be as the fields say; return the keys.

        Another content is a new version, and ours is the one before it. What stands in the way and
        is nothing of the server's at that place goes under another name.
        """
        folder = _folder(collection)
        if folder is None:
            raise UnfitItemError(_("Its folder is gone."))
        placing = Placing(collection, folder)
        order = sorted(range(len(items)), key=lambda at: _depth(items[at].fields))
        keys = [""] * len(items)
        try:
            with transaction.atomic():
                for at in order:
                    keys[at] = placing.keep(items[at])
        except DomainError as error:
            raise UnfitItemError(error.message) from error
        return keys

    def noticed(self, lost: Fields) -> Fields:
        """Return all of it."""
        return lost

    def remove(self, collection: RemoteCollection, keys: Sequence[str]) -> None:
        """Delete files and folders, softly; a folder in which others stand as well stays."""
        folder = _folder(collection)
        if folder is None:
            return
        rows = FileNode.objects.kept().below(folder)
        gone = {row.pk: row for row in rows.filter(pk__in=keys).defer(*FileNode.LIST_DEFERRED)}
        deleted: list[str] = []
        for node in sorted(gone.values(), key=lambda one: one.path_key):
            if any(node.path_key.startswith(f"{path}/") for path in deleted):
                # It went with its folder.
                continue
            inside = FileNode.objects.kept().below(node).exclude(pk__in=gone)
            if node.is_folder and inside.exists():
                continue
            delete_file(actor=acting(collection), file=node, from_server=True)
            deleted.append(node.path_key)

    def new_name(self, key: str) -> str:  # noqa: ARG002 (a protocol's)
        """Return nothing: a file is known by its path."""
        return ""

    def write(self, raw: bytes, fields: Fields, changed: frozenset[str], name: str) -> bytes:  # noqa: ARG002
        """Return the content of a file, none of a folder; raises UnfitItemError for a lost one."""
        digest = str(fields.get("digest", ""))
        if not digest:
            return b""
        # Several workspaces may have the same content, each in its own place.
        for blob in Blob.objects.filter(sha256=digest).order_by("pk"):
            if blob.size > LARGEST_FILE:
                words = _("It is larger than %(most)s bytes.", most=LARGEST_FILE)
                raise UnfitItemError(words)
            try:
                return blob.read()
            except (FileNotFoundError, ValueError):
                log.exception("the content of blob %s is lost", blob.pk)
        # What the server never had is known by its path alone.
        raise UnfitItemError(_("The content of %(path)s is lost here.", path=fields["path"]))

    def title(self, fields: Fields) -> str:
        """Return the path."""
        return str(fields.get("path", ""))


def _folder(collection: RemoteCollection) -> FileNode | None:
    """Return the folder as it stands now, which a person may have moved or deleted meanwhile."""
    if collection.folder_id is None:
        return None
    rows = FileNode.objects.kept().filter(pk=collection.folder_id)
    if transaction.get_connection().in_atomic_block:
        rows = rows.select_for_update()
    return rows.defer(*FileNode.LIST_DEFERRED).first()


def _depth(fields: Fields) -> tuple[int, bool]:
    path = str(fields["path"])
    return path.removesuffix("/").count("/"), not path.endswith("/")


def _folder_name(name: str) -> str:
    """Return the collection's name as that of a folder, else a plain one."""
    plain = "".join(letter for letter in name if letter not in '<>:"|?*\\/')[:100].strip(" .")
    try:
        split_path(plain)
    except ValueError:
        return "Files"
    return plain
