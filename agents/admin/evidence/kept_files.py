"""Which of our files goes with a letter: found by the sealed bytes, not by what is said of them."""

from collections.abc import Collection
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


def find_kept_files(
    actor: Actor, approval: Approval, hashes: Collection[str]
) -> dict[str, KeptFile]:
    """Return the files that hold these bytes, by the hash; the one that the call names before all.

    One query, and none for a letter without files.
    """
    submission = approval.submission
    if submission is None or not hashes:
        return {}
    files = FileNode.objects.visible_to(actor).filter(account=submission.account_id)
    rows = FileVersion.objects.filter(
        blob__workspace=approval.workspace_id, blob__sha256__in=hashes, file__in=files
    )
    rows = rows.select_related("file", "blob").defer("file__text", "file__search_extra")
    arguments = approval.arguments if isinstance(approval.arguments, dict) else {}
    named = arguments.get("file_id")

    def fitness(row: FileVersion) -> tuple[bool, bool, bool, int]:
        file = row.file
        is_there = file.deleted_at is None
        return file.public_id == named, is_there, row.number == file.version, row.pk

    found = sorted(rows.order_by("-pk")[:_LOOKED_AT], key=fitness)
    return {row.blob.sha256: KeptFile(row.file, row.number) for row in found}
