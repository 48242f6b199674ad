"""How much of each quota was used."""

from typing import ClassVar

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models import Workspace
from inbox.models.base import VisibleQuerySet


class QuotaUse(models.Model):
    """What counts against one quota of an agent, an account or a recipient, in parts of its time.

    A quota is what is counted, per whom, and the seconds of its time. `subject` is the key of the
    agent or account, or the SHA-256 of the recipient's address in lower case.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    what = models.CharField(max_length=9)
    per = models.CharField(max_length=9)
    subject = models.CharField(max_length=64)
    seconds = models.PositiveIntegerField()
    # {number of the part since 1970: how much}; parts that are over are left out when one is added.
    parts = models.JSONField(default=dict)
    # Of texts that were read: no more than so many, for some count twice, or are over by now.
    amount = models.PositiveBigIntegerField(default=0)
    changed_at = models.DateTimeField()
    # What was before counts no more: a person let the agent go on.
    anew_at = models.DateTimeField(null=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "use of a quota")
        verbose_name_plural = pgettext_lazy("rows", "uses of quotas")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["workspace", "per", "subject", "what", "seconds"], name="quota_use_once"
            )
        ]
        indexes: ClassVar = [models.Index(fields=["changed_at"], name="quota_use_by_time")]

    def __str__(self) -> str:
        return f"{self.what} per {self.per} {self.subject}"
