"""Agents: their pages, made with a token shown once, granted accounts, paused and stopped."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.urls.resolvers import URLPattern
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from agents import receipts
from agents.admin import agent_queries, stop_page
from agents.admin.agent_forms import AgentChangeForm, AgentForm, TokenForm
from agents.admin.agent_scopes import explain_scopes
from agents.admin.connecting.clients import address_of, ready_lines
from agents.models import Agent, Token
from agents.operations.agents import create_token
from agents.operations.stopping import pause_agent, resume_agent
from agents.quotas.usage import read_usage
from agents.receipts import ReceiptEntry
from inbox.admin.base import OwnPageAdmin, WorkspaceAdmin
from inbox.admin.finding import first_or_404, let_decide, let_manage
from inbox.models import Inbox
from inbox.reasons import say
from inbox.templatetags.chancery import age, mail
from inbox.viewer import viewer_of


@admin.register(Agent)
class AgentRows(OwnPageAdmin):
    """Programs that act on people's behalf."""

    may_add = may_change = True
    change_form_template = "chancery/agents/settings.html"
    add_form_template = "chancery/agents/settings.html"
    list_display = ("name", "status", "description_line", "workspace", "made", "brake")
    list_select_related = ("workspace",)
    list_filter = ("status",)
    search_fields = ("name", "description")

    @admin.display(description=gettext_lazy("description"))
    def description_line(self, agent: Agent) -> SafeString:
        """What it says of itself."""
        return mail(agent.description, 120)

    @admin.display(description=gettext_lazy("created"), ordering="created_at")
    def made(self, agent: Agent) -> SafeString:
        """How long ago it was made."""
        return age(agent.created_at)

    def get_list_display(self, request: HttpRequest) -> Any:
        """Show the brake to those who decide."""
        shown = super().get_list_display(request)
        may_stop = viewer_of(request).may_decide()
        return shown if may_stop else [name for name in shown if name != "brake"]

    @admin.display(description=gettext_lazy("pause"))
    def brake(self, agent: Agent) -> SafeString:
        """The way to the page that stops all it proposed; only who decides gets there."""
        place = reverse("admin:agents_agent_stop", args=[agent.pk])
        return format_html('<a href="{}">{}</a>', place, _("Stop…"))

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A new one is asked for all; one that is there keeps its name."""
        if obj is None:
            return (
                "workspace", "name", "description", "inboxes", "preset", "scopes", "tools",
                "expires_at",
            )  # fmt: skip
        shown = ("name", "workspace", "status", "description")
        return (*shown, "accounts") if self.has_change_permission(request, obj) else shown

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Receipts name an agent, so its name stays; pausing has its own button."""
        return ("name", "workspace", "status") if obj else ()

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """Offer the inboxes of the workspaces that the person sets up."""
        if not self.has_change_permission(request, obj):
            kwargs["fields"] = ("description",)
            return super().get_form(request, obj, change, **kwargs)
        kwargs["form"] = AgentChangeForm if obj else AgentForm
        made = super().get_form(request, obj, change, **kwargs)
        if obj is None:
            managed = viewer_of(request).managed
            inboxes: Any = made.base_fields["inboxes"]
            inboxes.queryset = Inbox.objects.filter(workspace_id__in=managed)
            made.created_by = request.user  # type: ignore[attr-defined]
        return made

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Write the receipt; the form's operation has saved it, and may have made a token."""
        record_setting(request, obj, "change_agent" if change else "create_agent", {})
        request.__dict__["_new_token"] = getattr(form, "token_text", "")

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the token, this once; it stands in no cookie, log or address."""
        return self._show_token(request, obj, request.__dict__["_new_token"])

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        """Go back to the agent's page."""
        messages.success(request, _("Saved."))
        return self._back(obj)

    def page_of(self, request: HttpRequest, row: Agent) -> HttpResponse | None:
        """Show an agent's page; its settings have one of their own, and are saved here as well."""
        return None if request.method == "POST" else self._page(request, row)

    def settings(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Change what an agent says of itself, and the accounts it works with."""
        self._managed(request, pk)
        return self.changeform_view(request, str(pk), extra_context={"agent_pk": pk})

    def _page(self, request: HttpRequest, agent: Agent) -> HttpResponse:
        viewer = viewer_of(request)
        tokens = agent_queries.read_tokens(agent)
        live = [token for token in tokens if agent_queries.is_live(token)]
        waiting, more_wait = agent_queries.read_waiting(agent)
        days, older = agent_queries.read_calls(agent, request.GET.get("before", ""))
        context = {
            **self.admin_site.each_context(request),
            "title": agent.name,
            "agent": agent,
            "manages": viewer.may_manage(agent.workspace_id),
            "decides": viewer.may_decide(agent.workspace_id),
            "workspace_name": agent.workspace.name if viewer.has_several else "",
            "tokens": tokens,
            "live": live,
            "token_form": TokenForm(),
            "last_used": max(filter(None, (token.last_used_at for token in tokens)), default=None),
            "scopes": explain_scopes(scope for token in live for scope in token.scopes),
            "accounts": agent_queries.read_accounts(agent),
            "waiting": waiting,
            "more_wait": more_wait,
            "days": days,
            "older": older,
            "is_older": "before" in request.GET,
            "quotas": read_usage(viewer.actor, agent),
            "decided": agent_queries.read_decided(agent),
        }
        return TemplateResponse(request, "chancery/agents/agent.html", context)

    def get_urls(self) -> list[URLPattern]:
        """Add the actions, all by POST."""
        page = self.admin_site.admin_view
        return [
            path("<int:pk>/settings/", page(self.settings), name="agents_agent_settings"),
            path(
                "<int:pk>/stop/",
                page(require_http_methods(["GET", "HEAD", "POST"])(self.stop)),
                name="agents_agent_stop",
            ),
            path("<int:pk>/pause/", page(require_POST(self.pause)), name="agents_agent_pause"),
            path("<int:pk>/tokens/", page(require_POST(self.add_token)), name="agents_agent_token"),
            path(
                "<int:pk>/tokens/<int:token_pk>/revoke/",
                page(require_POST(self.revoke)),
                name="agents_agent_revoke",
            ),
            *super().get_urls(),
        ]

    def pause(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Keep an agent from acting, or let it act again; who decides may do either."""
        agent = self._decided(request, pk)
        person: Any = request.user
        if request.POST.get("to") == "paused":
            pause_agent(agent=agent, by=person)
            messages.success(request, _("%(name)s is paused.") % {"name": agent.name})
        else:
            resume_agent(agent=agent, by=person)
            messages.success(request, _("%(name)s is resumed.") % {"name": agent.name})
        return self._back(agent)

    def stop(self, request: HttpRequest, pk: int) -> HttpResponse:
        """List all that an agent has under way; by POST, end it."""
        agent = self._decided(request, pk)
        if request.method == "POST":
            return stop_page.stop(request, agent)
        return stop_page.confirm(request, agent, self.admin_site.each_context(request))

    def add_token(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Make another token and show it, this once."""
        agent = self._managed(request, pk)
        form = TokenForm(request.POST)
        if not form.is_valid():
            wrong = [str(said) for said in form.errors.get("tools", ())]
            general = _("Choose at least one scope and a valid expiry time.")
            messages.error(request, " ".join(wrong) or general)
            return self._back(agent)
        token, text = create_token(agent=agent, **form.cleaned_data)
        given: dict[str, Any] = {"token": token.hint, "scopes": token.scopes}
        if token.tools:
            given["tools"] = token.tools
        record_setting(request, agent, "create_token", given)
        return self._show_token(request, agent, text)

    def revoke(self, request: HttpRequest, pk: int, token_pk: int) -> HttpResponse:
        """End a token, at once and for good."""
        agent = self._managed(request, pk)
        live = Token.objects.filter(pk=token_pk, agent=agent, revoked_at=None)
        if live.update(revoked_at=timezone.now()):
            record_setting(request, agent, "revoke_token", {"token_id": token_pk})
            messages.success(request, _("The token is revoked."))
        return self._back(agent)

    def _managed(self, request: HttpRequest, pk: int) -> Agent:
        agent = self._seen(request, pk)
        let_manage(request, agent.workspace_id)
        return agent

    def _decided(self, request: HttpRequest, pk: int) -> Agent:
        agent = self._seen(request, pk)
        let_decide(request, agent.workspace_id)
        return agent

    def _seen(self, request: HttpRequest, pk: int) -> Agent:
        agent: Agent = first_or_404(self.get_queryset(request).filter(pk=pk), "agent")
        return agent

    def _back(self, agent: Agent) -> HttpResponse:
        return HttpResponseRedirect(reverse("admin:agents_agent_change", args=[agent.pk]))

    def _show_token(self, request: HttpRequest, agent: Agent, text: str) -> HttpResponse:
        address = address_of(request, agent, text)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Token for %(name)s") % {"name": agent.name},
            "agent": agent,
            "token_text": text,
            "address": address,
            "clients": ready_lines(address),
        }
        response = TemplateResponse(request, "chancery/agents/token.html", context)
        add_never_cache_headers(response)
        return response


def record_setting(
    request: HttpRequest, agent: Agent, tool: str, arguments: dict[str, Any]
) -> None:
    """Write the receipt of what a person set of an agent."""
    actor = viewer_of(request).actor.within(agent.workspace_id)
    receipts.record(
        actor,
        ReceiptEntry(
            tool=tool, arguments={"agent_id": agent.public_id, **arguments},
            reason=say("set_up_agent", person=actor.name, agent=agent.name),
        ),
    )  # fmt: skip


@admin.register(Token)
class TokenRows(WorkspaceAdmin):
    """Tokens of all agents: what they may do, and when they were used last."""

    list_display = ("hint", "agent", "scopes_line", "expires_at", "last_used_at", "revoked_at")
    list_select_related = ("agent",)
    ordering = ("-id",)
    fields = (
        "hint", "agent", "scopes", "tools", "created_at", "expires_at", "last_used_at", "revoked_at"
    )  # fmt: skip

    @admin.display(description=gettext_lazy("scopes"))
    def scopes_line(self, token: Token) -> SafeString:
        """What it may do."""
        return format_html("{}", ", ".join(token.scopes))
