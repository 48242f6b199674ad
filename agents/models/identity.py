"""Agents, their tokens, and the accounts they were granted."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from inbox.models import Account, Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class AgentStatus(models.TextChoices):
    """Whether an agent may act."""

    ACTIVE = "active"
    PAUSED = "paused"


class Agent(PublicModel):
    """A program that acts in a workspace on people's behalf."""

    ID_PREFIX = "agt"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="agents")
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    status = models.CharField(max_length=6, choices=AgentStatus, default=AgentStatus.ACTIVE)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "name"], name="agent_name_once")
        ]

    def __str__(self) -> str:
        return self.name


class Token(PublicModel):
    """A bearer token of an agent; only its hash is kept."""

    ID_PREFIX = "tok"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="tokens")
    # SHA-256 in hex of the whole token: 32 random bytes need no slow hash.
    digest = models.CharField(max_length=64, unique=True)
    # Its first characters, to tell one from another.
    hint = models.CharField(max_length=16)
    # Like ["inbox:read", "comms:send"].
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    objects = VisibleQuerySet.as_manager()

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
