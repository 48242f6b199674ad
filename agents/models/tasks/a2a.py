"""Tasks of the Agent2Agent protocol: what other agents asked for by messages, and how it stands."""

from typing import ClassVar, Self

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.actor import Actor
from inbox.models import Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class TaskState(models.TextChoices):
    """Where a task stands; `held` and `asked` are both told as the protocol's `input-required`."""

    WORKING = "working", pgettext_lazy("choice", "Working")
    HELD = "held", pgettext_lazy("choice", "Held")  # a person decides on its approval
    ASKED = "asked", pgettext_lazy("choice", "Asked")  # another message may mend it
    COMPLETED = "completed", pgettext_lazy("choice", "Completed")
    FAILED = "failed", pgettext_lazy("choice", "Failed")
    CANCELED = "canceled", pgettext_lazy("choice", "Canceled")
    REJECTED = "rejected", pgettext_lazy("choice", "Rejected")


class A2ATaskQuerySet(VisibleQuerySet["A2ATask"]):
    """Tasks."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces; an agent sees what it asked for itself."""
        rows = super().visible_to(actor)
        return rows.filter(agent_id=actor.id) if actor.kind == "agent" else rows


class A2ATask(PublicModel):
    """One call of a skill, and what came of it. The answer itself stands with the receipt."""

    ID_PREFIX = "ata"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    agent = models.ForeignKey("Agent", models.CASCADE, related_name="+")
    # What the caller groups its tasks by.
    context_id = models.CharField(max_length=200)
    skill = models.CharField(max_length=100)
    state = models.CharField(max_length=9, choices=TaskState, default=TaskState.WORKING)
    status_at = models.DateTimeField()
    # Why it failed, was refused or asks: {"code": …, "message": …, "details": {…}}
    error = models.JSONField(null=True)
    # The receipt whose stored answer is the result.
    receipt = models.ForeignKey("Receipt", models.PROTECT, null=True, related_name="+")
    # The approval that it waits for or waited for.
    approval = models.ForeignKey("Approval", models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = A2ATaskQuerySet.as_manager()

    class Meta:
        verbose_name = "A2A task"
        verbose_name_plural = "A2A tasks"
        indexes: ClassVar = [
            models.Index(fields=["agent", "-status_at", "-id"], name="a2a_task_newest"),
            models.Index(fields=["agent", "context_id", "-status_at"], name="a2a_task_of_context"),
            models.Index(fields=["status_at"], name="a2a_task_status_at"),
        ]

    def __str__(self) -> str:
        return f"{self.skill} for {self.agent_id}"


class A2AMessage(models.Model):
    """A message that an agent sent to begin a task or to go on with it."""

    task = models.ForeignKey(A2ATask, models.CASCADE, related_name="said")
    agent = models.ForeignKey("Agent", models.CASCADE, related_name="+")
    # As the sender chose it: the same again is the same message.
    message_id = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    # What it said: [{"data": …}, {"text": …}]
    parts = models.JSONField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["agent", "message_id"], name="a2a_message_once")
        ]

    def __str__(self) -> str:
        return self.message_id


class A2APush(models.Model):
    """An address that is told whenever the state of a task changes."""

    task = models.ForeignKey(A2ATask, models.CASCADE, related_name="pushes")
    # As the caller chose it, or ours.
    config_id = models.CharField(max_length=200)
    url = models.CharField(max_length=1000)
    # {"token", "scheme", "credentials"} as JSON, encrypted by `inbox.accounts.credentials`.
    secret = models.BinaryField(editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["task", "config_id"], name="a2a_push_once")
        ]

    def __str__(self) -> str:
        return self.url
