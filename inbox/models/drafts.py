"""What is to leave: drafts, which are editable, and submissions, which are sealed bytes."""

from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef
from django.utils.translation import pgettext_lazy

from inbox import ids
from inbox.actor import Actor
from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.reasons.fields import FailureField, ReasonField
from inbox.submission_states import APPROVED_STATES, LIVE_STATES, SubmissionState

LEAST_WAIT = timedelta(days=1)
# Differences of a provider's copy, and fields among them, by which it says something else. Blind
# recipients are no such field: providers take them out, or name in it whom the envelope has.
_OTHER_WORDS = frozenset({"copy_text", "copy_html", "copy_attachment", "copy_parts"})
_OTHER_FIELDS = frozenset({"from", "sender", "reply-to", "to", "cc", "subject"})


class DraftStatus(models.TextChoices):
    """Where a draft stands; `returned` went back to the agent with feedback."""

    OPEN = "open", pgettext_lazy("choice", "Open")
    PROPOSED = "proposed", pgettext_lazy("choice", "Proposed")
    RETURNED = "returned", pgettext_lazy("choice", "Returned")
    SENT = "sent", pgettext_lazy("choice", "Sent")
    DISCARDED = "discarded", pgettext_lazy("choice", "Discarded")


class DraftQuerySet(VisibleQuerySet["Draft"]):
    """Drafts."""

    account_path = "account_id"

    def visible_to(self, actor: Actor) -> Self:
        """Keep those that the actor may see; an agent sees none that was planted."""
        rows = super().visible_to(actor)
        return rows.filter(~_is_planted("pk")) if actor.kind == "agent" else rows

    def kept(self) -> Self:
        """Leave out what was deleted."""
        return self.filter(deleted_at=None)


def _is_planted(draft: str) -> Exists:
    """Return what finds the rows whose draft, named by this column, is planted."""
    return Exists(PlantedDraft.objects.filter(draft=OuterRef(draft)))


class Draft(PublicModel):
    """A message in the making; each change makes a version."""

    ID_PREFIX = "drf"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    account = models.ForeignKey("Account", models.CASCADE, related_name="drafts")
    inbox = models.ForeignKey("Inbox", models.CASCADE, related_name="drafts")
    identity = models.ForeignKey("Identity", models.PROTECT, related_name="+")
    thread = models.ForeignKey(
        "Thread", models.CASCADE, null=True, blank=True, related_name="drafts"
    )
    in_reply_to = models.ForeignKey(
        "Message", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # The actor's key (`agent:7`) and name, as of the newest version.
    author = models.CharField(max_length=40)
    author_name = models.CharField(
        pgettext_lazy("field", "author name"), max_length=200, blank=True
    )
    to = models.JSONField(pgettext_lazy("field", "to"), default=list)
    cc = models.JSONField(pgettext_lazy("field", "cc"), default=list)
    bcc = models.JSONField(pgettext_lazy("field", "bcc"), default=list)
    subject = models.TextField(pgettext_lazy("field", "subject"), blank=True)
    body = models.TextField(pgettext_lazy("field", "body"))
    # An iTIP message (RFC 5546) that goes with the text, a VCALENDAR with METHOD; empty: none.
    calendar = models.TextField(blank=True)
    goal = models.TextField(pgettext_lazy("field", "goal"), blank=True)
    policy = models.ForeignKey(
        "ReplyPolicy", models.SET_NULL, null=True, blank=True, related_name="+",
        verbose_name=pgettext_lazy("field", "policy"),
    )  # fmt: skip
    policy_version = models.PositiveIntegerField(
        pgettext_lazy("field", "policy version"), null=True, blank=True
    )
    # [{"flag": …, "reason": …, "excerpt": …, "source": message id or null}]
    risk_flags = models.JSONField(default=list)
    cited: models.ManyToManyField[Any, Any] = models.ManyToManyField(
        "Message", related_name="cited_by", blank=True
    )
    status = models.CharField(
        pgettext_lazy("field", "status"), max_length=10, choices=DraftStatus,
        default=DraftStatus.OPEN,
    )  # fmt: skip
    version = models.PositiveIntegerField(pgettext_lazy("field", "version"), default=1)
    # What a reviewer wrote when sending it back.
    feedback = models.TextField(pgettext_lazy("field", "feedback"), blank=True)
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)
    updated_at = models.DateTimeField(pgettext_lazy("field", "updated at"), auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = DraftQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "draft")
        verbose_name_plural = pgettext_lazy("rows", "drafts")
        indexes: ClassVar = [
            models.Index(fields=["thread", "author", "-updated_at"], name="draft_of_thread"),
            models.Index(
                fields=["account", "-updated_at", "-id"],
                condition=models.Q(deleted_at=None),
                name="draft_newest",
            ),
            models.Index(
                fields=["deleted_at"],
                condition=~models.Q(deleted_at=None),
                name="draft_by_deletion",
            ),
        ]

    def __str__(self) -> str:
        return self.subject or "(no subject)"


class PlantedDraft(models.Model):
    """The mark of a draft that was made up, to see whether reviewers notice what is wrong with it.

    The database refuses that anything of such a draft leaves, and that the mark is changed or
    removed. It stands in a table of its own, so that nothing that shows drafts can show it.
    """

    draft = models.OneToOneField(
        Draft, models.PROTECT, primary_key=True, related_name="planted_mark"
    )
    planted_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"planted: {self.draft_id}"


class DraftVersion(models.Model):
    """A draft as it once stood, and who made it so."""

    draft = models.ForeignKey(Draft, models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    author = models.CharField(max_length=40)
    author_name = models.CharField(max_length=200, blank=True)
    to = models.JSONField(default=list)
    cc = models.JSONField(default=list)
    bcc = models.JSONField(default=list)
    subject = models.TextField(blank=True)
    body = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["draft", "version"], name="draft_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.draft}, version {self.version}"


class DraftAttachment(models.Model):
    """A file that goes with a draft."""

    draft = models.ForeignKey(Draft, models.CASCADE, related_name="attachments")
    blob = models.ForeignKey("Blob", models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField()
    filename = models.CharField(max_length=255)
    content_type = models.CharField(max_length=255)

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["draft", "position"], name="draft_attachment_once")
        ]

    def __str__(self) -> str:
        return self.filename


class SubmissionQuerySet(VisibleQuerySet["Submission"]):
    """Submissions."""

    account_path = "account_id"

    def visible_to(self, actor: Actor) -> Self:
        """Keep those that the actor may see; an agent sees none that was planted."""
        rows = super().visible_to(actor)
        return rows.filter(~_is_planted("draft_id")) if actor.kind == "agent" else rows

    def with_message_id(self, public_id: str) -> "SubmissionQuerySet":
        """Keep the submission that promised this message id (`msg_…`)."""
        match ids.decode("msg", public_id):
            case (1, key):
                return self.filter(pk=key)
        return self.none()


class Submission(PublicModel):
    """Exactly what is to leave: bytes, envelope and Message-ID, fixed and hashed when proposed.

    `mime`, `sha256`, `envelope_from`, `envelope_to` and `message_id_header` never change again.
    """

    ID_PREFIX = "sub"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    account = models.ForeignKey("Account", models.PROTECT, related_name="submissions")
    draft = models.ForeignKey(Draft, models.PROTECT, related_name="submissions")
    draft_version = models.PositiveIntegerField()
    thread = models.ForeignKey(
        "Thread", models.PROTECT, null=True, blank=True, related_name="submissions"
    )
    # The newest message of the thread when this was proposed; a newer one voids it.
    thread_head = models.ForeignKey(
        "Message", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    policy = models.ForeignKey(
        "ReplyPolicy", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    policy_version = models.PositiveIntegerField(null=True, blank=True)
    envelope_from = models.CharField(pgettext_lazy("field", "envelope from"), max_length=320)
    # Bare addresses, in order: to, cc, bcc.
    envelope_to = models.JSONField()
    # [[filename, content type, SHA-256], …] of the draft's attachments when this was proposed.
    attachments = models.JSONField(default=list)
    message_id_header = models.CharField(
        pgettext_lazy("field", "message id header"), max_length=250, unique=True
    )
    sha256 = models.CharField(pgettext_lazy("field", "sha256"), max_length=64)
    size = models.PositiveBigIntegerField(pgettext_lazy("field", "size"))
    state = models.CharField(
        pgettext_lazy("field", "state"), max_length=8, choices=SubmissionState,
        default=SubmissionState.HELD,
    )  # fmt: skip
    proposed_by = models.CharField(max_length=40)
    proposed_by_name = models.CharField(
        pgettext_lazy("field", "proposed by name"), max_length=200, blank=True
    )
    proposed_at = models.DateTimeField(pgettext_lazy("field", "proposed at"), auto_now_add=True)
    expires_at = models.DateTimeField(pgettext_lazy("field", "expires at"))
    approved_sha256 = models.CharField(
        pgettext_lazy("field", "approved sha256"), max_length=64, blank=True
    )
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    approved_at = models.DateTimeField(pgettext_lazy("field", "approved at"), null=True, blank=True)
    # When a restored backup had it wait once more: it may have left after the backup was taken.
    held_again_at = models.DateTimeField(
        pgettext_lazy("field", "held again at"), null=True, blank=True
    )
    # The end of the undo window; the worker takes it from then on.
    send_at = models.DateTimeField(pgettext_lazy("field", "send at"), null=True, blank=True)
    # Since when it waits for a login that works; null: it does not.
    waits_since = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(pgettext_lazy("field", "attempts"), default=0)
    fence = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    # Set just before the final dot of an attempt: from then on the server may have taken it.
    handed_over_at = models.DateTimeField(null=True, blank=True)
    # What the server said, or what ended it, in words for a person.
    outcome = ReasonField(pgettext_lazy("field", "outcome"), blank=True)
    finished_at = models.DateTimeField(pgettext_lazy("field", "finished at"), null=True, blank=True)
    # Of the copy at the provider: until when somebody is putting it there, since when nothing is
    # left to do, and why it is not there.
    filing_until = models.DateTimeField(null=True, blank=True)
    filed_at = models.DateTimeField(pgettext_lazy("field", "filed at"), null=True, blank=True)
    filing_problem = FailureField(pgettext_lazy("field", "filing problem"), blank=True)
    # What the provider keeps of it, once seen there, and what differs from the sealed bytes.
    copy_sha256 = models.CharField(
        pgettext_lazy("field", "copy sha256"), max_length=64, blank=True, default=""
    )
    copy_differences = ReasonField(
        pgettext_lazy("field", "copy differences"), blank=True, default=""
    )
    mime = models.BinaryField()

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "submission")
        verbose_name_plural = pgettext_lazy("rows", "submissions")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=~models.Q(state__in=sorted(APPROVED_STATES))
                | models.Q(approved_sha256=models.F("sha256")),
                name="submission_leaves_only_as_approved",
            ),
            models.UniqueConstraint(
                fields=["draft"],
                condition=models.Q(state__in=sorted(LIVE_STATES)),
                name="submission_of_draft_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["workspace", "state", "-id"], name="submission_by_state"),
            models.Index(fields=["workspace", "-proposed_at", "-id"], name="submission_newest"),
            models.Index(fields=["workspace", "size", "id"], name="submission_by_size"),
            models.Index(
                fields=["send_at"],
                condition=models.Q(state__in=["pending", "sending"]),
                name="submission_due",
            ),
            models.Index(
                fields=["expires_at"],
                condition=models.Q(state="held"),
                name="submission_expiring",
            ),
            models.Index(
                fields=["finished_at"],
                condition=models.Q(state="sent"),
                name="submission_sent",
            ),
            models.Index(
                fields=["workspace", "finished_at", "account", "proposed_by", "state"],
                condition=models.Q(state="sent"),
                name="submission_sent_counted",
            ),
            models.Index(
                fields=["finished_at"],
                condition=models.Q(state="sent", filed_at=None),
                name="submission_to_file",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} ({self.state})"

    @property
    def message_public_id(self) -> str:
        """The id of the message this becomes, the same before and after it was sent."""
        return ids.encode("msg", 1, self.pk)

    @property
    def copy_says_otherwise(self) -> bool:
        """Whether the provider's copy has other words, files, authors or recipients than sealed."""
        found = self.copy_differences.reasons if self.copy_differences else ()
        named = (str(dict(one.params).get("names", "")).split(", ") for one in found)
        names = {name for some in named for name in some}
        return not _OTHER_WORDS.isdisjoint(one.code for one in found) or bool(names & _OTHER_FIELDS)

    @property
    def awaits_login(self) -> bool:
        """Whether it would have left, were the account's login not refused."""
        return self.waits_since is not None and self.state == SubmissionState.PENDING

    def waits_until(self, since: datetime) -> datetime:
        """Return how long it waits for a login that works: to its expiry, a day at the least."""
        return max(self.expires_at, since + LEAST_WAIT)

    @property
    def mime_bytes(self) -> bytes:
        """The sealed bytes, whichever type the database hands out."""
        content: Any = self.mime
        return bytes(content)
