"""Files and folders of the accounts that the caller was granted."""

from typing import Annotated, Any, Literal

from django.db.models import F

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, IdFilter, OneOf, TextFilter, before, since
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from agents.resources.shapes import IdOf
from agents.resources.trust import Trust
from inbox.actor import Actor
from inbox.models import Account, FileNode
from inbox.models.base import VisibleQuerySet
from inbox.models.files import NodeKind
from inbox.search.files import keep_files


class FileShape(Closed):
    """A file or folder, by its path in the account."""

    id: str
    account_id: Annotated[str, IdOf(Account)]
    # The folder that it stands in; left out at the top.
    folder_id: Annotated[OrAbsent[str], IdOf(FileNode, "parent_id")] = None
    kind: Literal["file", "folder"]
    name: str
    path: str
    size: int
    content_type: OrAbsent[str] = None
    sha256: OrAbsent[str] = None
    version: int
    created_at: Moment
    modified_at: Moment
    trust: Trust = None


class FileFilters(Filters):
    """Files by account, folder, kind, name, type and the time of the last change."""

    account_id = IdFilter(Account.ID_PREFIX, "account")
    folder_id = IdFilter(FileNode.ID_PREFIX, "parent")
    kind = OneOf(NodeKind.choices)
    name = TextFilter()
    content_type = TextFilter()
    modified_since = since("modified_at")
    modified_before = before("modified_at")


def _rows(actor: Actor) -> VisibleQuerySet[Any]:
    rows = FileNode.objects.visible_to(actor).kept().defer(*FileNode.LIST_DEFERRED)
    return rows.annotate(sha256=F("blob__sha256"))


declare(
    Collection(
        noun="files", one="file", domain="storage", rows=_rows, item=FileShape, filters=FileFilters,
        search=("name", "text"), keep_found=keep_files, found_as="search_files",
        orders={
            "modified_at": Order("modified_at"), "created_at": Order("created_at"),
            "size": Order("size", "number"),
        },
        default="-modified_at",
        words="the files and folders of the accounts that the caller was granted; "
        "`search_files` has the best hits first.",
    )
)  # fmt: skip
