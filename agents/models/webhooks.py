"""Where we tell other programs of events, signed as Standard Webhooks are."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models import Workspace
from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.reasons import ReasonText, own
from inbox.reasons.fields import ShortFailureField, read_failure


class WebhookEndpoint(PublicModel):
    """An address that is told of the events of a workspace."""

    ID_PREFIX = "whk"

    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="+",
        verbose_name=pgettext_lazy("field", "workspace"),
    )  # fmt: skip
    url = models.CharField(pgettext_lazy("field", "url"), max_length=1000)
    description = models.CharField(
        pgettext_lazy("field", "description"), max_length=200, blank=True
    )
    # Names such as `approval.created`; empty: every event.
    facts = models.JSONField(pgettext_lazy("field", "facts"), default=list, blank=True)
    # Encrypted by `inbox.accounts.credentials`; the one before it still signs until
    # `previous_until`.
    secret = models.BinaryField(editable=False)
    previous_secret = models.BinaryField(null=True, editable=False)
    previous_until = models.DateTimeField(null=True)
    is_enabled = models.BooleanField(default=True)
    # When its failing began; null while it answers.
    failing_since = models.DateTimeField(null=True)
    # While it fails, nothing is sent to it before then.
    paused_until = models.DateTimeField(null=True)
    # Why we stopped telling it; empty where a person did, or it goes on.
    disabled_reason = ShortFailureField(max_length=500, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "webhook endpoint")
        verbose_name_plural = pgettext_lazy("rows", "webhook endpoints")

    def __str__(self) -> str:
        return self.url


class DeliveryState(models.TextChoices):
    """Where a delivery stands."""

    PENDING = "pending", pgettext_lazy("choice", "Pending")
    DELIVERED = "delivered", pgettext_lazy("choice", "Delivered")
    FAILED = "failed", pgettext_lazy("choice", "Failed")


class WebhookDelivery(PublicModel):
    """One event on its way to an endpoint; its public id is the `webhook-id` of every attempt."""

    ID_PREFIX = "whd"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    endpoint = models.ForeignKey(WebhookEndpoint, models.CASCADE, related_name="deliveries")
    fact = models.CharField(max_length=60)
    # {"type": …, "timestamp": …, "data": {…}}
    payload = models.JSONField()
    state = models.CharField(max_length=9, choices=DeliveryState, default=DeliveryState.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    next_try_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    # What the endpoint answered last: the HTTP status, and its words; or, without a status, the
    # reasons why there was no answer, as a column keeps them.
    last_status = models.PositiveSmallIntegerField(null=True)
    last_answer = models.TextField(blank=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "webhook deliveries"
        indexes: ClassVar = [
            models.Index(fields=["endpoint", "-id"], name="webhook_delivery_of"),
            models.Index(fields=["created_at"], name="webhook_delivery_made"),
        ]

    def __str__(self) -> str:
        return f"{self.fact} to {self.endpoint_id}"

    @property
    def answer(self) -> ReasonText:
        """What the endpoint said last, to the letter; or why it said nothing."""
        if self.last_status is not None:
            return own(self.last_answer)
        return read_failure(self.last_answer)
