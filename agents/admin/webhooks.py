"""Webhooks: made with a secret shown once, switched on and off; and what became of deliveries."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.urls.resolvers import URLPattern
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from agents.events.fact_titles import FACT_TITLES
from agents.events.payloads import FACTS
from agents.models import WebhookDelivery, WebhookEndpoint
from agents.operations.webhooks import endpoints
from agents.operations.webhooks.endpoints import change_webhook, create_webhook
from inbox.actor import Actor
from inbox.admin.base import WorkspaceAdmin
from inbox.admin.forms import OperationForm
from inbox.templatetags.chancery import age, mail
from inbox.viewer import viewer_of


def _deliveries(endpoint: WebhookEndpoint) -> QuerySet[WebhookDelivery]:
    rows = WebhookDelivery.objects.filter(workspace_id=endpoint.workspace_id, endpoint=endpoint)
    return rows.order_by("-id")


class WebhookForm(OperationForm):
    """Where a webhook leads and what it is told of; a new one's secret is shown once."""

    facts = forms.MultipleChoiceField(
        choices=[(fact, FACT_TITLES[fact]) for fact in FACTS],
        required=False,
        label=_("Events"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("If none is selected, you get every event."),
    )
    by: Actor
    secret_text = ""

    class Meta:
        model = WebhookEndpoint
        fields = ("workspace", "url", "description", "facts")
        labels = {"url": _("Address")}
        help_texts = {"url": _("https://… Each event is posted there as JSON.")}

    def perform(self) -> Any:
        """Save it, and keep the text of a new secret for the answer."""
        given, endpoint = self.cleaned_data, self.changed_row
        what = {name: given[name] for name in ("url", "facts", "description")}
        if endpoint is not None:
            change_webhook(endpoint=endpoint, by=self._actor(endpoint.workspace_id), **what)
            return endpoint
        workspace = self.workspace
        endpoint, self.secret_text = create_webhook(
            workspace=workspace, by=self._actor(workspace.pk), **what
        )
        return endpoint

    def _actor(self, workspace_id: int) -> Actor:
        return Actor(self.by.kind, self.by.id, self.by.name, (workspace_id,))


_SHOWN = 50


@admin.register(WebhookEndpoint)
class WebhookRows(WorkspaceAdmin):
    """Addresses that are told of events."""

    may_add = may_change = may_delete = True
    form = WebhookForm
    change_form_template = "chancery/agents/webhook.html"
    list_display = ("url_line", "state_line", "facts_line", "workspace", "made")
    list_select_related = ("workspace",)
    search_fields = ("url", "description")
    ordering = ("-id",)

    @admin.display(description=_("address"), ordering="url")
    def url_line(self, endpoint: WebhookEndpoint) -> SafeString:
        """Where it leads."""
        return mail(endpoint.url, 120)

    @admin.display(description=_("state"))
    def state_line(self, endpoint: WebhookEndpoint) -> str:
        """Whether it is told, and whether it answers."""
        if not endpoint.is_enabled:
            off, failed = gettext("turned off"), gettext("turned off after failures")
            return failed if endpoint.disabled_reason else off
        return gettext("failing") if endpoint.failing_since else gettext("on")

    @admin.display(description=_("events"))
    def facts_line(self, endpoint: WebhookEndpoint) -> str:
        """What it is told of."""
        told = [str(FACT_TITLES.get(fact, fact)) for fact in endpoint.facts]
        return ", ".join(told) or gettext("every event")

    @admin.display(description=_("created"), ordering="created_at")
    def made(self, endpoint: WebhookEndpoint) -> SafeString:
        """How long ago it was made."""
        return age(endpoint.created_at)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Whoever may not change it sees where it leads."""
        if obj is not None and not self.has_change_permission(request, obj):
            return ("workspace", "url", "description", "facts_line")
        return ("workspace", "url", "description", "facts")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """A row stays in its workspace."""
        return ("workspace", "facts_line") if obj else ()

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """Tell the form who acts."""
        made: Any = super().get_form(request, obj, change, **kwargs)
        made.by = viewer_of(request).actor
        return made

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Leave it: the form's operation has saved it."""
        request.__dict__["_new_secret"] = getattr(form, "secret_text", "")

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Remove it, with a receipt."""
        endpoints.remove_webhook(endpoint=obj, by=self._person(request, obj))

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What goes with it are its deliveries, which nobody removes by hand."""
        return [str(each) for each in objs], {}, set(), []

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the secret, this once; it stands in no cookie, log or address."""
        return self._show_secret(request, obj, request.__dict__["_new_secret"])

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show what became of the last deliveries below."""
        endpoint = self.get_object(request, object_id)
        extra: dict[str, Any] = {
            "endpoint": endpoint,
            "deliveries": _deliveries(endpoint)[:_SHOWN] if endpoint else (),
            "manages": endpoint and viewer_of(request).may_manage(endpoint.workspace_id),
        }
        return super().change_view(request, object_id, form_url, {**extra, **(extra_context or {})})

    def get_urls(self) -> list[URLPattern]:
        """Add the actions, all by POST."""
        page = self.admin_site.admin_view
        return [
            path("<int:pk>/rotate/", page(require_POST(self.rotate)), name="agents_webhook_rotate"),
            path("<int:pk>/switch/", page(require_POST(self.switch)), name="agents_webhook_switch"),
            *super().get_urls(),
        ]

    def rotate(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Make a new secret and show it, this once."""
        endpoint = self._managed(request, pk)
        secret = endpoints.rotate_secret(endpoint=endpoint, by=self._person(request, endpoint))
        return self._show_secret(request, endpoint, secret, rotated=True)

    def switch(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Tell it again, or no more."""
        endpoint = self._managed(request, pk)
        on = request.POST.get("to") == "on"
        endpoints.switch_webhook(endpoint=endpoint, by=self._person(request, endpoint), on=on)
        words = _("Turned on.") if on else _("Turned off.")
        messages.success(request, words)
        place = reverse("admin:agents_webhookendpoint_change", args=[endpoint.pk])
        return HttpResponseRedirect(place)

    def _managed(self, request: HttpRequest, pk: int) -> WebhookEndpoint:
        endpoint: WebhookEndpoint | None = self.get_queryset(request).filter(pk=pk).first()
        if endpoint is None:
            raise Http404("There is no such webhook.")
        if not viewer_of(request).may_manage(endpoint.workspace_id):
            raise PermissionDenied
        return endpoint

    def _person(self, request: HttpRequest, endpoint: WebhookEndpoint) -> Actor:
        return viewer_of(request).actor.within(endpoint.workspace_id)

    def _show_secret(
        self, request: HttpRequest, endpoint: WebhookEndpoint, secret: str, rotated: bool = False
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": _("Webhook secret"),
            "endpoint": endpoint,
            "secret_text": secret,
            "rotated": rotated,
        }
        return TemplateResponse(request, "chancery/agents/webhook_secret.html", context)
