"""Bringing mail in by bulk: what was done, and what could not be read."""

from typing import ClassVar

from django.db import models

from inbox.models.accounts import Workspace
from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.models.blobs import Blob
from inbox.models.mail import Inbox


class ImportQuerySet(VisibleQuerySet):
    """Imports."""

    account_path = "inbox__account_id"


class Import(PublicModel):
    """One run of `import_mail` over one place; a run after a kill goes on where it stopped."""

    ID_PREFIX = "imp"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    inbox = models.ForeignKey(Inbox, models.CASCADE, related_name="imports")
    source = models.TextField()
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    total = models.PositiveIntegerField(default=0)
    stored = models.PositiveIntegerField(default=0)
    known = models.PositiveIntegerField(default=0)

    objects = ImportQuerySet.as_manager()

    def __str__(self) -> str:
        return self.source


class ImportProblem(PublicModel):
    """A message that could not be read whole; its bytes are kept."""

    ID_PREFIX = "prb"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    run = models.ForeignKey(Import, models.CASCADE, related_name="problems")
    blob = models.ForeignKey(Blob, models.PROTECT, null=True, related_name="+")
    source = models.TextField()
    problem = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "source"], name="import_problem_once")
        ]

    def __str__(self) -> str:
        return f"{self.source}: {self.problem}"
