"""Receipts and approvals, as lists to look things up in: nothing here can be changed."""

import json
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from agents.models import Approval, Receipt
from inbox.admin.base import WorkspaceAdmin
from inbox.admin.mail import ReadingAdmin, link
from inbox.templatetags.chancery import age, mail, until
from inbox.viewer import Viewer


def as_json(value: Any) -> SafeString:
    """Return stored JSON for people."""
    words = json.dumps(value, indent=2, ensure_ascii=False)
    return format_html('<pre class="kept">{}</pre>', words)


@admin.register(Approval)
class ApprovalRows(ReadingAdmin):
    """Calls that waited, or wait, for a person."""

    page = "review"
    ordering = ("-id",)
    list_display = ("tool_line", "agent", "state", "reason_line", "decided_by", "made", "ends")
    list_select_related = ("agent", "decided_by")
    list_filter = ("state", "tool")
    search_fields = ("agent__name", "tool", "reason")

    def visible(self, rows: QuerySet[Any], viewer: Viewer) -> QuerySet[Any]:
        """Keep the rows that this viewer may see."""
        return super().visible(rows, viewer)

    @admin.display(description="call", ordering="tool")
    def tool_line(self, approval: Approval) -> SafeString:
        """The tool, leading to the review."""
        return link("review", approval.public_id, approval.tool)

    @admin.display(description="why it waited")
    def reason_line(self, approval: Approval) -> SafeString:
        """The reason, cut."""
        return mail(approval.reason, 160)

    @admin.display(description="made", ordering="created_at")
    def made(self, approval: Approval) -> SafeString:
        """How long ago it was proposed."""
        return age(approval.created_at)

    @admin.display(description="time left", ordering="expires_at")
    def ends(self, approval: Approval) -> SafeString:
        """How long it still waits."""
        return until(approval.expires_at) if approval.state == "waiting" else SafeString("")


@admin.register(Receipt)
class ReceiptRows(WorkspaceAdmin):
    """Who did what, why, and what came of it; chained by hash."""

    list_display = (
        "seq_line",
        "tool",
        "who",
        "decision",
        "outcome",
        "reason_line",
        "opened",
    )
    list_display_links = ("tool",)
    list_filter = ("decision", "outcome")
    search_fields = ("tool", "actor_name", "approval", "actor")
    ordering = ("-id",)
    fields = (
        "seq_line", "tool", "who", "actor", "arguments_text", "arguments_sha256",
        "idempotency_key", "decision", "reason", "approval_link", "outcome", "error_code",
        "result_text", "opened_at", "closed_at", "prev_hash", "hash",
    )  # fmt: skip
    readonly_fields = ("seq_line", "who", "arguments_text", "approval_link", "result_text")

    @admin.display(description="no.", ordering="seq")
    def seq_line(self, receipt: Receipt) -> str:
        """Its place in the chain."""
        return "open" if receipt.seq is None else str(receipt.seq)

    @admin.display(description="who", ordering="actor_name")
    def who(self, receipt: Receipt) -> SafeString:
        """Whoever did it, by name."""
        return mail(receipt.actor_name, 80)

    @admin.display(description="why")
    def reason_line(self, receipt: Receipt) -> SafeString:
        """The reason, cut."""
        return mail(receipt.reason, 160)

    @admin.display(description="when", ordering="opened_at")
    def opened(self, receipt: Receipt) -> SafeString:
        """How long ago it was opened."""
        return age(receipt.opened_at)

    @admin.display(description="arguments")
    def arguments_text(self, receipt: Receipt) -> SafeString:
        """What was asked; long texts by their hash."""
        return as_json(receipt.arguments)

    @admin.display(description="result")
    def result_text(self, receipt: Receipt) -> SafeString:
        """What came back; long texts by their hash."""
        return as_json(receipt.result)

    @admin.display(description="approval")
    def approval_link(self, receipt: Receipt) -> SafeString:
        """The approval that it waits for or rests on."""
        if not receipt.approval.startswith("apr_"):
            return SafeString("none")
        place = reverse("review", args=[receipt.approval])
        return format_html('<a href="{}">{}</a>', place, receipt.approval)
