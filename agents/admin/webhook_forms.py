"""Forms of webhooks."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.events.payloads import FACTS
from agents.models import WebhookEndpoint
from agents.operations.webhooks import change_webhook, create_webhook
from inbox.actor import Actor
from inbox.admin.forms import OperationForm


class WebhookForm(OperationForm):
    """Where a webhook leads and what it is told of; a new one's secret is shown once."""

    facts = forms.MultipleChoiceField(
        choices=[(fact, fact) for fact in FACTS],
        required=False,
        label=_("Events"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None chosen: every event."),
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
