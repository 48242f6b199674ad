"""What is to happen at a time."""

from typing import ClassVar, Self

from django.db import models

from agents.models.identity import Agent
from inbox.actor import Actor
from inbox.models import Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class ScheduleType(models.TextChoices):
    """What happens: people are told something, or a tool is called."""

    NOTIFICATION = "notification"
    COMMAND = "command"


class ScheduleState(models.TextChoices):
    """Where a schedule stands."""

    PENDING = "pending"
    RUNNING = "running"  # tried, and to be tried again
    FIRED = "fired"
    WAITING = "waiting"  # its call waits for a person
    FAILED = "failed"
    CANCELED = "canceled"


class ScheduleQuerySet(VisibleQuerySet):
    """Schedules."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces; an agent sees its own."""
        rows = super().visible_to(actor)
        return rows.filter(agent_id=actor.id) if actor.kind == "agent" else rows


class Schedule(PublicModel):
    """Something that an agent wants to happen at a time, once."""

    ID_PREFIX = "sdl"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="schedules")
    type = models.CharField(max_length=12, choices=ScheduleType, default=ScheduleType.NOTIFICATION)
    # The words of a notification, or the name of a tool.
    command = models.TextField()
    # The arguments of the tool; of a notification, whatever the agent wants kept with it.
    payload = models.JSONField(default=dict)
    trigger_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=ScheduleState, default=ScheduleState.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    # When it fired, failed or was canceled.
    finished_at = models.DateTimeField(null=True, blank=True)
    # By how many whole seconds it fired too late; 0 in time.
    late_by = models.PositiveIntegerField(default=0)
    # The public ids of the receipt of what it did, and of the approval that its call waits for.
    receipt = models.CharField(max_length=80, blank=True)
    approval = models.CharField(max_length=80, blank=True)
    # What went wrong, the last time.
    error = models.TextField(blank=True)

    objects = ScheduleQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["workspace", "trigger_at", "id"], name="schedule_by_time"),
            models.Index(fields=["workspace", "created_at", "id"], name="schedule_by_creation"),
            models.Index(
                fields=["trigger_at"],
                condition=models.Q(state__in=["pending", "running"]),
                name="schedule_due",
            ),
            models.Index(
                fields=["id"], condition=models.Q(state="waiting"), name="schedule_waiting"
            ),
        ]

    def __str__(self) -> str:
        return self.command[:80]
