"""What was done, by whom, why, and what came of it; chained by hash, never changed again."""

from typing import ClassVar, Self

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.actor import Actor
from inbox.models import Workspace
from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.reasons.text import read


class Decision(models.TextChoices):
    """What was decided of a call."""

    ALLOW = "allow", pgettext_lazy("choice", "Allow")
    HOLD = "hold", pgettext_lazy("choice", "Hold")
    DENY = "deny", pgettext_lazy("choice", "Deny")


class Outcome(models.TextChoices):
    """What came of a call; `open` until it is known."""

    OPEN = "open", pgettext_lazy("choice", "Open")
    OK = "ok", pgettext_lazy("choice", "Ok")
    HELD = "held", pgettext_lazy("choice", "Held")
    ERROR = "error", pgettext_lazy("choice", "Error")


class ReceiptQuerySet(VisibleQuerySet["Receipt"]):
    """Receipts."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces; an agent sees none of what was planted."""
        rows = super().visible_to(actor)
        return rows.filter(held_call__planted__isnull=True) if actor.kind == "agent" else rows


class Receipt(PublicModel):
    """One call of a tool, or one action of the system or a person.

    Opened before the effect, closed with it; the database refuses every other change and every
    removal. `hash` is the SHA-256 over the row's content and `prev_hash`, the hash of the receipt
    closed before it in the same workspace.
    """

    ID_PREFIX = "rcp"

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    # Set when it is closed, from 1 on without gaps.
    seq = models.PositiveBigIntegerField(null=True)
    actor = models.CharField(max_length=40)
    actor_name = models.CharField(max_length=200)
    tool = models.CharField(max_length=100)
    # The arguments; a text over 200 characters as {"sha256": …, "length": …}.
    arguments = models.JSONField(default=dict)
    # SHA-256 over the canonical JSON of the whole arguments; tells a replay from a conflict.
    arguments_sha256 = models.CharField(max_length=64)
    # Empty again where the call failed: it had no effect, and its key may be used again.
    idempotency_key = models.CharField(max_length=255, null=True, blank=True)
    decision = models.CharField(max_length=5, choices=Decision)
    # Why, in words: the scope, the rule, the policy, the classification's reasoning.
    reason = models.TextField(blank=True)
    # The codes of it, by which pages say it in the language of their reader.
    reasons = models.JSONField(default=list, blank=True)
    # The public id of the approval that it waits for or rests on.
    approval = models.CharField(max_length=80, blank=True)
    outcome = models.CharField(max_length=5, choices=Outcome, default=Outcome.OPEN)
    error_code = models.CharField(max_length=40, blank=True)
    # What came back, shortened like the arguments.
    result = models.JSONField(null=True, blank=True)
    # The public ids of what the answer showed to an agent; null: nothing with a text.
    shown = models.JSONField(null=True, blank=True)
    # SHA-256 over the stored answer; empty where none is kept.
    answer_sha256 = models.CharField(max_length=64, blank=True)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    prev_hash = models.CharField(max_length=64, blank=True)
    hash = models.CharField(max_length=64, blank=True)

    objects = ReceiptQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "receipt")
        verbose_name_plural = pgettext_lazy("rows", "receipts")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "seq"], name="receipt_seq_once"),
            models.UniqueConstraint(
                fields=["workspace", "actor", "idempotency_key"],
                condition=models.Q(idempotency_key__isnull=False),
                name="receipt_idempotency_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["workspace", "actor", "-id"], name="receipt_of_actor"),
            models.Index(fields=["approval"], name="receipt_of_approval"),
            models.Index(fields=["workspace", "opened_at", "id"], name="receipt_by_time"),
            # What was refused or failed.
            models.Index(
                fields=["workspace", "opened_at", "actor", "decision", "outcome"],
                condition=models.Q(outcome="error"),
                name="receipt_failed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool} by {self.actor_name}"

    @property
    def why(self) -> str:
        """Why, by its codes where it has any."""
        return read(self.reasons) if self.reasons else self.reason


class ReceiptHead(models.Model):
    """The end of a workspace's chain: it keeps the order, and shows a tail that was cut off."""

    workspace = models.OneToOneField(Workspace, models.PROTECT, primary_key=True, related_name="+")
    seq = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"{self.workspace_id}: {self.seq}"


class StoredAnswer(models.Model):
    """The whole answer of a call that carried an idempotency key, for its replay.

    The database refuses every change and every removal; the receipt has its hash.
    """

    receipt = models.OneToOneField(Receipt, models.CASCADE, primary_key=True, related_name="answer")
    # JSON as it was answered, to the byte.
    answer = models.TextField()

    def __str__(self) -> str:
        return f"answer of {self.receipt_id}"
