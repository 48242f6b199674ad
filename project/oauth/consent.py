"""The page on which a person lets a client in, as one of the agents that they answer for.

Who makes agents may let one in: owners. The request stands in the address, and is read anew when
the form below it is sent.
"""

from typing import Any

from allauth.core.internal import ratelimit
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from oauth2_provider.http import OAuth2ResponseRedirect

from agents.admin.agents import record_setting
from agents.models import Agent
from agents.operations.agents import create_bare_agent
from agents.operations.granting.connections import Promise
from inbox.admin.finding import person_of
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Inbox
from inbox.viewer import viewer_of
from project.oauth.asked import Asked, Unanswerable, Wrong, again, grant, read_asked, refuse
from project.oauth.forms import MOST_AGENTS, ConsentForm, asked_for
from project.oauth.redirects import as_source, place_of

# So many names are tried for a new agent before the person is left to find one.
_MOST_NAMES = 20


@require_http_methods(["GET", "HEAD", "POST"])
def authorize(request: HttpRequest) -> HttpResponse:
    """Say who asks for what; by POST, let it in or send it away."""
    if not viewer_of(request).managed:
        raise PermissionDenied
    limits: dict[str, Any] = {"app": "allauth.account", "action": "authorize_client"}
    if ratelimit.consume(request, user=request.user, limit_get=True, **limits) is None:
        return _show(request, "wrong", {"words": _("Too many tries. Wait a minute.")}, status=429)
    try:
        asked = read_asked(request)
    except Unanswerable as error:
        return _show(request, "wrong", {"words": str(error)}, status=400)
    except Wrong as error:
        # The person decides whether to go on: an address that nobody checked is theirs to trust.
        more = {"words": error.words, "back": error.back, "place": place_of(error.back)}
        return _show(request, "wrong", more, status=400)
    if request.method == "POST" and "allow" not in request.POST:
        return _leave(refuse(request, asked))
    workspace_id = _workspace_of(request)
    if workspace_id is None:
        return _choose_workspace(request, asked)
    return _consent(request, asked, workspace_id)


def _consent(request: HttpRequest, asked: Asked, workspace_id: int) -> HttpResponse:
    actor = viewer_of(request).actor.within(workspace_id)
    newest = Agent.objects.visible_to(actor).order_by("-pk")[:MOST_AGENTS]
    agents = list(newest.prefetch_related("grants__account"))
    inboxes = Inbox.objects.visible_to(actor).order_by("address")
    form = ConsentForm(
        request.POST if request.method == "POST" else None,
        agents=agents, inboxes=inboxes, initial=_initial(asked, agents, inboxes),
    )  # fmt: skip
    if request.method == "POST" and form.is_valid():
        back = _let_in(request, asked, form, workspace_id)
        if back:
            return _leave(back)
    more = {"asked": asked, "form": form, "agents": agents, "inboxes": inboxes}
    viewer = viewer_of(request)
    if viewer.has_several:
        more["workspace_name"] = viewer.names[workspace_id]
    response = _show(request, "consent", more, status=400 if form.errors else 200)
    # Where the browser goes from this form, once it was sent.
    response._csp_update = {"form-action": [as_source(asked.redirect_uri)]}  # type: ignore[attr-defined]
    return response


def _let_in(request: HttpRequest, asked: Asked, form: ConsentForm, workspace_id: int) -> str:
    """Make the agent, and the code for its client; return where that goes, empty where refused."""
    scopes = form.cleaned_data["scopes"]
    try:
        with transaction.atomic():
            agent = form.chosen or _make(request, form, workspace_id)
            promise = Promise(agent, person_of(request), asked.name, asked.host, asked.audience)
            told = {"client": asked.called, "address": asked.audience, "scopes": scopes}
            record_setting(request, agent, "connect_client", told)
            return grant(request, asked, scopes, promise)
    except DomainError as error:
        form.add_error("name", words_of(error))
        return ""


def _make(request: HttpRequest, form: ConsentForm, workspace_id: int) -> Agent:
    given = form.cleaned_data
    agent = create_bare_agent(
        workspace_id=workspace_id, name=given["name"], inboxes=given["inboxes"],
        created_by=person_of(request),
    )  # fmt: skip
    record_setting(request, agent, "create_agent", {})
    return agent


def _initial(asked: Asked, agents: list[Agent], inboxes: Any) -> dict[str, Any]:
    """Return what is proposed: a new agent of the client's name, and the inbox if there is one."""
    taken = {agent.name for agent in agents}
    names = [asked.called, *(f"{asked.called} {number}" for number in range(2, _MOST_NAMES))]
    first = list(inboxes[:2])
    return {
        "name": next((name for name in names if name not in taken), ""),
        "inboxes": first if len(first) == 1 else [],
        **asked_for(asked.scopes),
    }


def _workspace_of(request: HttpRequest) -> int | None:
    """Return the workspace that is meant; None where the person has several, and names none."""
    managed = viewer_of(request).managed
    named = request.GET.get("workspace", "")
    if named.isdecimal() and int(named) in managed:
        return int(named)
    return managed[0] if len(managed) == 1 else None


def _choose_workspace(request: HttpRequest, asked: Asked) -> HttpResponse:
    viewer = viewer_of(request)
    choices = [(viewer.names[key], again(request, workspace=str(key))) for key in viewer.managed]
    return _show(request, "workspaces", {"asked": asked, "choices": choices})


def _leave(back: str) -> HttpResponse:
    response: HttpResponse = OAuth2ResponseRedirect(back, [back.partition(":")[0]])
    return response


def _show(request: HttpRequest, page: str, more: dict[str, Any], status: int = 200) -> HttpResponse:
    asked = more.get("asked")
    title = _("Connect %(name)s") % {"name": asked.called} if asked else _("Connect a program")
    context = {**admin.site.each_context(request), "title": title, **more}
    return TemplateResponse(request, f"chancery/oauth/{page}.html", context, status=status)
