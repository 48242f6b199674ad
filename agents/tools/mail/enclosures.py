"""The files that go with what an agent writes: by path in its exchange folder, or by id."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated, TypeAlias

from pydantic import Field

from agents.dispatching.rows import get_row
from agents.errors import ToolError, invalid
from agents.exchange.folders import find_file, read_file
from inbox import ids
from inbox.actor import Actor
from inbox.files.media_types import media_type_of
from inbox.models import Attachment, Blob, FileNode, Message
from inbox.operations.drafts.sealing import LARGEST_MESSAGE
from inbox.operations.drafts.writing import MOST_ATTACHMENTS, NewAttachment

_LONGEST_NAME = 255
FilesToAttach: TypeAlias = Annotated[
    str | Annotated[list[str], Field(min_length=1)],
    Field(
        description="Paths in the caller's exchange folder, or ids of files or of attachments that "
        "an email has."
    ),
]


def read_enclosures(actor: Actor, given: str | Sequence[str] | None) -> list[NewAttachment]:
    """Return what is named, each a path of the exchange folder, a file or an attachment.

    Raises ToolError for what is not there, for too many, and for more than a message can hold.
    """
    names = [given] if isinstance(given, str) else list(given or ())
    pointers = ["/attachments"] if isinstance(given, str) else [
        f"/attachments/{place}" for place in range(len(names))
    ]  # fmt: skip
    if len(names) > MOST_ATTACHMENTS:
        raise invalid("/attachments", "are too many files", f"at most {MOST_ATTACHMENTS}")
    found = [
        (_find(actor, name, pointer), name, pointer)
        for name, pointer in zip(names, pointers, strict=True)
    ]
    # Looked at before anything is read, so that nobody has us hold more than a message can.
    size = sum(
        find_file(actor, name, pointer).size if stored is None else stored.size
        for stored, name, pointer in found
    )
    if size > LARGEST_MESSAGE:
        accepted = f"at most {LARGEST_MESSAGE} bytes in all"
        raise invalid("/attachments", f"have {size} bytes", accepted)
    return [_read(actor, *each) for each in found]


def files_of(actor: Actor, message: Message) -> list[NewAttachment]:
    """Return the files of a message, as they go along where it is forwarded."""
    rows = Attachment.objects.visible_to(actor).filter(message=message).select_related("blob")
    return [_enclosed(row) for row in rows.order_by("pk")[:MOST_ATTACHMENTS]]


def _find(actor: Actor, name: str, pointer: str) -> Attachment | FileNode | None:
    """Return the attachment or file of this id; None for what is no id, and so a path."""
    if ids.decode(Attachment.ID_PREFIX, name) is not None:
        attachments = Attachment.objects.visible_to(actor).select_related("blob")
        return get_row(attachments, name, "attachment", pointer)
    if ids.decode(FileNode.ID_PREFIX, name) is not None:
        files = FileNode.objects.visible_to(actor).kept().select_related("blob")
        return get_row(files, name, "file", pointer)
    return None


def _read(
    actor: Actor, stored: Attachment | FileNode | None, name: str, pointer: str
) -> NewAttachment:
    if isinstance(stored, Attachment):
        return _enclosed(stored)
    if isinstance(stored, FileNode):
        if stored.blob is None:
            raise invalid(pointer, "is a folder", "the id of a file")
        return enclose(stored.name, stored.blob)
    content = read_file(actor, name, pointer)
    filename = PurePosixPath(name).name[-_LONGEST_NAME:]
    return NewAttachment(filename, media_type_of(filename), content)


def _enclosed(part: Attachment) -> NewAttachment:
    # A sender chose the name; as a path it would be refused.
    name = part.filename.replace("/", "_").replace("\\", "_")[-_LONGEST_NAME:] or "attachment"
    return enclose(name, part.blob)


def enclose(name: str, blob: Blob) -> NewAttachment:
    """Return stored bytes as they go with a message under this name."""
    return NewAttachment(name, media_type_of(name), read_blob(blob))


def read_blob(blob: Blob) -> bytes:
    """Return stored bytes; raises ToolError `internal` where they are lost."""
    try:
        return blob.read()
    except (FileNotFoundError, ValueError) as error:
        raise ToolError("internal", "The stored bytes are lost or have changed") from error
