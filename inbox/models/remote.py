"""The mirror of an account: how far it has come, how old it is, where each message lies."""

from typing import ClassVar, Self

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


class Synced(models.Model):
    """How something is kept in step with its provider, and when it is looked at next."""

    status = models.CharField(max_length=9, choices=SyncStatus, default=SyncStatus.NEW)
    # What is wrong and what to do about it, for a person; empty where nothing is.
    words = FailureField(blank=True)
    # The server's own words behind it.
    reply = models.TextField(blank=True)
    # Of the first sync: how many items lie there, and how many of them we have dealt with.
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
    fence = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class SyncStateQuerySet(VisibleQuerySet["SyncState"]):
    """States of mirrors."""

    account_path = "account_id"


class SyncState(Synced):
    """How the mirror of an account's mail stands; there is one for each with mail elsewhere.

    Who holds `fence` until `leased_until` is the only one to sync the account.
    """

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    account = models.OneToOneField("Account", models.CASCADE, related_name="sync")
    # What the server can do, as `MailStore.features` or `MailChangeStore.features`, sorted.
    features = models.JSONField(default=list)
    # As of when all changes were noted, where one change token stands for the whole account's mail
    # (`MailChanges.position`).
    position = models.TextField(blank=True)
    # When the provider was asked last as whom the account may send.
    identities_at = models.DateTimeField(null=True)
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

    By change tokens it has a `remote_id`, and a `position` where each mailbox has one of its own.
    The other columns are of IMAP: `uidvalidity`, `uidnext`, `messages` and `highest_modseq` are the
    server's as of when our rows were complete; what lies below `read_down_to` is still to come in
    the first sync (newest first).
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
    # The provider's id of it; null: it is known by its name (IMAP).
    remote_id = models.CharField(max_length=500, null=True)
    position = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["account", "name"], name="remote_folder_once"),
            models.UniqueConstraint(fields=["account", "remote_id"], name="remote_folder_id_once"),
        ]

    def __str__(self) -> str:
        return self.name


class RemoteMessageQuerySet(models.QuerySet["RemoteMessage"]):
    """Places of messages at providers."""

    def awaited(self) -> Self:
        """Keep those of messages that were listed by change tokens and are still to be read."""
        unread = self.filter(message=None, problem="", unwanted=False, remote_id__isnull=False)
        return unread.filter(submission=None)


class RemoteMessage(models.Model):
    """A message where it lies at the provider: one row for each mailbox and UID.

    `keywords` are those the server had when we last heard of it: what differs from them there is
    news, and what differs in `message` was changed here and is to be told. Without a message it is
    one that we could not store (`problem` says why), or one to be removed there (`unwanted`).

    By change tokens it has a `remote_id`, one for all of its rows, and `uid` is a number of our own
    that stands for it: a listing counts down from FIRST_NUMBER, what comes later up. Without a
    message, a problem or being unwanted it is still to be read, unless it is the draft by which a
    `submission` of ours leaves.

    A UID has 32 bits. From FORMER on (FORMER and the row's key) it is that of a message which lay
    here before the folder's UIDVALIDITY changed, and that is still to be found again.
    """

    FORMER: ClassVar = 1 << 32
    FIRST_NUMBER: ClassVar = 1 << 31

    folder = models.ForeignKey(RemoteFolder, models.CASCADE, related_name="contents")
    uid = models.PositiveBigIntegerField()
    message = models.ForeignKey("Message", models.SET_NULL, null=True, related_name="places")
    keywords = models.JSONField(default=list)
    # Something was changed here that the server has yet to be told.
    dirty = models.BooleanField(default=False)
    # Its message was removed here for good.
    unwanted = models.BooleanField(default=False)
    problem = ShortFailureField(max_length=500, blank=True)
    # The provider's id of the message; null: it is known by its UID (IMAP).
    remote_id = models.CharField(max_length=500, null=True)
    # The provider was heard to have it there no more, or has yet to list it anew: to be asked.
    unlisted = models.BooleanField(default=False)
    # How often the connection was lost over it while it was fetched by its `remote_id`.
    losses = models.PositiveSmallIntegerField(default=0)
    # It is the draft by which this leaves, and is read once that is over.
    submission = models.ForeignKey(
        "Submission", models.SET_NULL, null=True, related_name="+", db_index=False
    )

    objects = RemoteMessageQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["folder", "uid"], name="remote_message_once"),
            # The ids first: they are looked for in all mailboxes of an account.
            models.UniqueConstraint(
                fields=["remote_id", "folder"],
                condition=models.Q(remote_id__isnull=False),
                name="remote_message_id_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["folder", "-uid"],
                condition=models.Q(
                    message=None, problem="", unwanted=False, remote_id__isnull=False
                ),
                name="remote_awaited",
            ),
            models.Index(
                fields=["folder"], condition=models.Q(unlisted=True), name="remote_unlisted"
            ),
            models.Index(fields=["folder"], condition=models.Q(dirty=True), name="remote_dirty"),
            models.Index(fields=["folder"], condition=~models.Q(problem=""), name="remote_problem"),
            models.Index(
                fields=["submission"],
                condition=models.Q(submission__isnull=False),
                name="remote_leaving",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.folder} {self.uid}"
