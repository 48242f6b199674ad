"""An agent by a preset, its token, shown once with lines to copy, and its first call."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from agents.admin.agent_presets import PRESETS, PresetField, preset_of, scopes_of
from agents.admin.agents import record_setting
from agents.admin.connecting.clients import address_of, ready_lines
from agents.models import Agent, Token
from agents.operations.agents import create_agent, create_token
from agents.operations.first_call import look_for_call
from agents.operations.setup.demo_agent import is_at_work, start_work
from agents.operations.setup.logins import AGENT
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Inbox, Workspace
from inbox.viewer import viewer_of
from project.first_run.set_up import SetUp, read_set_up
from project.first_run.showing import show_step


class NewAgentForm(forms.Form):
    """What it may do, and what people will know it by."""

    preset = PresetField(is_open=False)
    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=100, initial=AGENT,
        error_messages={"required": gettext_lazy("An agent needs a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )  # fmt: skip


def agent(request: HttpRequest) -> HttpResponse:
    """Ask what it may do; make it, and show its token."""
    set_up = read_set_up(request)
    if set_up.workspace is None:
        return HttpResponseRedirect(reverse("start-workspace"))
    form = NewAgentForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        token = _make(request, set_up.workspace, form)
        if token:
            return _show_call(request, read_set_up(request), token)
    actor = viewer_of(request).actor.within(set_up.workspace.pk)
    more = {
        "title": _("An agent"),
        "form": form,
        "inboxes": Inbox.objects.visible_to(actor).order_by("address"),
        "may_do": _preset_of(set_up.agent),
    }
    return show_step(request, "agent", set_up, more, is_refused=bool(form.errors))


@require_http_methods(["GET", "HEAD", "POST"])
def call(request: HttpRequest) -> HttpResponse:
    """Show how it connects, and whether it has called; make a new token, or start the demo's."""
    set_up = read_set_up(request)
    if set_up.agent is None:
        return HttpResponseRedirect(reverse("start-agent"))
    if request.method == "POST" and "work" in request.POST and set_up.is_demo:
        start_work(set_up.agent)
        return HttpResponseRedirect(reverse("start-call"))
    token = _renew(request, set_up.agent) if request.method == "POST" else ""
    return _show_call(request, set_up, token)


def _show_call(request: HttpRequest, set_up: SetUp, token: str) -> HttpResponse:
    found = set_up.agent
    if found is None:
        return HttpResponseRedirect(reverse("start-agent"))
    address = address_of(request, found, token)
    more = {
        "title": _("Connect %(name)s") % {"name": found.name},
        "token_text": token,
        "address": address,
        "clients": ready_lines(address),
        "seen": look_for_call(viewer_of(request).actor, found),
        "is_at_work": set_up.is_demo and is_at_work(found),
    }
    response = show_step(request, "call", set_up, more)
    add_never_cache_headers(response)
    return response


def _make(request: HttpRequest, workspace: Workspace, form: NewAgentForm) -> str:
    """Make the agent for all accounts of the workspace; return its token, empty where refused."""
    given: dict[str, Any] = form.cleaned_data
    actor = viewer_of(request).actor.within(workspace.pk)
    person = request.user if isinstance(request.user, User) else None
    try:
        with transaction.atomic():
            made, token = create_agent(
                workspace=workspace, name=given["name"], scopes=scopes_of(given["preset"], ()),
                inboxes=Inbox.objects.visible_to(actor), created_by=person,
            )  # fmt: skip
            record_setting(request, made, "create_agent", {})
    except DomainError as error:
        form.add_error("name", words_of(error))
        return ""
    return token


def _renew(request: HttpRequest, found: Agent) -> str:
    """Return a new token that may do what the newest may; those that were never used end."""
    with transaction.atomic():
        tokens = Token.objects.filter(agent=found)
        newest = tokens.order_by("-pk").first()
        scopes = newest.scopes if newest else PRESETS[0].scopes
        tokens.filter(last_used_at=None, revoked_at=None).update(revoked_at=timezone.now())
        token, text = create_token(agent=found, scopes=scopes)
        given = {"token": token.hint, "scopes": token.scopes}
        record_setting(request, found, "create_token", given)
    return text


def _preset_of(found: Agent | None) -> Any:
    """Return the name of what the newest token of an agent may do; None where it is no preset."""
    newest = Token.objects.filter(agent=found).order_by("-pk").first() if found else None
    preset = preset_of(newest.scopes) if newest else None
    return preset.name if preset else None
