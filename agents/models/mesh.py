"""What agents share with each other: values under keys, and messages."""

import json
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from inbox.actor import Actor
from inbox.models import Activity, Workspace
from inbox.models.base import PublicModel, VisibleQuerySet

LONGEST_KEY = 200
LONGEST_THREAD = 100
# Before the name of a person where agents read who told them something.
PERSON_PREFIX = "person:"


class ContextQuerySet(VisibleQuerySet["ContextEntry"]):
    """Context entries."""

    def unexpired(self) -> Self:
        """Keep those whose time is not over."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()))

    def visible_to(self, actor: Actor) -> Self:
        """Keep the unexpired ones of the actor's workspaces; an agent sees those it may read."""
        rows = super().visible_to(actor).unexpired()
        if actor.kind != "agent":
            return rows
        listed = ContextSubscription.objects.filter(entry=OuterRef("pk"), agent_id=actor.id)
        return rows.filter(Q(is_open=True) | Q(author_id=actor.id) | Exists(listed))


class ContextEntry(PublicModel):
    """A JSON value that an agent shares under a key; it may end by itself."""

    ID_PREFIX = "ctx"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    key = models.CharField(pgettext_lazy("field", "key"), max_length=LONGEST_KEY)
    # The JSON text, not a JSON column: 1.0 stays 1.0, and fields keep their order.
    text = models.TextField()
    author = models.ForeignKey(
        "Agent", models.CASCADE, related_name="+", verbose_name=pgettext_lazy("field", "author")
    )
    # Whether every agent of the workspace may read it. Not "has no subscribers": the last of them
    # may be removed one day.
    is_open = models.BooleanField()
    subscribers: models.ManyToManyField[Any, Any] = models.ManyToManyField(
        "Agent", through="ContextSubscription", related_name="subscribed_contexts"
    )
    # Whole seconds, as it was asked for.
    ttl = models.PositiveIntegerField(pgettext_lazy("field", "ttl"), null=True, blank=True)
    expires_at = models.DateTimeField(pgettext_lazy("field", "expires at"), null=True, blank=True)
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)
    updated_at = models.DateTimeField(pgettext_lazy("field", "updated at"), auto_now=True)

    objects = ContextQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "context entry")
        verbose_name_plural = pgettext_lazy("rows", "contexts")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "key"], name="context_key_once")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["expires_at"],
                condition=models.Q(expires_at__isnull=False),
                name="context_expiring",
            ),
            models.Index(fields=["workspace", "updated_at", "id"], name="context_by_change"),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def value(self) -> Any:
        """The value, as it was pushed."""
        return json.loads(self.text)


class ContextSubscription(models.Model):
    """An agent that may read an entry which is not open to all."""

    entry = models.ForeignKey(ContextEntry, models.CASCADE, related_name="subscriptions")
    agent = models.ForeignKey("Agent", models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["entry", "agent"], name="subscription_once")
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} reads {self.entry_id}"


class WaitingContextQuerySet(VisibleQuerySet["WaitingContext"]):
    """Context values that wait for review."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces whose time is not over; agents see none."""
        rows = super().visible_to(actor)
        if actor.kind == "agent":
            return rows.none()
        return rows.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()))


class WaitingContext(PublicModel):
    """A value that an agent pushed after it was shown a stranger's words; nobody reads it yet.

    What stands under the key stays as it is until a person approves this.
    """

    ID_PREFIX = "ctw"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    key = models.CharField(pgettext_lazy("field", "key"), max_length=LONGEST_KEY)
    # As in a context entry.
    text = models.TextField()
    author = models.ForeignKey(
        "Agent", models.CASCADE, related_name="+", verbose_name=pgettext_lazy("field", "author")
    )
    # The keys of the agents that may read it; empty: every agent of the workspace.
    subscriber_ids = models.JSONField(default=list)
    ttl = models.PositiveIntegerField(pgettext_lazy("field", "ttl"), null=True, blank=True)
    expires_at = models.DateTimeField(pgettext_lazy("field", "expires at"), null=True, blank=True)
    # Public ids of what the agent had been shown, strangers' texts first.
    derived_from = models.JSONField(default=list)
    pushed_at = models.DateTimeField(pgettext_lazy("field", "pushed at"))

    objects = WaitingContextQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "waiting context")
        verbose_name_plural = pgettext_lazy("rows", "waiting contexts")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["author", "key"], name="waiting_context_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["workspace", "-pushed_at"], name="waiting_context_newest"),
            models.Index(
                fields=["expires_at"],
                condition=models.Q(expires_at__isnull=False),
                name="waiting_context_expiring",
            ),
        ]

    def __str__(self) -> str:
        return self.key


class MessageType(models.TextChoices):
    """What kind of message an agent sends another."""

    INFO = "info", pgettext_lazy("choice", "Info")
    TASK = "task", pgettext_lazy("choice", "Task")
    RESULT = "result", pgettext_lazy("choice", "Result")
    ERROR = "error", pgettext_lazy("choice", "Error")
    QUESTION = "question", pgettext_lazy("choice", "Question")


class MessagePriority(models.TextChoices):
    """How pressing it is."""

    LOW = "low", pgettext_lazy("choice", "Low")
    NORMAL = "normal", pgettext_lazy("choice", "Normal")
    HIGH = "high", pgettext_lazy("choice", "High")
    URGENT = "urgent", pgettext_lazy("choice", "Urgent")


class AgentMessageQuerySet(VisibleQuerySet["AgentMessage"]):
    """Messages between agents."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces; an agent sees what it sent or was sent."""
        rows = super().visible_to(actor)
        if actor.kind != "agent":
            return rows
        return rows.filter(Q(sender_id=actor.id) | Q(recipient_id=actor.id))


class AgentMessage(PublicModel):
    """What an agent is told by another, or by a person; it never leaves the house."""

    ID_PREFIX = "agm"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    # The agent that sent it; None where a person did.
    sender = models.ForeignKey("Agent", models.CASCADE, null=True, blank=True, related_name="+")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # The person's name, which outlives their account; empty where an agent sent it.
    person_name = models.CharField(max_length=150, blank=True)
    recipient = models.ForeignKey(
        "Agent", models.CASCADE, related_name="+", verbose_name=pgettext_lazy("field", "recipient")
    )
    text = models.TextField()
    type = models.CharField(
        pgettext_lazy("field", "type"), max_length=8, choices=MessageType, default=MessageType.INFO
    )
    priority = models.CharField(
        pgettext_lazy("field", "priority"), max_length=6, choices=MessagePriority,
        default=MessagePriority.NORMAL,
    )  # fmt: skip
    # What groups messages: an id that a sender chose, or one made here; empty: none.
    thread_id = models.CharField(
        pgettext_lazy("field", "thread id"), max_length=LONGEST_THREAD, blank=True
    )
    # The same for every recipient of one broadcast; else empty.
    broadcast_id = models.CharField(
        pgettext_lazy("field", "broadcast id"), max_length=80, blank=True
    )
    requires_confirmation = models.BooleanField(
        pgettext_lazy("field", "requires confirmation"), default=False
    )
    confirmed_at = models.DateTimeField(
        pgettext_lazy("field", "confirmed at"), null=True, blank=True
    )
    read_at = models.DateTimeField(pgettext_lazy("field", "read at"), null=True, blank=True)
    # The message whose reading this one confirms: once, whoever reads at the same time.
    confirms = models.OneToOneField(
        "self", models.CASCADE, null=True, blank=True, related_name="confirmation"
    )
    # What a person asks a draft for.
    activity = models.ForeignKey(
        Activity, models.SET_NULL, null=True, blank=True, related_name="+", db_index=False
    )
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)

    objects = AgentMessageQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "agent message")
        verbose_name_plural = pgettext_lazy("rows", "agent messages")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(sender__isnull=False, person_name="", person=None)
                | (models.Q(sender=None) & ~models.Q(person_name="")),
                name="agent_message_has_one_sender",
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["recipient", "-id"], name="agent_message_newest"),
            models.Index(
                fields=["recipient", "-id"],
                condition=models.Q(read_at__isnull=True),
                name="agent_message_unread",
            ),
            models.Index(fields=["workspace", "-id"], name="agent_message_of_workspace"),
            models.Index(
                fields=["activity", "-id"],
                condition=models.Q(activity__isnull=False),
                name="agent_message_of_activity",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sender_name} to {self.recipient}"

    @property
    def sender_name(self) -> str:
        """The agent's name; a person's as `person:rhea`, which no agent may be called."""
        return f"{PERSON_PREFIX}{self.person_name}" if self.sender is None else self.sender.name
