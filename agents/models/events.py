"""What happened, for clients that want to be told: names of facts and ids, never what mail says."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from inbox import ids
from inbox.models import Workspace
from inbox.models.base import VisibleQuerySet

EVENT_PREFIX = "evl"


class FactNote(models.Model):
    """A fact as it was published, in the transaction of its cause; waits for its place in the log.

    The log's order must be the order in which others see it, which no number has that is taken
    before the transaction ends.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    fact = models.CharField(max_length=60)
    payload = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.fact


class LoggedEvent(models.Model):
    """An event of the log. The key is its place: whoever has read it has seen all before it."""

    id = models.BigIntegerField(primary_key=True)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    fact = models.CharField(max_length=60)
    # Public ids, and words such as a state.
    data = models.JSONField(default=dict)
    # Whose it is: only agents that were granted one of these accounts; null: of no account.
    account_ids = models.JSONField(null=True)
    # Only these agents, by key; null: every agent of the workspace.
    agent_ids = models.JSONField(null=True)
    at = models.DateTimeField()

    objects = VisibleQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["at"], name="logged_event_at")]

    def __str__(self) -> str:
        return f"{self.fact} {self.pk}"

    @property
    def public_id(self) -> str:
        """The id by which a client says what it has read last."""
        return ids.encode(EVENT_PREFIX, self.pk)


class LogHead(models.Model):
    """The end and the beginning of the log; one row, whose lock makes the order."""

    newest = models.BigIntegerField(default=0)
    # What came before this place was removed.
    removed = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.newest)
