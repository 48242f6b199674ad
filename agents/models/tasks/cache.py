"""Readings that an agent has done in the background, to find the mirror fresh later."""

from typing import ClassVar, Self

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.actor import Actor
from inbox.models import Account, Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class CacheTaskState(models.TextChoices):
    """Where a task stands."""

    QUEUED = "queued", pgettext_lazy("choice", "Queued")
    RUNNING = "running", pgettext_lazy("choice", "Running")
    COMPLETED = "completed", pgettext_lazy("choice", "Completed")
    FAILED = "failed", pgettext_lazy("choice", "Failed")


class CacheTaskQuerySet(VisibleQuerySet["CacheTask"]):
    """Tasks of the cache."""

    account_path = "account_id"

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces; an agent sees what it enqueued itself."""
        rows = super().visible_to(actor)
        return rows.filter(agent_id=actor.id) if actor.kind == "agent" else rows


class CacheTask(PublicModel):
    """One call of a reading operation, which a worker makes as the agent."""

    ID_PREFIX = "tsk"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    agent = models.ForeignKey("Agent", models.CASCADE, related_name="+")
    account = models.ForeignKey(Account, models.CASCADE, related_name="+")
    operation = models.CharField(max_length=64)
    parameters = models.JSONField(default=dict)
    # 1 is the most pressing.
    priority = models.PositiveSmallIntegerField(default=5)
    status = models.CharField(max_length=9, choices=CacheTaskState, default=CacheTaskState.QUEUED)
    # How often it was tried again.
    retry_count = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)
    result = models.JSONField(null=True)
    error = models.JSONField(null=True)

    objects = CacheTaskQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["agent", "status", "-id"], name="cache_task_of_agent"),
            models.Index(fields=["completed_at"], name="cache_task_completed"),
        ]

    def __str__(self) -> str:
        return f"{self.operation} for {self.agent}"
