"""How an agent asks a person for an account: the device flow of RFC 8628."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models import Account, Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class FlowState(models.TextChoices):
    """Where a flow stands; each is decided once and answered once."""

    PENDING = "pending", pgettext_lazy("choice", "Pending")
    GRANTED = "granted", pgettext_lazy("choice", "Granted")
    DENIED = "denied", pgettext_lazy("choice", "Denied")
    USED = "used", pgettext_lazy("choice", "Used")  # the agent was told of the account


class DeviceFlow(PublicModel):
    """One request of an agent for an account, which a person grants or refuses by its code."""

    ID_PREFIX = "flw"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    agent = models.ForeignKey("Agent", models.CASCADE, related_name="+")
    # SHA-256 in hex of the device code: 32 random bytes need no slow hash.
    digest = models.CharField(max_length=64, unique=True)
    # What a person types (RFC 8628 6.1): eight consonants, without the dash.
    user_code = models.CharField(max_length=8, unique=True)
    state = models.CharField(max_length=7, choices=FlowState, default=FlowState.PENDING)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    account = models.ForeignKey(Account, models.CASCADE, null=True, related_name="+")
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["expires_at"], name="device_flow_expiring")]

    def __str__(self) -> str:
        return f"{self.agent} asks for an account"


class WrongCode(models.Model):
    """A code that somebody typed and that is none: too many and they have to wait."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["user", "at"], name="wrong_code_of_user")]

    def __str__(self) -> str:
        return f"{self.user_id} at {self.at}"
