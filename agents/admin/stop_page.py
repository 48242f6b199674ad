"""Stopping an agent: the page that lists all that would end, and the action."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.admin.agent_queries import in_lines, is_live, read_tokens
from agents.models import Agent
from agents.operations.stopping import (
    Stopped,
    approved_of,
    schedules_of,
    stop_agent,
    waiting_of,
)
from inbox.viewer import viewer_of


def confirm(request: HttpRequest, agent: Agent, frame: dict[str, Any]) -> HttpResponse:
    """Show all that would end, in full; nothing is done."""
    underway = in_lines(approved_of(agent))
    context = {
        **frame,
        "title": _("Stop %(name)s") % {"name": agent.name},
        "agent": agent,
        "waiting": in_lines(waiting_of(agent)),
        "mails": [one for one in underway if not one.is_leaving],
        "leaving": [one for one in underway if one.is_leaving],
        "schedules": list(schedules_of(agent)),
        "tokens": [token for token in read_tokens(agent) if is_live(token)],
        "manages": viewer_of(request).may_manage(agent.workspace_id),
    }
    return TemplateResponse(request, "chancery/agents/stop.html", context)


def stop(request: HttpRequest, agent: Agent) -> HttpResponse:
    """End it all, say exactly what was ended and what was not, and go back to the agent."""
    person: Any = request.user
    revoke = bool(request.POST.get("revoke")) and viewer_of(request).may_manage(agent.workspace_id)
    stopped = stop_agent(agent=agent, by=person, revoke=revoke)
    parts = list(_ended(stopped)) or [_("nothing was in progress")]
    said = {"name": agent.name, "what": ", ".join(parts)}
    messages.success(request, _("%(name)s is stopped: %(what)s.") % said)
    for words in _not_ended(stopped):
        messages.warning(request, words)
    return HttpResponseRedirect(reverse("admin:agents_agent_change", args=[agent.pk]))


def _ended(stopped: Stopped) -> Iterator[str]:
    if count := stopped.proposals:
        words = ngettext("%(count)d proposal rejected", "%(count)d proposals rejected", count)
        yield words % {"count": count}
    if count := stopped.mails:
        words = ngettext("%(count)d message undone", "%(count)d messages undone", count)
        yield words % {"count": count}
    if count := stopped.schedules:
        words = ngettext("%(count)d schedule canceled", "%(count)d schedules canceled", count)
        yield words % {"count": count}
    if count := stopped.tokens:
        words = ngettext("%(count)d token revoked", "%(count)d tokens revoked", count)
        yield words % {"count": count}


def _not_ended(stopped: Stopped) -> Iterator[str]:
    if count := stopped.leaving:
        words = ngettext(
            "%(count)d message is being sent and can no longer be stopped. If the server refuses "
            "it, it is not sent again.",
            "%(count)d messages are being sent and can no longer be stopped. If the server "
            "refuses them, they are not sent again.",
            count,
        )
        yield words % {"count": count}
    if count := stopped.gone:
        words = ngettext(
            "%(count)d message was sent, or failed, before it could be undone.",
            "%(count)d messages were sent, or failed, before they could be undone.",
            count,
        )
        yield words % {"count": count}
