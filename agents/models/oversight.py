"""How people decided, and who stands in for whom while they are away."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from agents.sightings import DecisionWay, Sight
from inbox.models import Role, Workspace
from inbox.models.base import VisibleQuerySet


class DecisionVerb(models.TextChoices):
    """What somebody decided."""

    FIRST = "first", pgettext_lazy("choice", "Approved first")  # another person has to as well
    APPROVED = "approved", pgettext_lazy("choice", "Approved")
    EDITED = "edited", pgettext_lazy("choice", "Edited and approved")
    REJECTED = "rejected", pgettext_lazy("choice", "Rejected")
    RETURNED = "returned", pgettext_lazy("choice", "Returned")


class DecisionMeasure(models.Model):
    """One decision of a person, as it was taken; kept with it, in its transaction.

    What the page's script says of the screen is a claim, of which the time is bounded by the
    server's own clock.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+", db_index=False)
    # The proposal that they were shown: of an edit, that which it took the place of.
    approval = models.ForeignKey("Approval", models.CASCADE, related_name="decision_measures")
    agent = models.ForeignKey("Agent", models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    # What they were in the workspace then.
    role = models.CharField(max_length=10, choices=Role, blank=True)
    verb = models.CharField(max_length=8, choices=DecisionVerb)
    way = models.CharField(max_length=5, choices=DecisionWay)
    decided_at = models.DateTimeField()
    # When the page was given out on which they decided; null: unknown.
    opened_at = models.DateTimeField(null=True)
    # How long they had it before them; of a batch the page's time, shared by the words.
    milliseconds = models.PositiveIntegerField(null=True)
    end = models.CharField(max_length=7, choices=Sight, default=Sight.UNKNOWN)
    source = models.CharField(max_length=7, choices=Sight, default=Sight.UNKNOWN)
    # Of the message that they were shown, and how many of them an edit changed.
    words = models.PositiveIntegerField(default=0)
    changed_words = models.PositiveIntegerField(default=0)
    # It was approved faster than anybody reads.
    is_quick = models.BooleanField(default=False)
    # The codes of the flags that were shown, in order, with a blank between them.
    flags = models.TextField(blank=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["workspace", "decided_at"], name="measure_newest"),
            models.Index(
                fields=["workspace", "-decided_at"],
                condition=models.Q(is_quick=True),
                name="measure_quick",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verb}: {self.approval_id}"


class Absence(models.Model):
    """Somebody who decides in a workspace is away; somebody else who does stands in for them.

    Whether the delegate still may is asked whenever it counts.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="absences")
    delegate = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    since = models.DateTimeField()
    until = models.DateTimeField()

    objects = VisibleQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "user"], name="absence_once")
        ]

    def __str__(self) -> str:
        return f"{self.user_id} until {self.until}"
