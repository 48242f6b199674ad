"""What the pages of files show: the way there, who wrote it, which mail it went with, its text."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import F
from django.urls import reverse

from agents.evidence.explaining import explain_versions
from agents.evidence.exposures import trace
from agents.evidence.refs import Ref
from agents.models import Agent
from inbox.files.images import LARGEST
from inbox.models import (
    Account,
    DraftAttachment,
    FileNode,
    FileVersion,
    Submission,
)
from inbox.models.files import FileNodeQuerySet
from inbox.submission_states import SubmissionState
from inbox.viewer import Viewer

LONGEST_TEXT = 20_000
MOST_VERSIONS = 50
_MOST_MAILS = 20
_SHOWN_TYPES = frozenset({"image/png", "image/jpeg", "image/gif"})


@dataclass(frozen=True, slots=True)
class Crumb:
    """A step on the way to a file."""

    name: str
    url: str


@dataclass(frozen=True, slots=True)
class Version:
    """What a file held from a time on, who wrote it, and whose words it holds."""

    row: FileVersion
    by: str
    origin: str


@dataclass(frozen=True, slots=True)
class MailWithFile:
    """A message that a version of the file went with, or was to go with."""

    submission: Submission
    version: int
    url: str


def rows_of(viewer: Viewer) -> FileNodeQuerySet:
    """Return the files that a person may see, without what a search reads in them."""
    rows = FileNode.objects.visible_to(viewer.actor)
    return rows.defer(*FileNode.LIST_DEFERRED)


def standing_in(viewer: Viewer, account: Account, folder: FileNode | None) -> FileNodeQuerySet:
    """Return what stands in a folder, folders first."""
    rows = rows_of(viewer).kept().filter(account=account, parent=folder)
    return rows.order_by("-kind", "path_key")


def find_sent(files: Iterable[FileNode]) -> set[int]:
    """Return the keys of those of the files' blobs that a message carried, and left with."""
    blobs = [file.blob_id for file in files if file.blob_id is not None]
    carried = DraftAttachment.objects.filter(
        blob__in=blobs, draft__submissions__state=SubmissionState.SENT
    )
    return set(carried.values_list("blob_id", flat=True))


def read_breadcrumbs(viewer: Viewer, account: Account, file: FileNode | None) -> list[Crumb]:
    """Return the way from the top of an account to what holds the file."""
    way = [Crumb(account.address, f"{reverse('files')}?account={account.public_id}")]
    if file is None:
        return way
    names = file.path_key.split("/")[1:-1]
    keys = ["/" + "/".join(names[: depth + 1]) for depth in range(len(names))]
    rows = rows_of(viewer).filter(account=account, path_key__in=keys, kind="folder")
    # Of several of one path the one that is there counts, else the last that was deleted.
    last = F("deleted_at").asc(nulls_last=True)
    found = {row.path_key: row for row in rows.order_by(last, "pk")}
    folders = [found[key] for key in keys if key in found]
    return [*way, *(Crumb(one.name, reverse("file", args=[one.public_id])) for one in folders)]


def name_actors(viewer: Viewer, keys: Iterable[str]) -> dict[str, str]:
    """Return the names of those who did something, by the keys under which rows name them."""
    by_kind: dict[str, set[int]] = {"agent": set(), "person": set()}
    for key in keys:
        kind, _, number = key.partition(":")
        if kind in by_kind and number.isdecimal():
            by_kind[kind].add(int(number))
    places = viewer.actor.workspace_ids
    agents = Agent.objects.filter(pk__in=by_kind["agent"], workspace_id__in=places)
    names = {f"agent:{pk}": str(name) for pk, name in agents.values_list("pk", "name")}
    # Of whoever was a member once, too: their name is no secret of another workspace.
    people = get_user_model()._default_manager.filter(
        pk__in=by_kind["person"], memberships__workspace_id__in=places
    )
    return names | {f"person:{one.pk}": one.get_username() for one in people}


def read_versions(viewer: Viewer, file: FileNode) -> list[Version]:
    """Return the newest versions of a file, the newest first."""
    found = explain_versions(file.workspace_id, [file.pk]).get(file.pk, [])[:MOST_VERSIONS]
    names = name_actors(viewer, [one.row.created_by for one in found])
    return [Version(one.row, names.get(one.row.created_by, ""), one.found.origin) for one in found]


def read_origin(file: FileNode) -> str:
    """Return whose words a file holds."""
    own = [one for one in trace(file.workspace_id, [Ref("fil", file.pk)]) if one.via is None]
    return own[0].origin


def read_messages_with_file(viewer: Viewer, file: FileNode) -> list[MailWithFile]:
    """Return the newest messages that a version of the file went with, or is to go with."""
    versions = FileVersion.objects.filter(file=file).order_by("-number")[:MOST_VERSIONS]
    numbers = dict(versions.values_list("blob__sha256", "number"))
    drafts = DraftAttachment.objects.filter(blob__sha256__in=numbers).values("draft")
    rows: Any = Submission.objects.visible_to(viewer.actor).filter(draft__in=drafts)
    rows = rows.select_related("draft", "approval").defer("mime").order_by("-pk")
    found = [(one, _number(one, numbers)) for one in rows[:_MOST_MAILS]]
    return [MailWithFile(one, number, _place(one)) for one, number in found if number]


def _number(submission: Submission, numbers: dict[str, int]) -> int:
    return max((numbers.get(one[2], 0) for one in submission.attachments), default=0)


def _place(submission: Any) -> str:
    approval = getattr(submission, "approval", None)
    return reverse("review", args=[approval.public_id]) if approval is not None else ""


def may_be_picture(file: FileNode) -> bool:
    """Whether it may be a picture that the page shows; its bytes tell when they are asked for."""
    return file.content_type in _SHOWN_TYPES and 0 < file.size <= LARGEST
