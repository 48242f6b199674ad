"""Forms of an agent and its tokens."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.admin.agent_presets import CUSTOM, PresetField, scopes_of
from agents.models import Agent, Grant
from agents.operations.agents import create_agent, known_scopes, operations_behind
from inbox.admin.forms import OperationForm
from inbox.errors import DomainError
from inbox.models import Account, Inbox

_DAY: dict[str, Any] = {"type": "date", "aria-label": _("Day on which the token expires")}
_TIME: dict[str, Any] = {"type": "time", "aria-label": _("Time at which the token expires")}


class ScopesField(forms.MultipleChoiceField):
    """What a token may do; reading is chosen to begin with."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Scopes"),
            choices=lambda: [(scope, scope) for scope in known_scopes()],
            widget=forms.CheckboxSelectMultiple,
            initial=lambda: [scope for scope in known_scopes() if scope.endswith(":read")],
            required=False,
        )


class ToolsField(forms.CharField):
    """The names of the only tools that a token is for; none: all that its scopes open."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Only these tools"),
            required=False,
            help_text=_(
                "Names such as list_threads, separated by spaces. If empty, every tool that its "
                "scopes allow."
            ),
            widget=forms.TextInput(
                attrs={"autocomplete": "off", "spellcheck": "false", "size": 60}
            ),
        )

    def clean(self, value: Any) -> list[str]:
        """Return the operations behind the names; one that no tool has is refused."""
        names = super().clean(value).replace(",", " ").split()
        try:
            return operations_behind(names)
        except DomainError as error:
            raise forms.ValidationError(str(error.message)) from error


class ScopedForm(forms.Form):
    """What a token may do: by a preset, or scope by scope."""

    def clean(self) -> dict[str, Any]:
        """Have the scopes be those of the preset; none at all is refused."""
        given = super().clean() or {}
        given["scopes"] = scopes_of(given.pop("preset", CUSTOM), given.get("scopes", ()))
        if not given["scopes"] and "scopes" not in self.errors:
            self.add_error("scopes", _("Choose what it can do."))
        return given


class AgentForm(ScopedForm, OperationForm):
    """A new agent with its first token, which the page after it shows once."""

    inboxes = forms.ModelMultipleChoiceField(
        Inbox.objects.none(), label=_("Inboxes"), widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_("You can skip this for now and grant accounts on its page later."),
    )  # fmt: skip
    preset = PresetField()
    scopes = ScopesField()
    tools = ToolsField()
    expires_at = forms.SplitDateTimeField(
        required=False, label=_("Token expires"), help_text=_("If empty, it does not expire."),
        widget=forms.SplitDateTimeWidget(
            date_attrs=_DAY, time_attrs=_TIME,
        ),
    )  # fmt: skip
    token_text = ""

    class Meta:
        model = Agent
        fields = ("workspace", "name", "description")

    def perform(self) -> Agent:
        """Make the agent, and keep the text of its token for the answer."""
        given = self.cleaned_data
        agent, self.token_text = create_agent(
            workspace=self.workspace, name=given["name"], scopes=given["scopes"],
            inboxes=given["inboxes"], tools=given["tools"], expires_at=given["expires_at"],
            created_by=self.created_by,
        )  # fmt: skip
        if given["description"]:
            agent.description = given["description"]
            agent.save(update_fields=["description"])
        return agent

    created_by: Any = None


class AgentChangeForm(OperationForm):
    """What may change of an agent: what it says of itself, and the accounts it works with."""

    accounts = forms.ModelMultipleChoiceField(
        Account.objects.none(),
        label=_("Accounts"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    class Meta:
        model = Agent
        fields = ("description",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        agent = self.instance
        accounts = self.fields.get("accounts")
        if agent.pk and isinstance(accounts, forms.ModelMultipleChoiceField):
            accounts.queryset = Account.objects.filter(workspace_id=agent.workspace_id)
            accounts.initial = list(agent.grants.values_list("account_id", flat=True))

    def perform(self) -> Agent:
        """Save the description and exactly these grants."""
        agent: Agent = self.instance
        agent.save(update_fields=["description"])
        wanted = {account.pk for account in self.cleaned_data["accounts"]}
        agent.grants.exclude(account_id__in=wanted).delete()
        held = set(agent.grants.values_list("account_id", flat=True))
        Grant.objects.bulk_create(
            Grant(agent=agent, account_id=key) for key in sorted(wanted - held)
        )
        return agent


class TokenForm(ScopedForm):
    """A new token for an agent."""

    preset = PresetField()
    scopes = ScopesField()
    tools = ToolsField()
    expires_at = forms.DateTimeField(
        required=False, label=_("Expires"), help_text=_("If empty, it does not expire."),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
    )  # fmt: skip
