"""What the page of a thread offers to do with it."""

from typing import Any

from django import template
from django.http import HttpRequest
from django.utils import timezone

from agents.admin.queue.snooze import offered_snoozes
from inbox.models import Mailbox, Thread
from inbox.operations.mail.thread_changes import labels_of
from inbox.viewer import viewer_of, zone_of

register = template.Library()
# So many labels of the inbox are offered while one is typed.
_OFFERED = 200


@register.inclusion_tag("chancery/reading/thread_actions.html", takes_context=True)
def thread_actions(context: dict[str, Any], thread: Thread) -> dict[str, Any]:
    """Show where a thread stands, its labels, and, to whoever decides there, what changes them."""
    request = context["request"]
    shown = {"thread": thread, "labels": labels_of(thread), "csrf_token": context["csrf_token"]}
    if not isinstance(request, HttpRequest):
        return shown
    if not viewer_of(request).may_decide(thread.workspace_id):
        return shown
    labels = Mailbox.objects.filter(workspace_id=thread.workspace_id, inbox=thread.inbox_id)
    known = labels.filter(role="", remote=None)
    return {
        **shown,
        "may_decide": True,
        "snoozes": offered_snoozes(timezone.now(), zone_of(request)),
        "known": list(known.order_by("name").values_list("name", flat=True)[:_OFFERED]),
    }
