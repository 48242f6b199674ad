"""Bringing mail in by bulk: what was done, and what could not be read."""

from typing import ClassVar

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.reasons.fields import FailureField


class ImportQuerySet(VisibleQuerySet["Import"]):
    """Imports."""

    account_path = "inbox__account_id"


class Import(PublicModel):
    """One run of `import_mail` over one place; a run after a kill goes on where it stopped."""

    ID_PREFIX = "imp"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    inbox = models.ForeignKey(
        "Inbox",
        models.CASCADE,
        related_name="imports",
        verbose_name=pgettext_lazy("field", "inbox"),
    )
    source = models.TextField(pgettext_lazy("field", "source"))
    started_at = models.DateTimeField(pgettext_lazy("field", "started at"), auto_now_add=True)
    finished_at = models.DateTimeField(pgettext_lazy("field", "finished at"), null=True, blank=True)
    total = models.PositiveIntegerField(pgettext_lazy("field", "total"), default=0)
    stored = models.PositiveIntegerField(pgettext_lazy("field", "stored"), default=0)
    known = models.PositiveIntegerField(pgettext_lazy("field", "known"), default=0)

    objects = ImportQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "import")
        verbose_name_plural = pgettext_lazy("rows", "imports")

    def __str__(self) -> str:
        return self.source


class ImportProblem(PublicModel):
    """A message that could not be read whole; its bytes are kept."""

    ID_PREFIX = "prb"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    run = models.ForeignKey(
        Import, models.CASCADE, related_name="problems", verbose_name=pgettext_lazy("field", "run")
    )
    blob = models.ForeignKey("Blob", models.PROTECT, null=True, related_name="+")
    source = models.TextField(pgettext_lazy("field", "source"))
    problem = FailureField(pgettext_lazy("field", "problem"))
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "import problem")
        verbose_name_plural = pgettext_lazy("rows", "import problems")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "source"], name="import_problem_once")
        ]

    def __str__(self) -> str:
        return self.source
