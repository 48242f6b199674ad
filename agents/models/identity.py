"""Agents, their tokens, the accounts they were granted, and the programs that were signed in."""

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.actor import Actor
from inbox.models import Account, Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class AgentStatus(models.TextChoices):
    """Whether an agent may act."""

    ACTIVE = "active", pgettext_lazy("choice", "Active")
    PAUSED = "paused", pgettext_lazy("choice", "Paused")


class AgentQuerySet(VisibleQuerySet["Agent"]):
    """Agents."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep the programs of the actor's workspaces; what stands in for a person is none."""
        return super().visible_to(actor).filter(person=None)


class Agent(PublicModel):
    """A program that acts in a workspace on people's behalf.

    One with a `person` stands in for that person, where they write themselves: it has no token and
    no grant, and is told of nowhere as an agent.
    """

    ID_PREFIX = "agt"

    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="agents",
        verbose_name=pgettext_lazy("field", "workspace"),
    )  # fmt: skip
    name = models.CharField(pgettext_lazy("field", "name"), max_length=100)
    description = models.TextField(pgettext_lazy("field", "description"), blank=True)
    status = models.CharField(
        pgettext_lazy("field", "status"), max_length=6, choices=AgentStatus,
        default=AgentStatus.ACTIVE,
    )  # fmt: skip
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = AgentQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "agent")
        verbose_name_plural = pgettext_lazy("rows", "agents")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "name"], name="agent_name_once"),
            models.UniqueConstraint(
                fields=["workspace", "person"],
                condition=models.Q(person__isnull=False),
                name="agent_of_person_once",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Token(PublicModel):
    """A bearer token of an agent; only its hash is kept."""

    ID_PREFIX = "tok"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    agent = models.ForeignKey(
        Agent, models.CASCADE, related_name="tokens", verbose_name=pgettext_lazy("field", "agent")
    )
    # SHA-256 in hex of the whole token: 32 random bytes need no slow hash.
    digest = models.CharField(max_length=64, unique=True)
    # Its first characters, to tell one from another.
    hint = models.CharField(pgettext_lazy("field", "hint"), max_length=16)
    # Like ["inbox:read", "comms:send"].
    scopes = models.JSONField(pgettext_lazy("field", "scopes"), default=list)
    # The only operations that it is for, like ["email_list"]; empty: all that its scopes open.
    tools = models.JSONField(pgettext_lazy("field", "tools"), default=list, blank=True)
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)
    expires_at = models.DateTimeField(pgettext_lazy("field", "expires at"), null=True, blank=True)
    # Of a client that signed in: the one address that it opens (RFC 8707), and until when its text
    # does; the client then renews it (`Connection`), and the row stays.
    audience = models.CharField(max_length=400, blank=True, default="", db_default="")
    renew_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(pgettext_lazy("field", "revoked at"), null=True, blank=True)
    last_used_at = models.DateTimeField(
        pgettext_lazy("field", "last used at"), null=True, blank=True
    )

    objects = VisibleQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "token")
        verbose_name_plural = pgettext_lazy("rows", "tokens")

    def __str__(self) -> str:
        return f"{self.hint}…"


class Grant(models.Model):
    """An account that an agent may work with."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="grants")
    account = models.ForeignKey(Account, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["agent", "account"], name="grant_once")
        ]

    def __str__(self) -> str:
        return f"{self.agent}: {self.account}"


class Connection(models.Model):
    """A program that a person signed in: what it was promised, and the token that it got for it.

    There is no token until the program has given the code that its person brought back. What is
    said of the program was said by itself; `host` alone is known, where its name is an address.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="connections")
    token = models.OneToOneField(
        Token, models.CASCADE, null=True, blank=True, related_name="connection"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    client_name = models.CharField(max_length=100, blank=True)
    host = models.CharField(max_length=255, blank=True)
    # The address that its token opens, and SHA-256 in hex of the code that it is had for, once.
    audience = models.CharField(max_length=400)
    code_digest = models.CharField(max_length=64, unique=True)
    # What the texts that renew the token have in common; one used twice ends them all.
    family = models.UUIDField(null=True, blank=True, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            # Promises that nobody claimed, for whoever clears them away.
            models.Index(
                fields=["created_at"], condition=models.Q(token=None), name="connection_unclaimed"
            )
        ]

    def __str__(self) -> str:
        return self.client_name or self.host
