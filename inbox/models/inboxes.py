"""The addresses that we serve, and the folders of their mail."""

from typing import ClassVar

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models.base import PublicModel, VisibleQuerySet


class InboxStatus(models.TextChoices):
    """Whether an inbox takes part."""

    ACTIVE = "active", pgettext_lazy("choice", "Active")
    PAUSED = "paused", pgettext_lazy("choice", "Paused")


class InboxQuerySet(VisibleQuerySet["Inbox"]):
    """Inboxes."""

    account_path = "account_id"


class Inbox(PublicModel):
    """An address that we serve."""

    ID_PREFIX = "inb"

    workspace = models.ForeignKey(
        "Workspace", models.CASCADE, related_name="inboxes",
        verbose_name=pgettext_lazy("field", "workspace"),
    )  # fmt: skip
    account = models.ForeignKey(
        "Account", models.CASCADE, related_name="inboxes",
        verbose_name=pgettext_lazy("field", "account"),
    )  # fmt: skip
    address = models.EmailField(pgettext_lazy("field", "address"), max_length=254)
    status = models.CharField(
        pgettext_lazy("field", "status"), max_length=10, choices=InboxStatus,
        default=InboxStatus.ACTIVE,
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)

    objects = InboxQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "inbox")
        verbose_name_plural = pgettext_lazy("rows", "inboxes")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "address"], name="inbox_address_once")
        ]

    def __str__(self) -> str:
        return self.address


class MailboxQuerySet(VisibleQuerySet["Mailbox"]):
    """Mailboxes."""

    account_path = "inbox__account_id"


class Mailbox(PublicModel):
    """A folder or label of an inbox; `role` as in RFC 8621 2 (inbox, sent, drafts, junk, …)."""

    ID_PREFIX = "mbx"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    inbox = models.ForeignKey(Inbox, models.CASCADE, related_name="mailboxes")
    name = models.CharField(max_length=200)
    role = models.CharField(max_length=20, blank=True)

    objects = MailboxQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "mailboxes"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["inbox", "name"], name="mailbox_name_once"),
            models.UniqueConstraint(
                fields=["inbox", "role"], condition=~models.Q(role=""), name="mailbox_role_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name
