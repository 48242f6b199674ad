"""Files and folders of an account: made, written anew, deleted, restored and purged."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from inbox.actor import Actor, system_actor
from inbox.background.jobs import publish
from inbox.background.periodic import periodic
from inbox.errors import DomainError, invalid, not_found
from inbox.files.file_names import LONGEST_PATH, fold_path, split_path
from inbox.files.file_text import extract_text
from inbox.files.media_types import kept_type
from inbox.models import (
    Account,
    Blob,
    Draft,
    DraftAttachment,
    DraftStatus,
    FileNode,
    FileVersion,
    NodeKind,
    store_blob,
)
from inbox.operations.file_forms import words_of_file
from inbox.operations.mirror_entries import touched
from inbox.operations.mirrored_folders import check_writable
from inbox.operations.purging import purge
from inbox.reasons import of_error
from inbox.reasons import phrase as _

MOST_VERSIONS = 1000
# Of one folder, so much moves at once.
MOST_MOVED = 5000
_ACCEPTED = "a path such as /Offers/June.pdf"
_RESOURCES = ("file_list", "file", "search")
# The index of paths takes no longer ones on PostgreSQL.
_LONGEST_KEY = 2 * LONGEST_PATH


def read_file_path(path: str, field: str) -> tuple[str, ...]:
    """Return the names of an absolute path; none for `/`. Raises DomainError `invalid_input`."""
    if path == "/":
        return ()
    if not path.startswith("/"):
        raise invalid(field, _("It must start with a slash."), _ACCEPTED)
    try:
        names = split_path(path[1:].removesuffix("/"))
    except ValueError as error:
        raise invalid(field, _("It %(error)s.", error=of_error(error)), _ACCEPTED) from error
    if len(fold_path(path).encode()) > _LONGEST_KEY:
        raise invalid(field, _("It is too long."), _("at most %(most)s bytes", most=LONGEST_PATH))
    return names


def find_folder(*, actor: Actor, account: Account, path: str, field: str) -> FileNode | None:
    """Return the folder at a path, None for the root; raises DomainError."""
    names = read_file_path(path, field)
    if not names:
        return None
    rows = FileNode.objects.visible_to(actor).kept().defer(*FileNode.LIST_DEFERRED)
    found = rows.filter(account=account, path_key=_key(names), kind=NodeKind.FOLDER).first()
    if found is None:
        raise not_found("folder", path[:200], field)
    return found


def find_node(*, actor: Actor, account: Account, names: Sequence[str]) -> FileNode | None:
    """Return what stands under these names, if anything does."""
    rows = FileNode.objects.visible_to(actor).kept().defer(*FileNode.LIST_DEFERRED)
    return rows.filter(account=account, path_key=_key(names)).first()


def create_file(
    *,
    actor: Actor,
    account: Account,
    path: str,
    content: bytes,
    field: str = "path",
    from_server: bool = False,
) -> FileNode:
    """Put a file at a path that is free; folders on the way are made. Publishes `file.changed`.

    Raises DomainError: `invalid_input`, `conflict` where something stands there or on the way,
    `permission_denied` in a folder that may only be read, unless it comes from its server.
    """
    names = read_file_path(path, field)
    if not names or path.endswith("/"):
        raise invalid(field, _("No file is named."), _ACCEPTED)
    if not from_server:
        check_writable(account_id=account.pk, keys=[_key(names)], field=field)
    now = timezone.now()
    # Outside of the transaction: it may take seconds.
    said = extract_text(content, names[-1], kept_type(names[-1]))
    try:
        with transaction.atomic():
            parent = _make_folders(actor, account, names[:-1], now, field)
            if _standing(account, [_key(names)]):
                raise _taken(path, field)
            file = _new_node(account, names, parent, NodeKind.FILE, now)
            file.modified_by = actor.key
            file.save(force_insert=True)
            blob = store_blob(account.workspace_id, content)
            file.size, file.text = len(content), said
            _add_version(file, actor, blob, now)
            _tell(file)
    except IntegrityError:
        # Somebody put one there at the same moment.
        raise _taken(path, field) from None
    return file


def create_folder(
    *, actor: Actor, account: Account, path: str, field: str = "path", from_server: bool = False
) -> FileNode:
    """Make a folder, and those on the way; raises DomainError as `create_file` does."""
    names = read_file_path(path, field)
    if not names:
        raise invalid(field, _("No folder is named."), _ACCEPTED)
    if not from_server:
        check_writable(account_id=account.pk, keys=[_key(names)], field=field)
    with transaction.atomic():
        if _standing(account, [_key(names)]):
            raise _taken(path, field)
        folder = _make_folders(actor, account, names, timezone.now(), field)
        assert folder is not None  # noqa: S101 (there is a name)
        _tell(folder)
    return folder


def write_file(
    *, actor: Actor, file: FileNode, content: bytes, field: str = "", from_server: bool = False
) -> FileNode:
    """Make the bytes the file's newest version, unless they are it; publishes `file.changed`.

    Raises DomainError `not_found` where it is gone, `conflict` for a folder or too many versions,
    `permission_denied` as above.
    """
    said = extract_text(content, file.name, kept_type(file.name))
    with transaction.atomic():
        current = _lock(actor, file)
        if not from_server:
            check_writable(account_id=current.account_id, keys=[current.path_key], field=field)
        if current.is_folder:
            raise DomainError("conflict", _("A folder has no content of its own."), field=field)
        if current.version >= MOST_VERSIONS:
            raise DomainError(
                "conflict",
                _("It already has %(most)s versions, the maximum.", most=MOST_VERSIONS),
                field=field,
            )
        blob = store_blob(current.workspace_id, content)
        if blob.pk != current.blob_id:
            current.size, current.text = len(content), said
            _add_version(current, actor, blob, timezone.now())
            _tell(current)
    return current


def attached_to_unsent(*, file: FileNode, content: bytes) -> bool:
    """Return True if other content would come into a file that a message attaches which waits.

    Whoever's message it is, in whichever account of the workspace.
    """
    if file.blob is None or file.blob.sha256 == hashlib.sha256(content).hexdigest():
        return False
    unsent = Draft.objects.visible_to(system_actor(file.workspace_id, "Chancery")).kept()
    over = [DraftStatus.SENT, DraftStatus.DISCARDED]
    rows = DraftAttachment.objects.filter(
        blob=file.blob_id, draft__in=unsent.exclude(status__in=over)
    )
    return rows.exists()


def delete_file(*, actor: Actor, file: FileNode, from_server: bool = False) -> None:
    """Delete a file, or a folder with all in it; for 30 days a person can bring it back.

    Publishes `file.deleted`. Raises DomainError `not_found`, `permission_denied` as above.
    """
    with transaction.atomic():
        current = _lock(actor, file)
        if not from_server:
            check_writable(account_id=current.account_id, keys=[current.path_key])
        now = timezone.now()
        FileNode.objects.filter(pk=current.pk).update(deleted_at=now)
        if current.is_folder:
            FileNode.objects.below(current).kept().update(deleted_at=now)
        _tell(current, "file.deleted")


def move_file(
    *, actor: Actor, file: FileNode, path: str, field: str = "path", from_server: bool = False
) -> FileNode:
    """Put a file, or a folder with all in it, at another path; publishes `file.changed`.

    Folders on the way are made. Raises DomainError: `not_found` where it is gone, `invalid_input`,
    `conflict` where something stands there or on the way, or for a folder that would hold itself.
    """
    names = read_file_path(path, field)
    if not names:
        raise invalid(field, _("No file is named."), _ACCEPTED)
    with transaction.atomic():
        current = _lock(actor, file)
        key = _key(names)
        if not from_server:
            keys = [current.path_key, key]
            check_writable(account_id=current.account_id, keys=keys, field=field)
        if current.is_folder and key.startswith(f"{current.path_key}/"):
            raise DomainError("conflict", _("A folder cannot be moved into itself."), field=field)
        there = _standing(current.account, [key]).get(key)
        if there is not None and there.pk != current.pk:
            raise _taken(path, field)
        parent = _make_folders(actor, current.account, names[:-1], timezone.now(), field)
        _move(current, names, parent, field)
        _tell(current)
    return current


def _move(file: FileNode, names: Sequence[str], parent: FileNode | None, field: str) -> None:
    """Give a file its new name and place, and what stands below it the way there."""
    below = _find_below(file, field) if file.is_folder else []
    before = len(file.path)
    file.parent, file.name = parent, names[-1]
    file.path = f"{parent.path if parent else ''}/{names[-1]}"
    file.path_key, file.search_extra = _key(names), words_of_file(file.name, file.text)
    for one in below:
        one.path = file.path + one.path[before:]
        read_file_path(one.path, field)
        one.path_key = fold_path(one.path)
    file.save(update_fields=["parent", "name", "path", "path_key", "search_extra"])
    FileNode.objects.bulk_update(below, ["path", "path_key"], batch_size=200)


def _find_below(folder: FileNode, field: str) -> list[FileNode]:
    """Return all that stands in a folder, what was deleted from it too."""
    rows = FileNode.objects.below(folder).defer(*FileNode.LIST_DEFERRED).order_by("path_key")
    found = list(rows.select_for_update()[: MOST_MOVED + 1])
    if len(found) > MOST_MOVED:
        words = _("It contains more than %(most)s files.", most=MOST_MOVED)
        raise DomainError("conflict", words, field=field)
    # What was deleted together with an older folder of the same name stays that one's.
    parents = {one.pk: one.parent_id for one in found}
    return [one for one in found if _stands_in(one.pk, parents, folder.pk)]


def _stands_in(key: int, parents: dict[int, int | None], folder: int) -> bool:
    parent = parents.get(key)
    while parent is not None and parent != folder:
        parent = parents.get(parent)
    return parent == folder


def restore_file(*, actor: Actor, file: FileNode) -> None:
    """Bring back what was deleted, a folder with what went with it; publishes `file.changed`.

    Raises DomainError `conflict` where something else stands there by now, or its folder is gone.
    """
    with transaction.atomic():
        rows = FileNode.objects.visible_to(actor).filter(pk=file.pk).exclude(deleted_at=None)
        current = rows.select_for_update().first()
        if current is None:
            raise not_found("file", file.public_id)
        check_writable(account_id=current.account_id, keys=[current.path_key])
        if current.parent_id and not FileNode.objects.kept().filter(pk=current.parent_id).exists():
            raise DomainError("conflict", _("Its folder is deleted. Restore the folder first."))
        if _standing(current.account, [current.path_key]):
            raise _taken(current.path, "")
        if current.is_folder:
            with_it = FileNode.objects.below(current).filter(deleted_at=current.deleted_at)
            with_it.update(deleted_at=None)
        FileNode.objects.filter(pk=current.pk).update(deleted_at=None)
        _tell(current)


def revive_file(*, actor: Actor, file: FileNode, path: str) -> FileNode:
    """Bring back what was deleted and its server has, by itself, at the path that it has there.

    Publishes `file.changed`; raises DomainError as `move_file` does.
    """
    names = read_file_path(path, "path")
    with transaction.atomic():
        rows = FileNode.objects.visible_to(actor).filter(pk=file.pk).exclude(deleted_at=None)
        current = rows.select_for_update().first()
        if current is None:
            raise not_found("file", file.public_id)
        if _standing(current.account, [_key(names)]):
            raise _taken(path, "path")
        parent = _make_folders(actor, current.account, names[:-1], timezone.now(), "path")
        _move(current, names, parent, "path")
        current.deleted_at = None
        current.save(update_fields=["deleted_at"])
        _tell(current)
    return current


@periodic(3600)
def purge_deleted_files(now: datetime | None = None) -> int:
    """Remove what was deleted 30 days ago, a bounded number at a time; return how many.

    The bytes stay where another row has them too; what nothing refers to any longer is left to
    whoever looks after the storage.
    """
    return purge(FileNode.objects.all(), now)


# -- rows ------------------------------------------------------------------------------------------
def _key(names: Sequence[str]) -> str:
    return fold_path("/" + "/".join(names))


def _standing(
    account: Account, keys: Sequence[str], *, locked: bool = False
) -> dict[str, FileNode]:
    rows = FileNode.objects.kept().filter(account=account, path_key__in=keys)
    if locked:
        # Lest somebody deletes a folder while something is put into it.
        rows = rows.select_for_update().order_by("pk")
    return {row.path_key: row for row in rows.defer(*FileNode.LIST_DEFERRED)}


def _taken(path: str, field: str) -> DomainError:
    return DomainError(
        "conflict", _("%(path)s already exists.", path=path[:200]), field=field,
        accepted=_("another name"),
    )  # fmt: skip


def _make_folders(
    actor: Actor, account: Account, names: Sequence[str], now: datetime, field: str
) -> FileNode | None:
    """Return the folder of these names, with what is missing on the way; at most 16 deep."""
    ways = [names[: depth + 1] for depth in range(len(names))]
    there = _standing(account, [_key(way) for way in ways], locked=True)
    parent: FileNode | None = None
    for way in ways:
        folder = there.get(_key(way))
        if folder is not None and not folder.is_folder:
            raise DomainError("conflict", _("%(path)s is a file.", path=folder.path), field=field)
        if folder is None:
            folder = _new_node(account, way, parent, NodeKind.FOLDER, now)
            folder.modified_by = actor.key
            folder.save(force_insert=True)
        parent = folder
    return parent


def _new_node(
    account: Account, names: Sequence[str], parent: FileNode | None, kind: str, now: datetime
) -> FileNode:
    # As the folder is written, whatever case was asked for.
    path = f"{parent.path if parent else ''}/{names[-1]}"
    return FileNode(
        workspace_id=account.workspace_id, account=account, parent=parent, kind=kind,
        name=names[-1], path=path, path_key=_key(names), created_at=now, modified_at=now,
        search_extra=words_of_file(names[-1], ""),
    )  # fmt: skip


def _add_version(file: FileNode, actor: Actor, blob: Blob, now: datetime) -> None:
    file.version += 1
    file.blob = blob
    file.content_type = kept_type(file.name)
    file.modified_at, file.modified_by = now, actor.key
    file.search_extra = words_of_file(file.name, file.text)
    file.save()
    FileVersion.objects.create(
        file=file, number=file.version, blob=blob, size=file.size, content_type=file.content_type,
        created_at=now, created_by=actor.key,
    )  # fmt: skip


def _lock(actor: Actor, file: FileNode) -> FileNode:
    rows = FileNode.objects.visible_to(actor).kept().filter(pk=file.pk)
    current = rows.select_for_update(of=("self",)).first()
    if current is None:
        raise not_found("file", file.public_id, "file_id")
    return current


def _tell(file: FileNode, fact: str = "file.changed") -> None:
    touched(account=file.account, resources=_RESOURCES)
    publish(fact, {"file_ids": [file.pk]}, workspace_id=file.workspace_id)
