"""Who looks at an item just now, so that two people do not decide it past each other."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from inbox.models import Activity, Workspace
from inbox.models.base import VisibleQuerySet


class Presence(models.Model):
    """A person at an approval or an activity; written every few seconds, and soon forgotten.

    `seen_at` has no index, so that PostgreSQL writes a sighting within the row's own page.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False
    )
    approval = models.ForeignKey(
        "Approval", models.CASCADE, null=True, related_name="+", db_index=False
    )
    activity = models.ForeignKey(
        Activity, models.CASCADE, null=True, related_name="+", db_index=False
    )
    # They are changing the text, and have not sent it off.
    is_writing = models.BooleanField(default=False)
    seen_at = models.DateTimeField()

    objects = VisibleQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["approval", "user"], name="presence_at_approval"),
            models.UniqueConstraint(fields=["activity", "user"], name="presence_at_activity"),
        ]

    def __str__(self) -> str:
        return f"{self.user} at {self.approval or self.activity}"
