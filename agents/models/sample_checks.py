"""What people said of silent items that they looked at as a sample."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models import Activity, Workspace
from inbox.models.base import VisibleQuerySet


class Verdict(models.TextChoices):
    """Whether it was right to be silent."""

    RIGHT = "right", pgettext_lazy("choice", "Right")
    SHOULD_ASK = "should_ask", pgettext_lazy("choice", "Should Ask")


class SampleCheck(models.Model):
    """A person's verdict on an item that was handled silently or only noted."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    activity = models.OneToOneField(Activity, models.CASCADE, related_name="sample_check")
    verdict = models.CharField(max_length=10, choices=Verdict)
    # The tier it had then, 1 or 2.
    autonomy_tier = models.PositiveSmallIntegerField()
    checked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    checked_at = models.DateTimeField()

    objects = VisibleQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["workspace", "checked_at", "verdict"], name="sample_check_newest")
        ]

    def __str__(self) -> str:
        return f"{self.activity_id}: {self.verdict}"
