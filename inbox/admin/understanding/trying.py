"""Trying what stands in the editor on past mail: the answer to its button, and nothing saved."""

from typing import Any

from django.http import HttpRequest

from inbox.ids import decode
from inbox.models import Inbox, Message, Workspace
from inbox.trials import Scope
from inbox.viewer import Viewer

DAYS = (7, 30, 90)


def scope_of(request: HttpRequest, viewer: Viewer, workspace: Workspace) -> Scope:
    """Return which past mail the person chose; what they may not see is not chosen."""
    days = request.POST.get("days", "")
    inbox = _inboxes(viewer, workspace).filter(pk=_number(request.POST.get("inbox", ""))).first()
    return Scope(
        actor=viewer.actor.within(workspace.pk), inbox_id=inbox.pk if inbox else None,
        days=int(days) if days in {str(each) for each in DAYS} else None,
    )  # fmt: skip


def inboxes_of(viewer: Viewer, workspace: Workspace | None) -> list[Inbox]:
    """Return the inboxes to choose from."""
    if workspace is None:
        return []
    return list(_inboxes(viewer, workspace).order_by("address")[:100])


def _inboxes(viewer: Viewer, workspace: Workspace) -> Any:
    return Inbox.objects.visible_to(viewer.actor.within(workspace.pk))


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def chosen_message(request: HttpRequest, scope: Scope) -> list[Message] | None:
    """Return the one message that was named by its id or address; None: none was named.

    The list is empty where there is no such message.
    """
    named = request.POST.get("message", "").strip().rstrip("/").rpartition("/")[2]
    named = named.rpartition("#")[2]
    if not named:
        return None
    if decode("msg", named) is None:
        return []
    rows = Message.objects.visible_to(scope.actor)
    return list(rows.with_public_id(named).select_related("thread")[:1])
