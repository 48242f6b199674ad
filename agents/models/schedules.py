"""What is to happen at a time."""

from typing import ClassVar, Self

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.actor import Actor
from inbox.models import Workspace
from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.reasons.fields import FailureField


class ScheduleType(models.TextChoices):
    """What happens: people are told something, or a tool is called."""

    NOTIFICATION = "notification", pgettext_lazy("choice", "Notification")
    COMMAND = "command", pgettext_lazy("choice", "Command")


class ScheduleState(models.TextChoices):
    """Where a schedule stands."""

    PENDING = "pending", pgettext_lazy("choice", "Pending")
    RUNNING = "running", pgettext_lazy("choice", "Running")  # tried, and to be tried again
    FIRED = "fired", pgettext_lazy("choice", "Fired")
    WAITING = "waiting", pgettext_lazy("choice", "Waiting")  # its call waits for a person
    FAILED = "failed", pgettext_lazy("choice", "Failed")
    CANCELED = "canceled", pgettext_lazy("choice", "Canceled")


class ScheduleQuerySet(VisibleQuerySet["Schedule"]):
    """Schedules."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces; an agent sees its own."""
        rows = super().visible_to(actor)
        return rows.filter(agent_id=actor.id) if actor.kind == "agent" else rows


class Schedule(PublicModel):
    """Something that an agent wants to happen at a time, once."""

    ID_PREFIX = "sdl"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    agent = models.ForeignKey(
        "Agent", models.CASCADE, related_name="schedules",
        verbose_name=pgettext_lazy("field", "agent"),
    )  # fmt: skip
    type = models.CharField(
        pgettext_lazy("field", "type"), max_length=12, choices=ScheduleType,
        default=ScheduleType.NOTIFICATION,
    )  # fmt: skip
    # The words of a notification, or the name of a tool.
    command = models.TextField()
    # The arguments of the tool; of a notification, whatever the agent wants kept with it.
    payload = models.JSONField(default=dict)
    trigger_at = models.DateTimeField(pgettext_lazy("field", "trigger at"))
    state = models.CharField(
        pgettext_lazy("field", "state"), max_length=8, choices=ScheduleState,
        default=ScheduleState.PENDING,
    )  # fmt: skip
    attempts = models.PositiveSmallIntegerField(pgettext_lazy("field", "attempts"), default=0)
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)
    # When it fired, failed or was canceled.
    finished_at = models.DateTimeField(pgettext_lazy("field", "finished at"), null=True, blank=True)
    # By how many whole seconds it fired too late; 0 in time.
    late_by = models.PositiveIntegerField(default=0)
    # The public ids of the receipt of what it did, and of the approval that its call waits for.
    receipt = models.CharField(pgettext_lazy("field", "receipt"), max_length=80, blank=True)
    approval = models.CharField(pgettext_lazy("field", "approval"), max_length=80, blank=True)
    # What went wrong, the last time.
    error = FailureField(blank=True)

    objects = ScheduleQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "schedule")
        verbose_name_plural = pgettext_lazy("rows", "schedules")
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
