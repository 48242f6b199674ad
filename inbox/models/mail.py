"""Mail as it was received and sent, and how it hangs together."""

from typing import Any, ClassVar, Self, TypeAlias

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox import ids
from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.models.inboxes import Mailbox

Address: TypeAlias = dict[str, str]  # {"name": …, "email": …}; name is left out when empty


class ThreadStatus(models.TextChoices):
    """Where a conversation stands."""

    OPEN = "open", pgettext_lazy("choice", "Open")
    CLOSED = "closed", pgettext_lazy("choice", "Closed")
    SNOOZED = "snoozed", pgettext_lazy("choice", "Snoozed")


class ThreadQuerySet(VisibleQuerySet["Thread"]):
    """Threads; one that was joined to another stays as a pointer, so that its id still resolves."""

    account_path = "inbox__account_id"

    def current(self) -> Self:
        """Leave out threads that were joined to another, or whose messages are all deleted."""
        return self.filter(merged_into=None, message_count__gt=0)


class Thread(PublicModel):
    """A conversation (RFC 8621 3)."""

    ID_PREFIX = "thr"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    inbox = models.ForeignKey(
        "Inbox",
        models.CASCADE,
        related_name="threads",
        verbose_name=pgettext_lazy("field", "inbox"),
    )
    subject = models.TextField(blank=True)
    status = models.CharField(
        pgettext_lazy("field", "status"), max_length=10, choices=ThreadStatus,
        default=ThreadStatus.OPEN,
    )  # fmt: skip
    snoozed_until = models.DateTimeField(null=True, blank=True)
    # The first twenty to write in it; Address objects, in order of appearance.
    participants = models.JSONField(default=list)
    message_count = models.PositiveIntegerField(pgettext_lazy("field", "message count"), default=0)
    last_message_at = models.DateTimeField()
    # The newest message's time, or later where status or labels were changed since.
    updated_at = models.DateTimeField()
    mailboxes = models.ManyToManyField(Mailbox, related_name="threads", blank=True)
    merged_into = models.ForeignKey(
        "self", models.CASCADE, null=True, blank=True, related_name="merged"
    )

    objects = ThreadQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "thread")
        verbose_name_plural = pgettext_lazy("rows", "threads")
        indexes: ClassVar = [
            models.Index(
                fields=["inbox", "-updated_at", "-id"],
                condition=models.Q(merged_into=None),
                name="thread_newest",
            ),
            models.Index(
                fields=["inbox", "status", "-updated_at", "-id"],
                condition=models.Q(merged_into=None),
                name="thread_status_newest",
            ),
            models.Index(
                fields=["workspace", "-updated_at", "-id"],
                condition=models.Q(merged_into=None),
                name="thread_of_workspace",
            ),
            models.Index(
                fields=["workspace", "last_message_at", "id"],
                condition=models.Q(merged_into=None),
                name="thread_by_last_message",
            ),
            models.Index(
                fields=["workspace", "message_count", "id"],
                condition=models.Q(merged_into=None),
                name="thread_by_length",
            ),
            # Those that wait for a time, by it.
            models.Index(
                fields=["snoozed_until"],
                condition=models.Q(snoozed_until__isnull=False),
                name="thread_snoozed",
            ),
        ]

    def __str__(self) -> str:
        return self.subject or "(no subject)"


class ThreadReference(models.Model):
    """Which thread a Message-ID belongs to, whether or not we hold that message."""

    inbox = models.ForeignKey("Inbox", models.CASCADE, related_name="+")
    # The first 16 bytes in hex of the SHA-256 of a Message-ID: some run to kilobytes.
    key = models.CharField(max_length=32)
    thread = models.ForeignKey(Thread, models.CASCADE, related_name="references")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["inbox", "key"], name="thread_reference_once")
        ]

    def __str__(self) -> str:
        return self.key


class Direction(models.TextChoices):
    """Which way a message went."""

    INBOUND = "inbound", pgettext_lazy("choice", "Inbound")
    OUTBOUND = "outbound", pgettext_lazy("choice", "Outbound")


class Authentication(models.TextChoices):
    """What the receiving server said of the sender (RFC 8601), as one word."""

    PASS = "pass", pgettext_lazy("choice", "Pass")
    FAIL = "fail", pgettext_lazy("choice", "Fail")
    NONE = "none", pgettext_lazy("choice", "None")


class Importance(models.TextChoices):
    """How pressing a message is to its reader."""

    LOW = "low", pgettext_lazy("choice", "Low")
    NORMAL = "normal", pgettext_lazy("choice", "Normal")
    HIGH = "high", pgettext_lazy("choice", "High")


class Inference(models.TextChoices):
    """Whether a message stands among those to look at, or beside them."""

    FOCUSED = "focused", pgettext_lazy("choice", "Focused")
    OTHER = "other", pgettext_lazy("choice", "Other")


class MessageQuerySet(VisibleQuerySet["Message"]):
    """Messages."""

    account_path = "inbox__account_id"

    def with_public_id(self, public_id: str) -> Self:
        """Keep the message of this id: `(0, key)` if received, `(1, submission)` if ours."""
        match ids.decode("msg", public_id):
            case (0, key):
                return self.filter(pk=key, submission=None)
            case (1, submission):
                return self.filter(submission_id=submission)
        return self.none()

    def kept(self) -> Self:
        """Leave out what was deleted."""
        return self.filter(deleted_at=None)


class Message(PublicModel):
    """A message (RFC 5322). What is dear to work out is worked out once, at the way in."""

    ID_PREFIX = "msg"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    inbox = models.ForeignKey(
        "Inbox",
        models.CASCADE,
        related_name="messages",
        verbose_name=pgettext_lazy("field", "inbox"),
    )
    thread = models.ForeignKey(Thread, models.CASCADE, related_name="messages")
    # The submission by which we sent it; its id is then computed from the submission's.
    submission = models.OneToOneField(
        "Submission", models.PROTECT, null=True, blank=True, related_name="message"
    )
    blob = models.ForeignKey("Blob", models.PROTECT, related_name="+")
    direction = models.CharField(
        pgettext_lazy("field", "direction"), max_length=8, choices=Direction
    )
    message_id_header = models.TextField(blank=True)
    # As ThreadReference.key; finds a message by its Message-ID.
    message_id_key = models.CharField(max_length=32, blank=True)
    # The subject without its Re:, hashed; finds what a reply that names no message may answer.
    subject_key = models.CharField(max_length=33, blank=True)
    # The Date header; None where there is none that can be read.
    sent_at = models.DateTimeField(null=True, blank=True)
    # When it reached a mailbox: topmost Received header, else Date, else the time of the import.
    received_at = models.DateTimeField()
    from_email = models.CharField(max_length=320, blank=True)
    from_name = models.TextField(blank=True)
    # Address objects, as many as the message names.
    to = models.JSONField(default=list)
    cc = models.JSONField(default=list)
    bcc = models.JSONField(default=list)
    reply_to = models.JSONField(default=list)
    subject = models.TextField(blank=True)
    snippet = models.CharField(max_length=240, blank=True)
    # Sorted JMAP keywords: $seen, $flagged, $answered, $draft, $forwarded, and free ones.
    keywords = models.JSONField(default=list)
    mailboxes = models.ManyToManyField(
        Mailbox, related_name="messages", blank=True, through="MessageMailbox"
    )
    importance = models.CharField(max_length=6, choices=Importance, default=Importance.NORMAL)
    inference = models.CharField(max_length=7, choices=Inference, default=Inference.FOCUSED)
    # What $flagged asks for and until when, each where it was said: "start", "due" and "completed",
    # as {"at": RFC 3339 in UTC, "zone": IANA time zone}. Completed, it is flagged no more.
    follow_up = models.JSONField(default=dict)
    size = models.PositiveBigIntegerField(default=0)
    has_attachments = models.BooleanField(default=False)
    list_id = models.CharField(max_length=255, blank=True)
    # Lower-case names to values of the headers the rules look at: list-unsubscribe, precedence, ….
    signals = models.JSONField(default=dict)
    authentication = models.CharField(
        pgettext_lazy("field", "authentication"), max_length=4, choices=Authentication,
        default=Authentication.NONE,
    )  # fmt: skip
    # {"spf": "pass", "dkim": "fail", "dmarc": "none", "authserv_id": …}; empty when not trusted.
    authentication_results = models.JSONField(default=dict)
    # What was odd about it, as codes: missing_from, many_from, bad_charset, hidden_text, ….
    anomalies = models.JSONField(default=list)
    language = models.CharField(max_length=8, blank=True)
    in_reply_to = models.TextField(blank=True)
    references = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    # Attachment names, and the words of scripts written without spaces; searched beside the text.
    search_extra = models.TextField(blank=True)
    # The long columns stand last, so that lists do not read them.
    new_text = models.TextField(blank=True)
    text = models.TextField(blank=True)
    html = models.TextField(blank=True)

    objects = MessageQuerySet.as_manager()

    LIST_DEFERRED: ClassVar = ("new_text", "text", "html", "search_extra", "references", "signals")

    class Meta:
        verbose_name = pgettext_lazy("rows", "message")
        verbose_name_plural = pgettext_lazy("rows", "messages")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["inbox", "blob"], name="message_content_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["thread", "received_at", "id"], name="message_in_thread"),
            models.Index(fields=["inbox", "-received_at", "-id"], name="message_newest"),
            models.Index(fields=["workspace", "-received_at", "-id"], name="message_of_workspace"),
            models.Index(fields=["workspace", "size", "id"], name="message_by_size"),
            models.Index(fields=["inbox", "message_id_key"], name="message_by_header"),
            models.Index(fields=["inbox", "from_email"], name="message_by_sender"),
            models.Index(fields=["inbox", "subject_key", "received_at"], name="message_by_subject"),
            models.Index(
                fields=["deleted_at"],
                condition=~models.Q(deleted_at=None),
                name="message_by_deletion",
            ),
        ]

    def __str__(self) -> str:
        return self.subject or "(no subject)"

    @property
    def public_id(self) -> str:
        """`msg_…`; that of a message we sent is the one its submission promised."""
        if self.submission_id is not None:
            return ids.encode("msg", 1, self.submission_id)
        return ids.encode("msg", 0, self.pk)

    @property
    def sender(self) -> Address:
        """The one sender, as an Address."""
        address = {"email": self.from_email}
        return {"name": self.from_name, **address} if self.from_name else address

    @property
    def readers(self) -> list[str]:
        """Who wrote it and to whom it went, by address in lower case, each once."""
        named = [self.sender, *self.to, *self.cc, *self.bcc]
        return list(dict.fromkeys(one["email"].lower() for one in named if one.get("email")))


class MessageMailbox(models.Model):
    """That a message is in a mailbox."""

    # No index of their own: those below begin with them.
    message = models.ForeignKey(Message, models.CASCADE, related_name="+", db_index=False)
    mailbox = models.ForeignKey(Mailbox, models.CASCADE, related_name="+", db_index=False)
    # The message's, kept by the database itself: the newest of a mailbox are read off an index.
    received_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        db_table = "inbox_message_mailboxes"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["message", "mailbox"], name="message_in_mailbox_once")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["mailbox", "-received_at", "-message"], name="message_newest_in_mailbox"
            )
        ]

    def __str__(self) -> str:
        return f"{self.message_id} in {self.mailbox_id}"


class AttachmentQuerySet(VisibleQuerySet["Attachment"]):
    """Attachments."""

    account_path = "message__inbox__account_id"


class Attachment(PublicModel):
    """A part of a message that is not its text. The name is data, never a path."""

    ID_PREFIX = "att"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    message = models.ForeignKey(Message, models.CASCADE, related_name="attachments")
    blob = models.ForeignKey("Blob", models.PROTECT, related_name="+")
    position = models.PositiveIntegerField()
    filename = models.TextField(blank=True)
    content_type = models.CharField(max_length=255)
    content_id = models.TextField(blank=True)
    inline = models.BooleanField(default=False)
    size = models.PositiveBigIntegerField()
    # That of the message, which never changes: the newest are found without looking at all.
    received_at = models.DateTimeField()

    objects = AttachmentQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["message", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["message", "position"], name="attachment_position_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["workspace", "received_at", "id"], name="attachment_by_time"),
            models.Index(fields=["workspace", "size", "id"], name="attachment_by_size"),
        ]

    def __str__(self) -> str:
        return self.filename or self.content_type


def as_address(email: str, name: str = "") -> dict[str, Any]:
    """Return an Address object."""
    return {"name": name, "email": email} if name else {"email": email}


class MessageVector(models.Model):
    """The meaning of a message as a model on this machine sees it: a byte, signed, a dimension."""

    message = models.OneToOneField(
        "Message", models.CASCADE, primary_key=True, related_name="meaning"
    )
    # That of the message, which never changes it.
    inbox = models.ForeignKey("Inbox", models.CASCADE, related_name="+", db_index=False)
    vector = models.BinaryField(max_length=1024)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["inbox", "-message"], name="vector_newest")]

    def __str__(self) -> str:
        return f"vector of {self.message_id}"


class AttachmentText(models.Model):
    """The words of an attachment, as far as they are read. One without words has no row."""

    attachment = models.OneToOneField(
        "Attachment", models.CASCADE, primary_key=True, related_name="said"
    )
    # Those of the attachment, which never change.
    message = models.ForeignKey("Message", models.CASCADE, related_name="+")
    inbox = models.ForeignKey("Inbox", models.CASCADE, related_name="+", db_index=False)
    # Other forms of its words, and the pairs of scripts written without spaces.
    search_extra = models.TextField(blank=True)
    text = models.TextField(blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["inbox", "-attachment"], name="attachment_text_newest")
        ]

    def __str__(self) -> str:
        return f"text of {self.attachment_id}"
