"""The mirror of an account: how far it has come, how old it is, where each message lies."""

from typing import ClassVar

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models.base import VisibleQuerySet
from inbox.reasons.fields import FailureField, ShortFailureField


class MirrorEntryQuerySet(VisibleQuerySet["MirrorEntry"]):
    """Entries of the mirror."""

    account_path = "account_id"


class MirrorEntry(models.Model):
    """One thing that is asked for, such as a list of mail by its parameters.

    It holds no data: those are our own rows. It says when the provider was asked last, and counts.
    """

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    account = models.ForeignKey("Account", models.CASCADE, related_name="+")
    # `email_list:acc_…:3f0c…`: the resource, the account, and a digest or the row's id.
    name = models.CharField(max_length=200)
    resource = models.CharField(max_length=20)
    # How it was answered last: fresh, stale or miss.
    status = models.CharField(max_length=5)
    # When the provider was asked last; null once it was invalidated.
    cached_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField()
    bytes = models.PositiveBigIntegerField(default=0)
    hits = models.PositiveBigIntegerField(default=0)
    misses = models.PositiveBigIntegerField(default=0)

    objects = MirrorEntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "mirror entries"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["account", "name"], name="mirror_entry_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["account", "used_at"], name="mirror_entry_used"),
            models.Index(fields=["used_at"], name="mirror_entry_unused"),
        ]

    def __str__(self) -> str:
        return self.name


class SyncStatus(models.TextChoices):
    """How the mirror of an account does, as its page shows it."""

    NEW = "new", pgettext_lazy("choice", "New")
    FIRST = "first", pgettext_lazy("choice", "First")
    CURRENT = "current", pgettext_lazy("choice", "Current")
    WAITING = "waiting", pgettext_lazy("choice", "Waiting")
    THROTTLED = "throttled", pgettext_lazy("choice", "Throttled")
    LOGIN_REFUSED = "refused", pgettext_lazy("choice", "Login Refused")
    LOCKED = "locked", pgettext_lazy("choice", "Locked")
    FAILED = "failed", pgettext_lazy("choice", "Failed")
    PAUSED = "paused", pgettext_lazy("choice", "Paused")


class SyncStateQuerySet(VisibleQuerySet["SyncState"]):
    """States of mirrors."""

    account_path = "account_id"


class SyncState(models.Model):
    """How the mirror of an account stands; there is one for each account with mail elsewhere.

    Who holds `fence` until `leased_until` is the only one to sync the account.
    """

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    account = models.OneToOneField("Account", models.CASCADE, related_name="sync")
    status = models.CharField(max_length=9, choices=SyncStatus, default=SyncStatus.NEW)
    # What is wrong and what to do about it, for a person; empty where nothing is.
    words = FailureField(blank=True)
    # The server's own words behind it.
    reply = models.TextField(blank=True)
    # Of the first sync: how many messages lie there, and how many of them we have dealt with.
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    first_done_at = models.DateTimeField(null=True)
    # When our rows were last known to be as the server's.
    current_at = models.DateTimeField(null=True)
    # Failures since the last success; the pauses grow with it.
    failures = models.PositiveSmallIntegerField(default=0)
    # When it is looked at next, unless something asks for it earlier; null: not by itself.
    next_at = models.DateTimeField(null=True)
    # What the server can do, as `MailStore.features`, sorted.
    features = models.JSONField(default=list)
    fence = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True)
    # Who waits in IDLE for news of this account, and until when that holds.
    watch_fence = models.CharField(max_length=32, blank=True)
    watched_until = models.DateTimeField(null=True)

    objects = SyncStateQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["next_at"], condition=~models.Q(next_at=None), name="sync_state_due"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.account}: {self.status}"


class RemoteFolder(models.Model):
    """A mailbox at the provider and how far we have read it.

    `uidvalidity`, `uidnext`, `messages` and `highest_modseq` are the server's as of when our rows
    were complete; what lies below `read_down_to` is still to come in the first sync (newest first).
    """

    account = models.ForeignKey("Account", models.CASCADE, related_name="remote_folders")
    mailbox = models.OneToOneField("Mailbox", models.CASCADE, related_name="remote")
    name = models.CharField(max_length=1000)
    delimiter = models.CharField(max_length=4, blank=True)
    role = models.CharField(max_length=20, blank=True)
    uidvalidity = models.PositiveBigIntegerField(default=0)
    uidnext = models.PositiveBigIntegerField(default=0)
    messages = models.PositiveBigIntegerField(default=0)
    highest_modseq = models.PositiveBigIntegerField(null=True)
    # 1: everything was read; 0: not begun.
    read_down_to = models.PositiveBigIntegerField(default=0)
    # When all keywords were compared last, where the server does not say which ones changed.
    compared_at = models.DateTimeField(null=True)
    # How often in a row the connection was lost over the message to be fetched next.
    stuck = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["account", "name"], name="remote_folder_once")
        ]

    def __str__(self) -> str:
        return self.name


class RemoteMessage(models.Model):
    """A message where it lies at the provider: one row for each mailbox and UID.

    `keywords` are those the server had when we last heard of it: what differs from them there is
    news, and what differs in `message` was changed here and is to be told. Without a message it is
    one that we could not store (`problem` says why), or one to be removed there (`unwanted`).

    A UID has 32 bits. From FORMER on (FORMER and the row's key) it is that of a message which lay
    here before the folder's UIDVALIDITY changed, and that is still to be found again.
    """

    FORMER: ClassVar = 1 << 32

    folder = models.ForeignKey(RemoteFolder, models.CASCADE, related_name="contents")
    uid = models.PositiveBigIntegerField()
    message = models.ForeignKey("Message", models.SET_NULL, null=True, related_name="places")
    keywords = models.JSONField(default=list)
    # Something was changed here that the server has yet to be told.
    dirty = models.BooleanField(default=False)
    # Its message was removed here for good.
    unwanted = models.BooleanField(default=False)
    problem = ShortFailureField(max_length=500, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["folder", "uid"], name="remote_message_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["folder"], condition=models.Q(dirty=True), name="remote_dirty"),
            models.Index(fields=["folder"], condition=~models.Q(problem=""), name="remote_problem"),
        ]

    def __str__(self) -> str:
        return f"{self.folder} {self.uid}"
