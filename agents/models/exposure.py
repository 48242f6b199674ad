"""What agents were shown, and where what they wrote came from."""

from typing import ClassVar, Self

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox import ids
from inbox.actor import Actor
from inbox.models import Workspace
from inbox.models.base import VisibleQuerySet


class Origin(models.TextChoices):
    """Whose words a text holds, by the least trusted of those who had a part in it.

    `owner` is one of us, `known` somebody whom we know, `agent` an agent that had read no
    stranger's words, and `system` Chancery itself.
    """

    OWNER = "owner", pgettext_lazy("origin", "Us")
    SYSTEM = "system", pgettext_lazy("origin", "Chancery")
    KNOWN = "known", pgettext_lazy("origin", "Somebody known")
    AGENT = "agent", pgettext_lazy("origin", "An agent")
    STRANGER = "stranger", pgettext_lazy("origin", "A stranger")


def public_id_of(kind: str, key: int) -> str:
    """Return the public id of a row; `sub` is a message of ours, by the submission it left as."""
    if kind in {"msg", "sub"}:
        return ids.encode("msg", int(kind == "sub"), key)
    return ids.encode(kind, key)


class ExposureQuerySet(VisibleQuerySet["Exposure"]):
    """Exposures."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces; an agent sees its own."""
        rows = super().visible_to(actor)
        return rows.filter(agent_id=actor.id) if actor.kind == "agent" else rows


class Exposure(models.Model):
    """A text that an answer showed to an agent, as it was judged soon after.

    `kind` and `object_id` say which, as for `public_id_of`. `via` is the public id of what was
    shown itself, where this one only had a part in it: a memory's source, a thread's message.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    agent = models.ForeignKey("Agent", models.CASCADE, related_name="+")
    receipt = models.ForeignKey("Receipt", models.PROTECT, related_name="+")
    kind = models.CharField(max_length=3)
    object_id = models.BigIntegerField()
    via = models.CharField(max_length=80, blank=True)
    origin = models.CharField(max_length=8, choices=Origin)
    # The address of who wrote it, or `agent:7`; empty: nobody is known to have.
    author = models.CharField(max_length=320, blank=True)
    # Who has read it, by their addresses; null: whoever has this workspace's accounts.
    readers = models.JSONField(null=True)
    # When it was shown.
    at = models.DateTimeField()

    objects = ExposureQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "exposure")
        verbose_name_plural = pgettext_lazy("rows", "exposures")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["receipt", "kind", "object_id"], name="exposure_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["agent", "-receipt"], name="exposure_of_agent"),
            models.Index(fields=["at"], name="exposure_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} to {self.agent_id}"

    @property
    def public_id(self) -> str:
        """The public id of what was shown."""
        return public_id_of(self.kind, self.object_id)


class Provenance(models.Model):
    """Where a text came from that an agent wrote: its origin, and what the agent had been shown.

    Its origin falls with the agent's next change to it, and only a person raises it: the database
    refuses every other way.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    # What was written, as for `public_id_of`.
    kind = models.CharField(max_length=3)
    object_id = models.BigIntegerField()
    origin = models.CharField(max_length=8, choices=Origin)
    # Actor.key of who wrote it last.
    author = models.CharField(max_length=40)
    # Public ids of what the agent had been shown, strangers' texts first.
    derived_from = models.JSONField(default=list)
    receipt = models.ForeignKey("Receipt", models.PROTECT, related_name="+")
    written_at = models.DateTimeField()
    # Actor.key of the person who raised the origin since it was written, with when; else empty.
    raised_by = models.CharField(max_length=40, default="", blank=True)
    raised_at = models.DateTimeField(null=True, blank=True)
    raise_receipt = models.ForeignKey(
        "Receipt", models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )

    objects = VisibleQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "provenance")
        verbose_name_plural = pgettext_lazy("rows", "provenances")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["kind", "object_id"], name="provenance_once")
        ]

    def __str__(self) -> str:
        return f"{self.public_id}: {self.origin}"

    @property
    def public_id(self) -> str:
        """The public id of what was written."""
        return public_id_of(self.kind, self.object_id)
