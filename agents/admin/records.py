"""Receipts and approvals, as lists to look things up in: nothing here can be changed."""

import json
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.admin.evidence.references import Reference, name_ids
from agents.admin.evidence.words import tool_in_words
from agents.admin.receipt_queries import ReceiptCriteria, in_rows, read_link, read_page
from agents.models import Agent, Approval, Receipt
from inbox.admin.base import OwnPageAdmin
from inbox.admin.messages.lists import ReadingAdmin, link
from inbox.models import Activity, Message, Thread
from inbox.templatetags.chancery import age, mail, until
from inbox.viewer import Viewer, viewer_of, zone_of


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

    @admin.display(description=gettext_lazy("call"), ordering="tool")
    def tool_line(self, approval: Approval) -> SafeString:
        """The tool, leading to the review."""
        return link("review", approval.public_id, tool_in_words(approval.tool))

    @admin.display(description=gettext_lazy("why it waited"))
    def reason_line(self, approval: Approval) -> SafeString:
        """The reason, cut."""
        return mail(approval.reason, 160)

    @admin.display(description=gettext_lazy("created"), ordering="created_at")
    def made(self, approval: Approval) -> SafeString:
        """How long ago it was proposed."""
        return age(approval.created_at)

    @admin.display(description=gettext_lazy("time left"), ordering="expires_at")
    def ends(self, approval: Approval) -> SafeString:
        """How long it still waits."""
        return until(approval.expires_at) if approval.state == "waiting" else SafeString("")


@admin.register(Receipt)
class ReceiptRows(OwnPageAdmin):
    """Who did what, why, and what came of it; chained by hash."""

    ordering = ("-id",)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """List them, the newest first, by what is looked for."""
        viewer = viewer_of(request)
        if not viewer.is_member(None):
            raise PermissionDenied
        wanted = ReceiptCriteria.from_query(request.GET)
        page = read_page(viewer, wanted, zone_of(request))
        context = {
            **self.admin_site.each_context(request),
            "title": _("Receipts"),
            "wanted": wanted,
            "page": page,
            "older_url": f"?{wanted.to_query(before=page.older)}" if page.older else "",
            "newest_url": f"?{wanted.to_query(before='')}" if wanted.before else "",
            "agents": Agent.objects.visible_to(viewer.actor).order_by("name")[:200],
        }
        return TemplateResponse(request, "chancery/agents/receipts.html", context)

    def page_of(self, request: HttpRequest, row: Receipt) -> HttpResponse | None:
        """Show one with its place in the chain."""
        if request.method not in {"GET", "HEAD"}:
            return None
        kind, _sign, key = row.actor.partition(":")
        context = {
            **self.admin_site.each_context(request),
            "title": tool_in_words(row.tool),
            "receipt": row,
            "arguments": in_rows(row.arguments),
            "result": in_rows(row.result),
            "link": read_link(row),
            "agent_pk": int(key) if kind == "agent" else None,
            "named": _places_named(viewer_of(request), row),
            "shown": _shown(viewer_of(request), row),
            "shown_more": max(len(row.shown or ()) - _MOST_SHOWN, 0),
        }
        return TemplateResponse(request, "chancery/agents/receipt.html", context)


def _places_named(viewer: Viewer, receipt: Receipt) -> list[tuple[str, str]]:
    """Return where what a receipt names is seen, as far as the viewer sees it: name and address."""
    named = [receipt.approval]
    for value in (receipt.arguments, receipt.result):
        if isinstance(value, dict):
            named += [one for one in value.values() if isinstance(one, str)]
    known = [one for one in dict.fromkeys(named) if one.partition("_")[0] in _PAGES]
    return [
        (public_id, reverse(_PAGES[public_id.partition("_")[0]][1], args=[public_id]))
        for public_id in known[:_MOST_PLACES]
        if _is_seen(viewer, public_id)
    ]


def _shown(viewer: Viewer, receipt: Receipt) -> list[Reference]:
    """Return what the answer showed to the agent, as far as the viewer sees it."""
    shown = (receipt.shown or ())[:_MOST_SHOWN]
    named = name_ids(viewer.actor.within(receipt.workspace_id), shown)
    return [named[one] for one in shown if one in named]


def _is_seen(viewer: Viewer, public_id: str) -> bool:
    model, _view = _PAGES[public_id.partition("_")[0]]
    rows: QuerySet[Any] = model.objects.visible_to(viewer.actor).with_public_id(public_id)
    return rows.exists()


# What has a page of its own, by the beginning of its id.
_PAGES: dict[str, tuple[Any, str]] = {
    "apr": (Approval, "review"),
    "act": (Activity, "activity"),
    "thr": (Thread, "thread"),
    "msg": (Message, "message"),
}
_MOST_PLACES, _MOST_SHOWN = 10, 50
