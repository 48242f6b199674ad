"""Durable work: the rows are the truth, whoever carries them."""

from typing import ClassVar

from django.db import models
from django.utils.translation import pgettext_lazy


class JobState(models.TextChoices):
    """Where a job stands."""

    QUEUED = "queued", pgettext_lazy("choice", "Queued")
    RUNNING = "running", pgettext_lazy("choice", "Running")
    DONE = "done", pgettext_lazy("choice", "Done")
    FAILED = "failed", pgettext_lazy("choice", "Failed")


class Pace(models.IntegerChoices):
    """Which workers a job is for: none waits behind work of another pace."""

    URGENT = 0, pgettext_lazy("choice", "Urgent")
    QUICK = 1, pgettext_lazy("choice", "Quick")
    # What takes many seconds, such as a slice of a first sync.
    SLOW = 2, pgettext_lazy("choice", "Slow")


class Job(models.Model):
    """A piece of work, enqueued in the transaction that causes it and claimed by a lease."""

    workspace = models.ForeignKey("Workspace", models.CASCADE, null=True, related_name="+")
    account = models.ForeignKey("Account", models.CASCADE, null=True, related_name="+")
    kind = models.CharField(pgettext_lazy("field", "kind"), max_length=60)
    payload = models.JSONField(default=dict)
    # Work with the same key is enqueued once; null: no such rule.
    key = models.CharField(max_length=200, null=True, unique=True)
    state = models.CharField(
        pgettext_lazy("field", "state"), max_length=8, choices=JobState, default=JobState.QUEUED
    )
    pace = models.PositiveSmallIntegerField(choices=Pace, default=Pace.QUICK)
    # Whose turn it takes: the account's key, else that of the workspace below zero, else 0.
    lane = models.BigIntegerField(default=0)
    # Lower runs first, within a lane.
    priority = models.SmallIntegerField(pgettext_lazy("field", "priority"), default=5)
    run_at = models.DateTimeField(pgettext_lazy("field", "run at"))
    attempts = models.PositiveSmallIntegerField(pgettext_lazy("field", "attempts"), default=0)
    max_attempts = models.PositiveSmallIntegerField(
        pgettext_lazy("field", "max attempts"), default=8
    )
    # While running: who may finish it, and until when.
    fence = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True)
    error = models.TextField(pgettext_lazy("field", "error"), blank=True)
    # The request that caused it, as the log names it; empty where none did.
    request_id = models.CharField(max_length=64, blank=True)
    # The span that caused it (W3C Trace Context); empty where nobody collects spans.
    trace_parent = models.CharField(max_length=55, blank=True, default="")
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)
    finished_at = models.DateTimeField(pgettext_lazy("field", "finished at"), null=True)

    class Meta:
        verbose_name = pgettext_lazy("rows", "job")
        verbose_name_plural = pgettext_lazy("rows", "jobs")
        indexes: ClassVar = [
            models.Index(
                fields=["pace", "lane", "priority", "run_at", "id"],
                condition=models.Q(state="queued"),
                name="job_due",
            ),
            models.Index(
                fields=["finished_at"],
                condition=models.Q(state__in=["done", "failed"]),
                name="job_finished",
            ),
            models.Index(
                fields=["finished_at"], condition=models.Q(state="failed"), name="job_failed"
            ),
            models.Index(
                fields=["leased_until"], condition=models.Q(state="running"), name="job_leased"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class WorkerProcess(models.Model):
    """A process that carries jobs, and when it was last seen at work."""

    name = models.CharField(max_length=200, unique=True)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "worker processes"

    def __str__(self) -> str:
        return self.name


class PeriodicRun(models.Model):
    """When a periodic function is due again, whichever process ran it last."""

    name = models.CharField(max_length=200, unique=True)
    due_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
