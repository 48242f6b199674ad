"""How people decided, who stands in for whom while they are away, and what was planted."""

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from agents.sightings import DecisionWay, Sight
from inbox.actor import Actor
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


# What an owner may choose: so many a day, and so much of a hundred decisions.
MOST_A_DAY = 5
MOST_PERCENT = 10


class PlantingSetting(models.Model):
    """Whether planted items are mixed into a workspace's queue, and how many at most."""

    workspace = models.OneToOneField(
        Workspace, models.CASCADE, primary_key=True, related_name="planting"
    )
    is_on = models.BooleanField(default=False)
    most_a_day = models.PositiveSmallIntegerField(default=1)
    # Of a hundred decisions on what agents proposed.
    percent = models.PositiveSmallIntegerField(default=3)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    changed_at = models.DateTimeField(auto_now=True)

    objects = VisibleQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.workspace_id}: {'on' if self.is_on else 'off'}"


class PlantedVerdict(models.TextChoices):
    """Whether a reviewer noticed what was wrong."""

    CAUGHT = "caught", pgettext_lazy("choice", "Caught")
    MISSED = "missed", pgettext_lazy("choice", "Missed")


class PlantedItemQuerySet(VisibleQuerySet["PlantedItem"]):
    """Planted items."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those that may be told of: to no agent, and to people what does not wait any more.

        Whoever may decide on it is told when they have, and nobody before.
        """
        rows = super().visible_to(actor)
        if actor.kind == "agent":
            return rows.none()
        return rows.exclude(approval__state="waiting") if actor.kind == "person" else rows


class PlantedItem(models.Model):
    """A proposal that was made up with one thing wrong, and whether a reviewer noticed.

    Its draft has the mark by which the database refuses that it leaves. What ended without a
    decision of a person has no verdict, and counts as neither.
    """

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+", db_index=False)
    approval = models.OneToOneField("Approval", models.PROTECT, related_name="planted")
    # A code of the deck, and the language of the letter.
    kind = models.CharField(max_length=60)
    language = models.CharField(max_length=2)
    # What of it is wrong, as it stands there, and what would be right; the latter may be empty.
    wrong = models.TextField()
    expected = models.TextField(blank=True)
    planted_at = models.DateTimeField()
    verdict = models.CharField(max_length=6, choices=PlantedVerdict, blank=True)
    # What was decided of it, as if it had been real.
    verb = models.CharField(max_length=8, choices=DecisionVerb, blank=True)
    # When a receipt said that it was planted; it does once the item does not wait any more.
    told_at = models.DateTimeField(null=True, blank=True)

    objects = PlantedItemQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["workspace", "planted_at"], name="planted_newest"),
            models.Index(
                fields=["planted_at"], condition=models.Q(told_at=None), name="planted_untold"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.verdict or 'open'}"
