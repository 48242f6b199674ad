"""What came back about mail that was sent: bounces, delays, automatic answers."""

from typing import ClassVar

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models.base import VisibleQuerySet


class ReportKind(models.TextChoices):
    """What a report says; `AWAY` is an automatic answer (RFC 3834), the others RFC 3464 2.3.3."""

    FAILED = "failed", pgettext_lazy("choice", "Failed")
    DELAYED = "delayed", pgettext_lazy("choice", "Delayed")
    DELIVERED = "delivered", pgettext_lazy("choice", "Delivered")
    RELAYED = "relayed", pgettext_lazy("choice", "Relayed")
    EXPANDED = "expanded", pgettext_lazy("choice", "Expanded")
    AWAY = "away", pgettext_lazy("choice", "Away")


class DeliveryReportQuerySet(VisibleQuerySet["DeliveryReport"]):
    """Reports."""

    account_path = "submission__account_id"


class DeliveryReport(models.Model):
    """What one message says of one recipient of a submission that it names by its Message-ID.

    Anybody who was sent the mail can write such a message: it is shown, and nothing follows of it.
    """

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    submission = models.ForeignKey("Submission", models.PROTECT, related_name="reports")
    # The message that says it; null once that was removed for good.
    message = models.ForeignKey("Message", models.SET_NULL, null=True, related_name="reports")
    kind = models.CharField(pgettext_lazy("field", "kind"), max_length=9, choices=ReportKind)
    # A bare address; empty where the report names none. Not always one that it was sent to.
    recipient = models.CharField(pgettext_lazy("field", "recipient"), max_length=320, blank=True)
    # An enhanced status code (RFC 3463), such as 5.1.1; empty where there is none.
    status = models.CharField(pgettext_lazy("field", "status"), max_length=11, blank=True)
    # What the other server said.
    words = models.TextField(pgettext_lazy("field", "words"), blank=True)
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)

    objects = DeliveryReportQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "delivery report")
        verbose_name_plural = pgettext_lazy("rows", "delivery reports")
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["message", "submission", "recipient"], name="delivery_report_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.recipient}"

    @property
    def was_sent_to(self) -> bool:
        """Whether the submission went to this very address."""
        sent_to = {address.lower() for address in self.submission.envelope_to}
        return self.recipient.lower() in sent_to
