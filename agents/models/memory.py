"""What an agent keeps in mind from one conversation to the next."""

from typing import ClassVar, Self

from django.db import models
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from inbox.actor import Actor
from inbox.models import Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class MemoryQuerySet(VisibleQuerySet["Memory"]):
    """Memories."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces; an agent sees its own that count now."""
        return self.saved_by(actor).counting() if actor.kind == "agent" else self.within(actor)

    def within(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces, whatever has become of them."""
        return super().visible_to(actor)

    def saved_by(self, agent: Actor) -> Self:
        """Keep what an agent saved and nobody deleted, and what waits for review too."""
        return self.within(agent).kept().filter(agent_id=agent.id)

    def counting(self) -> Self:
        """Keep what was reviewed, or needed no review, and is valid now."""
        now = timezone.now()
        begun = models.Q(valid_from=None) | models.Q(valid_from__lte=now)
        return self.filter(
            begun, models.Q(expires_at=None) | models.Q(expires_at__gt=now), waits=False
        )

    def kept(self) -> Self:
        """Leave out what was deleted."""
        return self.filter(deleted_at=None)


class Memory(PublicModel):
    """A text that an agent saved, which it alone finds again; people see it and may delete it."""

    ID_PREFIX = "mry"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    agent = models.ForeignKey(
        "Agent",
        models.CASCADE,
        related_name="memories",
        verbose_name=pgettext_lazy("field", "agent"),
    )
    content = models.TextField()
    # SHA-256 of the content in hex: the same again is the same memory.
    sha256 = models.CharField(max_length=64)
    # The words of the content as the index has them, with the agent's number as one of them.
    terms = models.TextField(editable=False)
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)
    # Whether it was made of a stranger's words and nobody has reviewed it: no agent recalls it.
    waits = models.BooleanField(pgettext_lazy("field", "waits for review"), db_default=False)
    # From when and until when it counts, as a person said who reviewed it.
    valid_from = models.DateTimeField(pgettext_lazy("field", "valid from"), null=True, blank=True)
    expires_at = models.DateTimeField(pgettext_lazy("field", "expires at"), null=True, blank=True)
    # When a person deleted it; it can be brought back until it is purged.
    deleted_at = models.DateTimeField(pgettext_lazy("field", "deleted at"), null=True, blank=True)

    objects = MemoryQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "memory")
        verbose_name_plural = pgettext_lazy("rows", "memories")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["agent", "sha256"],
                condition=models.Q(deleted_at__isnull=True),
                name="memory_once",
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["workspace", "-id"], name="memory_newest"),
            models.Index(fields=["agent", "-id"], name="memory_of_agent"),
            models.Index(
                fields=["deleted_at"],
                condition=models.Q(deleted_at__isnull=False),
                name="memory_deleted",
            ),
            models.Index(
                fields=["workspace", "-id"],
                condition=models.Q(waits=True, deleted_at__isnull=True),
                name="memory_waiting",
            ),
        ]

    def __str__(self) -> str:
        return self.content[:80]


class MemoryWord(models.Model):
    """A word that some memory of the agent has, for finding those written a little otherwise."""

    agent = models.ForeignKey("Agent", models.CASCADE, related_name="+")
    word = models.CharField(max_length=40)
    # Its first and last three characters: one of both stays where somebody mistypes.
    head = models.CharField(max_length=3)
    tail = models.CharField(max_length=3)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["agent", "word"], name="memory_word_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["agent", "head"], name="memory_word_head"),
            models.Index(fields=["agent", "tail"], name="memory_word_tail"),
        ]

    def __str__(self) -> str:
        return self.word


class MemoryVector(models.Model):
    """The meaning of a memory as a model on this machine sees it: a byte, signed, a dimension."""

    memory = models.OneToOneField(
        "Memory", models.CASCADE, primary_key=True, related_name="meaning"
    )
    # That of the memory, which never changes it.
    agent = models.ForeignKey("Agent", models.CASCADE, related_name="+", db_index=False)
    vector = models.BinaryField(max_length=1024)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["agent", "-memory"], name="memory_vector_newest")]

    def __str__(self) -> str:
        return f"vector of {self.memory_id}"
