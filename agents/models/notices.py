"""What each person wants to be told of, and what they were told."""

from datetime import time
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models import Activity, Workspace
from inbox.models.accounts import device_words
from inbox.reasons.fields import ShortFailureField


class NoticeKind(models.TextChoices):
    """What somebody is told of."""

    APPROVAL = "approval", pgettext_lazy("choice", "Approval")  # every proposal that waits
    FLAGGED = "flagged", pgettext_lazy("choice", "Flagged")  # only those with risk flags
    EXPIRING = "expiring", pgettext_lazy("choice", "Expiring")  # those that end soon, undecided
    # One that somebody has approved, for those who may be the second.
    SECOND = "second", pgettext_lazy("choice", "Second approval")
    URGENT = "urgent", pgettext_lazy("choice", "Urgent")  # surfaced activities of high urgency


class NoticeSettings(models.Model):
    """How a person wants to be told, of what, and when not."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="notice_settings"
    )
    language = models.CharField(max_length=10, default="en")
    # Names of NoticeKind.
    kinds = models.JSONField(default=list)
    # None: all of theirs.
    workspaces = models.ManyToManyField(Workspace, blank=True, related_name="+")
    by_mail = models.BooleanField(default=False)
    by_webhook = models.BooleanField(default=False)
    by_browser = models.BooleanField(default=False)
    mail_address = models.EmailField(max_length=254, blank=True)
    # Null until the code that was sent there came back.
    mail_confirmed_at = models.DateTimeField(null=True)
    # The code, encrypted by `inbox.accounts.credentials`, until when it counts, and how often it
    # was wrong so far.
    mail_code = models.BinaryField(null=True, editable=False)
    mail_code_sent_at = models.DateTimeField(null=True)
    mail_code_tries = models.PositiveSmallIntegerField(default=0)
    webhook_url = models.CharField(max_length=1000, blank=True)
    # Encrypted by `inbox.accounts.credentials`.
    webhook_secret = models.BinaryField(null=True, editable=False)
    # At most one bundle in so many minutes.
    every_minutes = models.PositiveSmallIntegerField(default=5)
    is_quiet = models.BooleanField(default=False)
    quiet_from = models.TimeField(default=time(20))
    quiet_to = models.TimeField(default=time(7))
    # The days on which quiet hours begin, Monday 0.
    quiet_days = models.JSONField(default=list)
    quiet_zone = models.CharField(max_length=64, default="UTC")
    # Whether what expires before the quiet hours end is told within them.
    tells_expiring = models.BooleanField(default=False)
    # When the last bundle was made; whoever makes the next sets it by compare-and-set.
    bundled_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "notice settings"

    def __str__(self) -> str:
        return f"notices of {self.user_id}"


class NoticeBundle(models.Model):
    """Some notices that are told together."""

    settings = models.ForeignKey(NoticeSettings, models.CASCADE, related_name="bundles")
    # Random; the Message-ID of its mail and the `webhook-id` come from it.
    key = models.CharField(max_length=32, unique=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["settings", "-id"], name="notice_bundle_newest"),
            models.Index(fields=["created_at"], name="notice_bundle_made"),
        ]

    def __str__(self) -> str:
        return self.key


class NoticeItem(models.Model):
    """One thing that a person wants to be told of, once."""

    settings = models.ForeignKey(NoticeSettings, models.CASCADE, related_name="items")
    kind = models.CharField(max_length=8, choices=NoticeKind)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    approval = models.ForeignKey("Approval", models.CASCADE, null=True, related_name="+")
    activity = models.ForeignKey(Activity, models.CASCADE, null=True, related_name="+")
    expires_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    bundle = models.ForeignKey(NoticeBundle, models.CASCADE, null=True, related_name="items")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["settings", "kind", "approval"], name="notice_of_approval_once"
            ),
            models.UniqueConstraint(
                fields=["settings", "kind", "activity"], name="notice_of_activity_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["settings", "created_at"],
                condition=models.Q(bundle=None),
                name="notice_to_bundle",
            ),
            models.Index(fields=["settings", "-id"], name="notice_newest"),
            models.Index(fields=["created_at"], name="notice_made"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.approval_id or self.activity_id}"


class NoticeWay(models.TextChoices):
    """How a bundle is told outside the page."""

    MAIL = "mail", pgettext_lazy("choice", "Mail")
    WEBHOOK = "webhook", pgettext_lazy("choice", "Webhook")
    PUSH = "push", pgettext_lazy("choice", "Push")


class NoticeState(models.TextChoices):
    """Where the telling of a bundle stands; `moot`: nothing of it waited any more."""

    PENDING = "pending", pgettext_lazy("choice", "Pending")
    SENT = "sent", pgettext_lazy("choice", "Sent")
    FAILED = "failed", pgettext_lazy("choice", "Failed")
    MOOT = "moot", pgettext_lazy("choice", "Moot")


class NoticeDelivery(models.Model):
    """A bundle on one of its ways, and what came of it."""

    bundle = models.ForeignKey(NoticeBundle, models.CASCADE, related_name="deliveries")
    way = models.CharField(max_length=7, choices=NoticeWay)
    state = models.CharField(max_length=7, choices=NoticeState, default=NoticeState.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    # How much it told of.
    count = models.PositiveIntegerField(default=0)
    # What the server said, or what went wrong.
    outcome = ShortFailureField(max_length=500, blank=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "notice deliveries"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["bundle", "way"], name="notice_delivery_once")
        ]

    def __str__(self) -> str:
        return f"{self.way} {self.state}"


class PushSubscription(models.Model):
    """A browser of somebody that is told though no page is open."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="push_subscriptions"
    )
    endpoint = models.CharField(max_length=1000)
    # SHA-256 of the endpoint.
    digest = models.CharField(max_length=64, unique=True)
    # The browser's public key and its secret, in base64url (RFC 8291 3.1, 3.2).
    key = models.CharField(max_length=100)
    auth = models.CharField(max_length=30)
    # Names of ours for what it is.
    software = models.CharField(max_length=20, blank=True)
    system = models.CharField(max_length=20, blank=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"a browser of {self.user_id}"

    @property
    def device(self) -> str:
        """What it is, in words."""
        return device_words(self.software, self.system)
