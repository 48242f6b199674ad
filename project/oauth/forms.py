"""What a person decides of a client: which agent it acts as, its accounts, and what it may do."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from agents.admin.agent_forms import ScopedForm, ScopesField
from agents.admin.agent_presets import CUSTOM, PresetField, preset_of
from agents.admin.agent_scopes import words_of
from agents.models import Agent
from inbox.models import Inbox
from inbox.templatetags.chancery import mail

NEW = "new"
# More agents than these are not offered; a new one always is.
MOST_AGENTS = 50
# Of the addresses of an agent no more characters are shown.
_LONGEST_LINE = 200


class ConsentForm(ScopedForm):
    """A new agent with its accounts, or one that is there with those that it has."""

    agent = forms.ChoiceField(label=_("It acts as"), widget=forms.RadioSelect, initial=NEW)
    name = forms.CharField(
        label=_("Name"), max_length=100, required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )  # fmt: skip
    inboxes = forms.ModelMultipleChoiceField(
        Inbox.objects.none(), label=_("Inboxes"), widget=forms.CheckboxSelectMultiple,
        required=False,
    )  # fmt: skip
    preset = PresetField()
    scopes = ScopesField()

    def __init__(self, *args: Any, agents: Iterable[Agent], inboxes: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.agents = {str(agent.pk): agent for agent in agents}
        choice: Any = self.fields["agent"]
        choice.choices = [
            (NEW, _("a new agent")), *((key, _with_accounts(it)) for key, it in self.agents.items())
        ]  # fmt: skip
        shown: Any = self.fields["inboxes"]
        shown.queryset = inboxes
        scopes: Any = self.fields["scopes"]
        scopes.choices = [(key, _in_words(key)) for key, _label in scopes.choices]

    @property
    def chosen(self) -> Agent | None:
        """The agent that is there already; None for a new one."""
        return self.agents.get(self.cleaned_data["agent"])

    def clean(self) -> dict[str, Any]:
        """Ask for a name where there is to be a new one."""
        given = super().clean()
        if given.get("agent") == NEW and not given.get("name") and "name" not in self.errors:
            self.add_error("name", _("An agent needs a name."))
        return given


def _with_accounts(agent: Agent) -> SafeString:
    """Return an agent's name, and the addresses that it works with."""
    addresses = ", ".join(sorted(grant.account.address for grant in agent.grants.all()))
    words = mail(addresses or _("no account yet"), _LONGEST_LINE)
    return format_html('{} <span class="quiet">{}</span>', mail(agent.name, 100), words)


def _in_words(scope: str) -> SafeString:
    return format_html("{} <code>{}</code>", words_of(scope), scope)


def asked_for(scopes: Iterable[str]) -> dict[str, Any]:
    """Return what of the form stands for these scopes: the preset that they are, or each ticked."""
    preset = preset_of(scopes)
    return {"preset": preset.key if preset else CUSTOM, "scopes": list(scopes)}
