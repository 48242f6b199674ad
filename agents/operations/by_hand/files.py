"""Files as people keep them: uploaded, put into folders, moved and deleted."""

from django.conf import settings
from django.db import transaction

from agents.evidence.refs import Ref
from agents.operations.by_hand.recording import note_own_words, record_by_hand
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import Account, FileNode
from inbox.operations import files
from inbox.reasons import phrase as _


def upload_file(*, actor: Actor, account: Account, path: str, content: bytes) -> FileNode:
    """Put a file at a path, or a new version of the one that stands there; return it.

    What the file was before is kept. Raises DomainError: `invalid_input`, `conflict` where a folder
    stands there, or a file on the way.
    """
    names = files.read_file_path(path, "file")
    check_size(len(content))
    with transaction.atomic():
        there = files.find_node(actor=actor, account=account, names=names)
        if there is not None:
            return write_version(actor=actor, file=there, content=content)
        made = files.create_file(
            actor=actor, account=account, path=path, content=content, field="file"
        )
        arguments = {"file_id": made.public_id, "path": made.path, "size": made.size}
        receipt = record_by_hand(actor, "upload_file", arguments)
        note_own_words(actor, receipt, [Ref(FileNode.ID_PREFIX, made.pk)])
    return made


def write_version(*, actor: Actor, file: FileNode, content: bytes) -> FileNode:
    """Make the bytes the file's newest version; raises DomainError as `write_file` does."""
    check_size(len(content))
    with transaction.atomic():
        written = files.write_file(actor=actor, file=file, content=content, field="file")
        arguments = {"file_id": written.public_id, "path": written.path, "size": written.size}
        receipt = record_by_hand(actor, "upload_file", arguments, {"version": written.version})
        note_own_words(actor, receipt, [Ref(FileNode.ID_PREFIX, written.pk)])
    return written


def check_size(size: int) -> None:
    """Raise DomainError `invalid_input` for a file that is larger than one may be."""
    most = settings.EXCHANGE_FILE_BYTES
    if size > most:
        raise invalid("file", _("The file is too large."), _("at most %(most)s bytes", most=most))


@transaction.atomic
def make_folder(*, actor: Actor, account: Account, path: str) -> FileNode:
    """Make a folder; raises DomainError: `invalid_input`, `conflict`."""
    made = files.create_folder(actor=actor, account=account, path=path, field="name")
    record_by_hand(actor, "make_folder", {"file_id": made.public_id, "path": made.path})
    return made


@transaction.atomic
def move(*, actor: Actor, file: FileNode, path: str) -> FileNode:
    """Put a file or folder at another path; raises DomainError as `move_file` does."""
    moved = files.move_file(actor=actor, file=file, path=path)
    if moved.path != file.path:
        arguments = {"file_id": file.public_id, "path": moved.path}
        record_by_hand(actor, "move_file", arguments, {"before": file.path})
    return moved


@transaction.atomic
def delete(*, actor: Actor, file: FileNode) -> None:
    """Delete a file, or a folder with all in it; it can be brought back for 30 days."""
    files.delete_file(actor=actor, file=file)
    record_by_hand(actor, "delete_file", {"file_id": file.public_id, "path": file.path})


def path_in(folder: FileNode | None, name: str) -> str:
    """Return the path of a name in a folder, or at the top; raises DomainError for no name."""
    if not name or "/" in name:
        raise DomainError("invalid_input", _("A name cannot contain a slash."), field="name")
    return f"{folder.path if folder else ''}/{name}"
