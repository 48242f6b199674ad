"""The files of an account, and sharing one, which a person approves."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from django.conf import settings
from pydantic import Field, RootModel

from agents.approval.plan import MailContent, Plan
from agents.contracts import Effect, ToolError, tool
from agents.contracts.fields import (
    WHOLE,
    Closed,
    Confirmed,
    IdOrName,
    Maybe,
    Moment,
    OrAbsent,
)
from agents.dispatching.rows import get_account, get_inbox_of, get_row
from agents.errors import invalid
from agents.exchange.folders import read_file, write_file
from agents.tools.cached import Cached, ForceRefresh, UseCache, cache_fields, consult_for, measured
from agents.tools.mail.enclosures import read_blob
from agents.tools.mail.plans import EmailPlan, folded
from agents.tools.shapes import AccountId, EmailText, Skip
from inbox.actor import Actor
from inbox.compose.outgoing import MOST_RECIPIENTS, plain_line_ends
from inbox.files.file_names import LONGEST_PATH
from inbox.files.media_types import media_type_of
from inbox.flags import Finding, found
from inbox.models import Account, Draft, FileNode
from inbox.models.files import FileNodeQuerySet
from inbox.operations import files
from inbox.operations.accounts.accounts import identities_of
from inbox.operations.drafts.writing import NewAttachment, create_draft
from inbox.operations.sending.shares import find_recipients
from inbox.search.files import find_files
from inbox.syncing.mirror import Freshness, consult

# The contract of files says so much more of the account than that of mail.
_AccountId: TypeAlias = Annotated[AccountId, Field(min_length=1)]
FileId: TypeAlias = Annotated[
    str,
    # The contract prints the pattern without anchors and means the whole.
    Field(
        pattern=r"^[A-Za-z0-9\-._!+=/$]{1,512}$",
        description="As file_list names it.",
        json_schema_extra={"pattern": r"[A-Za-z0-9\-._!+=/$]{1,512}"},
    ),
]
_Path: TypeAlias = Annotated[str, Field(pattern=r"^/.*$")]
_ExchangePath: TypeAlias = Annotated[
    str, Field(min_length=1, description="A path in the caller's exchange folder.")
]
_KINDS = {"files": ["file"], "folders": ["folder"], "all": ["file", "folder"]}
_ID, _ACCOUNT = "fil_8fXoQ2mKpL", "acc_8fXoQ2mKpL"


class File(Closed):
    """A file or folder; the address of its bytes wants the bearer."""

    id: str
    name: str
    type: Literal["file", "folder"]
    size: int
    modified: Moment
    download_url: OrAbsent[str] = None
    # To whom a message took it, as it is now.
    shared_with: OrAbsent[list[str]] = None


class CachedFile(File, Cached):
    """A file or folder, as the mirror of the account has it."""


class FilePage(RootModel[list[CachedFile]]):
    """Files and folders."""


class FileList(Closed):
    """Of which folder, and what of it."""

    account_id: _AccountId
    path: Annotated[_Path, Field(description="A folder, such as /Offers.")] = "/"
    folder_id: Maybe[Annotated[FileId, Field(description="A folder instead, by its id.")]] = None
    limit: Annotated[int, Field(ge=1, le=500), WHOLE] = 50
    type_filter: Literal["all", "files", "folders"] = "all"
    use_cache: UseCache = True
    force_refresh: ForceRefresh = False


@tool(
    family="operations",
    domain="storage",
    effect=Effect.READ,
    unified=[("list", "files")],
    example={"account_id": _ACCOUNT, "path": "/Offers", "type_filter": "files"},
)
def file_list(actor: Actor, args: FileList) -> FilePage:
    """List what stands in a folder, newest first."""
    account = get_account(actor, args.account_id)
    found = consult_for(args, account, "file_list")
    folder = _folder(actor, account, args)
    rows = _files_of(actor, account).filter(parent=folder, kind__in=_KINDS[args.type_filter])
    newest = rows.order_by("-modified_at", "-id")[: args.limit]
    return measured(found, FilePage(cached_files(actor, newest, found)))


def _folder(actor: Actor, account: Account, args: FileList) -> FileNode | None:
    if args.folder_id is None:
        return files.find_folder(actor=actor, account=account, path=args.path, field="path")
    folder = _get_file(actor, account, args.folder_id, "/folder_id")
    if not folder.is_folder:
        raise ToolError("conflict", "It is a file", {"pointer": "/folder_id"})
    if "path" in args.model_fields_set and args.path not in {"/", folder.path}:
        raise invalid("/folder_id", "is another folder than /path", "one of the two")
    return folder


class FileGet(Closed):
    """Which file, and where to put it."""

    file_id: FileId
    account_id: _AccountId
    download_path: _ExchangePath


class SavedFile(CachedFile):
    """A file, and where its bytes were put."""

    saved_to: str


@tool(
    family="operations",
    domain="storage",
    effect=Effect.READ,
    unified=[("get", "file")],
    example={"file_id": _ID, "account_id": _ACCOUNT, "download_path": "in/offer.pdf"},
)
def file_get(actor: Actor, args: FileGet) -> SavedFile:
    """Put a file's bytes into the caller's exchange folder; nothing there is overwritten."""
    account = get_account(actor, args.account_id)
    file = _get_file(actor, account, args.file_id)
    found = consult(account=account, resource="file", key=file.public_id)
    if found.status == "miss":
        # Its server was asked just now.
        file = _get_file(actor, account, args.file_id)
    content = read_bytes(file)
    saved_to = write_file(actor, args.download_path, content, "/download_path")
    shared = find_recipients(actor, [file])
    fields = {**_fields(file, shared.get(file.blob_id)), **cache_fields(found)}
    return measured(found, SavedFile(**fields, saved_to=saved_to))


class FileCreate(Closed):
    """Where the file is to stand, and its bytes."""

    onedrive_path: Annotated[_Path, Field(description="Such as /Offers/June.pdf; folders on the "
                                          "way are made.")]  # fmt: skip
    local_file_path: _ExchangePath
    account_id: _AccountId


@tool(
    family="operations",
    domain="storage",
    effect=Effect.WRITE,
    writes="fil",
    unified=[("create", "file")],
    example={
        "onedrive_path": "/Offers/June.pdf",
        "local_file_path": "out/june.pdf",
        "account_id": _ACCOUNT,
    },
)
def file_create(actor: Actor, args: FileCreate) -> File:
    """Take a file from the caller's exchange folder; a path that is taken is a conflict."""
    account = get_account(actor, args.account_id)
    content = read_file(actor, args.local_file_path, "/local_file_path")
    made = files.create_file(
        actor=actor, account=account, path=args.onedrive_path, content=content,
        field="onedrive_path",
    )  # fmt: skip
    return File(**_fields(made))


class FileUpdate(Closed):
    """Which file, and its new bytes."""

    file_id: FileId
    local_file_path: _ExchangePath
    account_id: _AccountId


@dataclass(frozen=True)
class WritePlan(Plan[File]):
    """A file that gets new content."""

    actor: Actor
    file: FileNode
    newest: bytes

    @property
    def touches(self) -> Sequence[Finding]:
        """That a message which has not left attaches the file as it is, where that is so."""
        if not files.attached_to_unsent(file=self.file, content=self.newest):
            return ()
        sha256 = hashlib.sha256(self.newest).hexdigest()
        return (
            found(
                "overwrites_attached", "waits", name=self.file.name, size=len(self.newest),
                sha256=sha256,
            ),
        )  # fmt: skip

    def apply(self) -> File:
        """Make the bytes the file's newest version."""
        written = files.write_file(
            actor=self.actor, file=self.file, content=self.newest, field="file_id"
        )
        return File(**_fields(written))


@tool(
    family="operations",
    domain="storage",
    effect=Effect.WRITE,
    writes="fil",
    unified=[("update", "file")],
    example={"file_id": _ID, "local_file_path": "out/june-2.pdf", "account_id": _ACCOUNT},
)
def file_update(actor: Actor, args: FileUpdate) -> WritePlan:
    """Give a file new content from the caller's exchange folder; what it was before is kept.

    Where a message that has not left attaches it, a person is asked first, unless a policy says
    otherwise.
    """
    file = _get_file(actor, get_account(actor, args.account_id), args.file_id)
    content = read_file(actor, args.local_file_path, "/local_file_path")
    return WritePlan(actor, file, content)


class FileDelete(Closed):
    """Which file or folder."""

    file_id: FileId
    account_id: _AccountId
    confirm: Confirmed


class DeletedFile(Closed):
    """That it is gone."""

    status: Literal["deleted"] = "deleted"


@tool(
    family="operations",
    domain="storage",
    effect=Effect.DESTROY,
    unified=[("delete", "file")],
    example={"file_id": _ID, "account_id": _ACCOUNT, "confirm": True},
)
def file_delete(actor: Actor, args: FileDelete) -> DeletedFile:
    """Delete a file, or a folder with all in it; for 30 days a person can bring it back."""
    file = _get_file(actor, get_account(actor, args.account_id), args.file_id)
    files.delete_file(actor=actor, file=file)
    return DeletedFile()


class SearchFiles(Closed):
    """What to look for."""

    query: Annotated[str, Field(min_length=1, max_length=512)]
    account_id: _AccountId
    limit: Annotated[int, Field(ge=1, le=500), WHOLE] = 50
    skip: Skip = 0
    use_cache: UseCache = True
    force_refresh: ForceRefresh = False


@tool(
    family="operations",
    domain="storage",
    effect=Effect.READ,
    unified=[("search", "files")],
    example={"query": "offer june", "account_id": _ACCOUNT},
)
def search_files(actor: Actor, args: SearchFiles) -> FilePage:
    """Search names and texts of files, best first; what has every word comes before the rest.

    In the query "…" keeps words together, -word leaves out and OR takes either; conditions are
    filename: type: (pdf, image, document, folder, …) in: (a folder) after: and before:.
    """
    account = get_account(actor, args.account_id)
    asked = {"files": args.query, "limit": args.limit, "skip": args.skip}
    found = consult_for(args, account, "search", asked, {"files"})
    most = args.skip + args.limit
    hits = find_files(actor=actor, accounts=[account], query=args.query, limit=most)[args.skip :]
    return measured(found, FilePage(cached_files(actor, (hit.file for hit in hits), found)))


def cached_files(actor: Actor, rows: Iterable[FileNode], found: Freshness) -> list[CachedFile]:
    """Return files and folders as lists have them, with how fresh they are."""
    listed = list(rows)
    shared = find_recipients(actor, listed)
    return [
        CachedFile(**_fields(row, shared.get(row.blob_id)), **cache_fields(found)) for row in listed
    ]


class FileShare(Closed):
    """Which file goes to whom, and with which words."""

    file_id: Annotated[
        str,
        Field(
            min_length=1,
            max_length=LONGEST_PATH,
            description="The file: its id or path; look_around has them.",
        ),
        IdOrName(FileNode.ID_PREFIX),
    ]
    account_id: _AccountId
    to: Annotated[list[EmailText], Field(min_length=1, max_length=MOST_RECIPIENTS)]
    message: Annotated[str, Field(description="Plain text that goes with it.")] = ""


@tool(
    family="house",
    domain="storage",
    effect=Effect.SEND,
    example={
        "file_id": _ID,
        "account_id": _ACCOUNT,
        "to": ["ada@customer.example"],
        "message": "Here is the offer for June.",
    },
)
def file_share(actor: Actor, args: FileShare) -> EmailPlan:
    """Share a file: it leaves as a message, as it is now, once a person has approved it.

    `queued` until it has left; the same call with the same Idempotency-Key then answers `sent`.
    """
    account = get_account(actor, args.account_id)
    file = _get_file(actor, account, args.file_id)
    identity, text = identities_of(account)[0], args.message or f"{file.name} is attached."
    content = MailContent(
        sender=folded([identity.email])[0], to=folded(args.to), subject=file.name,
        body=plain_line_ends(text), files=((file.name, file.blob.sha256 if file.blob else ""),),
    )  # fmt: skip

    def write() -> Draft:
        return create_draft(
            actor=actor, inbox=get_inbox_of(account), identity=identity, to=args.to,
            subject=file.name, body=text,
            attachments=[NewAttachment(file.name, media_type_of(file.name), read_bytes(file))],
        )  # fmt: skip

    return EmailPlan(actor, content, write)


def read_bytes(file: FileNode) -> bytes:
    """Return a file's content; raises ToolError `conflict` for a folder, `internal` if lost."""
    if file.blob is None:
        raise ToolError("conflict", "A folder has no content", {"pointer": "/file_id"})
    return read_blob(file.blob)


# -- rows and shapes -------------------------------------------------------------------------------
def _files_of(actor: Actor, account: Account) -> FileNodeQuerySet:
    rows = FileNode.objects.visible_to(actor).kept().filter(account=account)
    return rows.defer(*FileNode.LIST_DEFERRED)


def _get_file(actor: Actor, account: Account, file_id: str, pointer: str = "/file_id") -> FileNode:
    rows = _files_of(actor, account).select_related("blob")
    return get_row(rows, file_id, "file", pointer)


def _fields(file: FileNode, shared_with: list[str] | None = None) -> dict[str, Any]:
    address = f"{settings.BASE_URL}/api/v1/files/{file.public_id}/content"
    return {
        "id": file.public_id,
        "name": file.name,
        "type": file.kind,
        "size": file.size,
        "modified": file.modified_at,
        "download_url": None if file.is_folder else address,
        "shared_with": shared_with,
    }
