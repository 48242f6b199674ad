"""Calls that wait for a person."""

from datetime import timedelta
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from agents.sightings import Sighting
from inbox.actor import Actor
from inbox.models import Activity, Submission, Workspace
from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.reasons.fields import ReasonField

# What expires within so long comes first in the queue.
SOON = timedelta(hours=12)


class ApprovalState(models.TextChoices):
    """Where an approval stands; each ends once, and only a restored backup opens it again."""

    WAITING = "waiting", pgettext_lazy("choice", "Waiting")
    APPROVED = "approved", pgettext_lazy("choice", "Approved")
    REJECTED = "rejected", pgettext_lazy("choice", "Rejected")
    # Sent back to the agent with feedback.
    RETURNED = "returned", pgettext_lazy("choice", "Returned")
    EXPIRED = "expired", pgettext_lazy("choice", "Expired")
    VOIDED = "voided", pgettext_lazy("choice", "Voided")  # what it was about has changed
    # Undone by a person within the undo window.
    CANCELED = "canceled", pgettext_lazy("choice", "Canceled")


class HeldBy(models.TextChoices):
    """Why a proposal waits beside the queue: whose quota it is over, or whose own it is."""

    AGENT = "agent", pgettext_lazy("choice", "Agent")
    ACCOUNT = "account", pgettext_lazy("choice", "Account")
    RECIPIENT = "recipient", pgettext_lazy("choice", "Recipient")
    # No quota: a person's own message, until they send it.
    WRITER = "writer", pgettext_lazy("choice", "Writer")


QUOTAS = (HeldBy.AGENT, HeldBy.ACCOUNT, HeldBy.RECIPIENT)


class ApprovalQuerySet(VisibleQuerySet["Approval"]):
    """Approvals."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces; an agent sees what it proposed itself.

        What was planted in its name it never sees.
        """
        rows = super().visible_to(actor)
        return rows.filter(agent_id=actor.id).real() if actor.kind == "agent" else rows

    def real(self) -> Self:
        """Leave out what was planted."""
        return self.filter(planted__isnull=True)

    def counted(self) -> Self:
        """Leave out what was planted and is told by now.

        What still waits counts with the rest, so that no figure gives it away.
        """
        return self.filter(models.Q(state=ApprovalState.WAITING) | models.Q(planted__isnull=True))

    def in_queue(self) -> Self:
        """Keep those that wait in the queue."""
        return self.filter(state=ApprovalState.WAITING, held_by="")

    def over_quota(self) -> Self:
        """Keep those that a quota holds beside the queue."""
        return self.filter(state=ApprovalState.WAITING, held_by__in=QUOTAS)


class Approval(PublicModel):
    """A stored call of a tool. A person's approval resumes this very call, once."""

    ID_PREFIX = "apr"

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    agent = models.ForeignKey(
        "Agent", models.PROTECT, related_name="approvals",
        verbose_name=pgettext_lazy("field", "agent"),
    )  # fmt: skip
    tool = models.CharField(pgettext_lazy("field", "tool"), max_length=100)
    arguments = models.JSONField()
    # The call's receipt, which says why it is held.
    receipt = models.OneToOneField("Receipt", models.PROTECT, related_name="held_call")
    # What it would send, sealed; null where nothing would leave.
    submission = models.OneToOneField(
        Submission, models.PROTECT, null=True, blank=True, related_name="approval"
    )
    activities = models.ManyToManyField(Activity, blank=True, related_name="approvals")
    # The hash of what is approved: that of the submission's bytes, or of the canonical arguments.
    sha256 = models.CharField(max_length=64)
    # What tells whether the same is proposed again while it waits; empty: by nothing.
    proposal_sha256 = models.CharField(max_length=64, blank=True)
    reason = ReasonField()
    # [{"flag": …, "reason": …, "excerpt": …, "source": message id or null}]
    risk_flags = models.JSONField(default=list)
    # What became of the claims of the message: [{"kind", "part", "excerpt", "start", "end",
    # "state", "expected", "sources": [{"type", "id", "excerpt"}]}, …].
    marks = models.JSONField(default=list)
    # Whether its message is still to be checked, which adds to its flags and makes the marks.
    checks_due = models.BooleanField(default=False)
    state = models.CharField(
        pgettext_lazy("field", "state"), max_length=8, choices=ApprovalState,
        default=ApprovalState.WAITING,
    )  # fmt: skip
    # What holds it beside the queue; empty: nothing, or a person let it into the queue.
    held_by = models.CharField(max_length=9, choices=HeldBy, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    # When its time was extended, once, because whoever could decide was away.
    extended_at = models.DateTimeField(null=True, blank=True)
    # Where it stands in the queue: when it expires, or when that did whose place it takes; where it
    # answers urgent mail, with what expires soon.
    place_at = models.DateTimeField()
    # It is out of the open tabs until then; it expires all the same.
    snoozed_until = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+",
        verbose_name=pgettext_lazy("field", "decided by"),
    )  # fmt: skip
    decided_at = models.DateTimeField(null=True, blank=True)
    # Who approved it first where a policy wants two persons; it waits for the other.
    first_approver = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    first_approved_at = models.DateTimeField(null=True, blank=True)
    # Those that were approved together, which can be taken back together.
    batch = models.UUIDField(null=True, blank=True)
    # The reviewer's words: why it was rejected, or the feedback; else what voided it.
    note = ReasonField(blank=True)
    # The span of the call that proposed it (W3C Trace Context); empty where nobody collects spans.
    trace_parent = models.CharField(max_length=55, blank=True, default="")
    # The approval that took this one's place: after an edit, an undo or a new proposal.
    replaced_by = models.OneToOneField(
        "self", models.PROTECT, null=True, blank=True, related_name="replaces"
    )

    # How whoever is about to decide looked at it: set by their page, and kept with the decision.
    sighting = Sighting()

    objects = ApprovalQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "approval")
        verbose_name_plural = pgettext_lazy("rows", "approvals")
        indexes: ClassVar = [
            models.Index(
                fields=["workspace", "agent", "-created_at", "-id"], name="approval_newest"
            ),
            models.Index(fields=["workspace", "state", "-id"], name="approval_by_state"),
            models.Index(
                fields=["workspace", "held_by", "place_at", "id"],
                condition=models.Q(state="waiting"),
                name="approval_queued",
            ),
            models.Index(
                fields=["agent", "held_by", "id"],
                condition=models.Q(state="waiting"),
                name="approval_held",
            ),
            models.Index(
                fields=["batch"],
                condition=models.Q(batch__isnull=False),
                name="approval_in_batch",
            ),
            models.Index(
                fields=["agent", "proposal_sha256"],
                condition=models.Q(state="waiting"),
                name="approval_proposed",
            ),
            models.Index(
                fields=["expires_at"],
                condition=models.Q(state="waiting"),
                name="approval_expiring",
            ),
            models.Index(
                fields=["workspace", "-created_at", "-id"],
                condition=~models.Q(state="waiting"),
                name="approval_over",
            ),
            models.Index(
                fields=["workspace", "decided_at", "state", "agent", "created_at", "submission"],
                condition=models.Q(decided_at__isnull=False),
                name="approval_decided",
            ),
            models.Index(
                fields=["workspace", "expires_at", "agent", "submission", "state"],
                condition=models.Q(state="expired"),
                name="approval_expired",
            ),
        ]

    @property
    def progress(self) -> str:
        """Where it stands, in one word: the submission's state once that says more."""
        if self.submission is not None and self.state == ApprovalState.APPROVED:
            return str(self.submission.state)
        return str(self.state)

    @property
    def planted_item(self) -> Any:
        """Its `PlantedItem`; None for what somebody really proposed."""
        return getattr(self, "planted", None)

    def __str__(self) -> str:
        return f"{self.tool} by {self.agent}"

    def newest(self) -> "Approval":
        """Return the approval that stands in this one's place now, after edits and undoing.

        What was sent back to the agent stays as it is: a new proposal is another call.
        """
        found = self
        while found.replaced_by is not None and found.state != ApprovalState.RETURNED:
            found = found.replaced_by
        return found
