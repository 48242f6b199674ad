"""The bytes of a file."""

from agents.contracts.fields import Closed
from agents.dispatching.rows import get_row
from agents.resources.collection import resource
from agents.tools.shapes import Id
from inbox.actor import Actor
from inbox.models import FileNode


class OneFile(Closed):
    """Which file."""

    file_id: Id


class FileContent(Closed):
    """Which bytes were handed out."""

    id: Id
    name: str
    size: int
    sha256: str
    version: int


@resource(domain="storage")
def read_file_content(actor: Actor, args: OneFile) -> FileContent:
    """`GET /api/v1/files/{file_id}/content`: the bytes of a file, to be saved.

    They are never handed out under the type that they claim, nor to be shown in place.
    """
    row = find_content(actor, args.file_id)
    return FileContent(
        id=row.public_id, name=row.name, size=row.size, version=row.version,
        sha256=row.blob.sha256 if row.blob else "",
    )  # fmt: skip


def find_content(actor: Actor, file_id: str) -> FileNode:
    """Return a file with content that the caller may see; raises ToolError `not_found`."""
    rows = FileNode.objects.visible_to(actor).kept().exclude(blob=None).select_related("blob")
    return get_row(rows.defer(*FileNode.LIST_DEFERRED), file_id, "file", "/file_id")
