"""Which of our files goes with a message: found by the sealed bytes, not by what is said of it."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse

from agents.models import Approval
from inbox.actor import Actor
from inbox.models import FileNode, FileVersion

# The same bytes may stand in many files; of so many versions the fittest is taken.
_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file of the account, and which of its versions holds the bytes."""

    file: FileNode
    number: int

    @property
    def url(self) -> str:
        """Its page."""
        return reverse("file", args=[self.file.public_id])

    @property
    def is_newest(self) -> bool:
        """Whether nothing was written into it since."""
        return self.number == self.file.version


def read_kept_files(actor: Actor, approvals: Iterable[Approval]) -> dict[int, dict[str, KeptFile]]:
    """Return the files that hold what goes with messages: by the approval's key, then by the hash.

    Of several with the same bytes, the one that the call names. One query, none without files.
    """
    with_files = [
        (approval, submission.account_id, {sha256 for _, _, sha256 in submission.attachments})
        for approval in approvals
        if (submission := approval.submission) is not None and submission.attachments
    ]
    if not with_files:
        return {}
    files = FileNode.objects.visible_to(actor).filter(
        account__in={account_id for _, account_id, _ in with_files}
    )
    rows = FileVersion.objects.filter(
        blob__workspace__in={approval.workspace_id for approval, _, _ in with_files},
        blob__sha256__in=set().union(*(hashes for _, _, hashes in with_files)),
        file__in=files,
    )  # fmt: skip
    rows = rows.select_related("file", "blob").defer("file__text", "file__search_extra")
    found = list(rows.order_by("-pk")[:_LOOKED_AT])
    return {
        approval.pk: _fittest(
            (row for row in found if row.file.account_id == account_id), hashes, _named(approval)
        )
        for approval, account_id, hashes in with_files
    }


def _fittest(rows: Iterable[FileVersion], hashes: set[str], named: str) -> dict[str, KeptFile]:
    def fitness(row: FileVersion) -> tuple[bool, bool, bool, int]:
        file = row.file
        is_there = file.deleted_at is None
        return file.public_id == named, is_there, row.number == file.version, row.pk

    wanted = [row for row in rows if row.blob.sha256 in hashes]
    return {row.blob.sha256: KeptFile(row.file, row.number) for row in sorted(wanted, key=fitness)}


def _named(approval: Approval) -> str:
    arguments = approval.arguments if isinstance(approval.arguments, dict) else {}
    return str(arguments.get("file_id", ""))
