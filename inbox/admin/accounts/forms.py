"""Forms with which an account is found, reached and named; a credential goes in and stays in."""

from typing import Any

from django import forms
from django.conf import settings as django_settings
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from inbox.accounts.account_settings import INTERFACE, OF_SIGN_IN, SETTINGS, check_settings
from inbox.accounts.credentials import Secret, Tokens
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Account, Workspace
from inbox.operations.accounts.accounts import check_address
from inbox.operations.accounts.connecting import Credential
from inbox.providers.oauth import TOKEN
from inbox.providers.presets import PORTS, Preset, Protocol, preset_for, presets

BY_ADDRESS, BUILT_IN, BY_JMAP = "", "local", "jmap"
_SECURITIES = (("tls", "TLS"), ("starttls", "STARTTLS"), ("none", _("None (unencrypted)")))
# What the page does not offer: an operator sets it by `manage.py connect`, and it stays.
_OPERATORS = frozenset(
    {
        "imap_ca_file", "smtp_ca_file", "imap_timeout", "smtp_timeout", "smtp_answer_timeout",
        "imap_max_connections", "jmap_ca_file", "jmap_timeout",
    }
)  # fmt: skip


def add_refusal(form: forms.Form, error: DomainError) -> None:
    """Put what an operation refused at the field that it names."""
    form.add_error(error.field if error.field in form.fields else None, words_of(error))


class FindForm(forms.Form):
    """Whose account it is, and who serves it."""

    workspace = forms.ModelChoiceField(
        Workspace.objects.none(), empty_label=None, label=_("Workspace")
    )
    address = forms.CharField(max_length=254, label=_("Email address"))
    name = forms.CharField(max_length=200, required=False, label=_("Sender's name"))
    preset = forms.ChoiceField(required=False, label=_("Provider"))

    def __init__(self, workspace_ids: list[int], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The account of this address, where there is one.
        self.connected: Account | None = None
        rows = Workspace.objects.filter(pk__in=workspace_ids).order_by("name")
        self.fields["workspace"].queryset = rows  # type: ignore[attr-defined]
        self.fields["workspace"].initial = workspace_ids[0] if workspace_ids else None
        known = sorted(presets().values(), key=lambda preset: preset.title.lower())
        self.fields["preset"].choices = [  # type: ignore[attr-defined]
            (BY_ADDRESS, _("From the address")),
            *((preset.name, preset.title) for preset in known),
            (BY_JMAP, _("Another one, by JMAP")),
            (BUILT_IN, _("None. The mail stays on this server")),
        ]

    def clean_address(self) -> str:
        """Take an address as accounts have it."""
        try:
            return check_address(self.cleaned_data["address"])
        except DomainError as error:
            raise ValidationError(words_of(error)) from None

    def clean(self) -> dict[str, Any]:
        """Refuse what is connected already."""
        given = super().clean() or {}
        place = {name: given.get(name) for name in ("workspace", "address")}
        if all(place.values()):
            self.connected = Account.objects.filter(**place).first()
        if self.connected is not None:
            words = gettext("%(address)s is already connected.")
            self.add_error("address", words % {"address": given["address"]})
        return given

    @property
    def found(self) -> Preset | None:
        """The provider that was chosen, or is known by the address."""
        name = self.cleaned_data["preset"]
        return presets().get(name) if name else preset_for(self.cleaned_data["address"])


def _port(protocol: Protocol) -> forms.IntegerField:
    usual = ", ".join(str(port) for port in sorted(set(PORTS[protocol].values()), reverse=True))
    title = format_lazy(_("Usual: {ports}"), ports=usual)
    return forms.IntegerField(
        required=False, label=_("Port"), min_value=1, max_value=65535,
        widget=forms.NumberInput(attrs={"placeholder": _("default"), "title": title}),
    )  # fmt: skip


def _hidden(label: Any, longest: int = 16_384) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": "new-password", "spellcheck": "false"})
    return forms.CharField(
        required=False, label=label, strip=False, max_length=longest, widget=widget
    )


def _host(label: Any) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"})
    return forms.CharField(required=False, label=label, max_length=253, widget=widget)


class ConnectionForm(forms.Form):
    """How an account is reached and logged in to."""

    imap_host = _host(_("Reading (IMAP)"))
    imap_port = _port("imap")
    imap_security = forms.ChoiceField(choices=_SECURITIES, label=_("Security"))
    smtp_host = _host(_("Sending (SMTP)"))
    smtp_port = _port("smtp")
    smtp_security = forms.ChoiceField(choices=_SECURITIES, label=_("Security"))
    jmap_url = forms.CharField(
        required=False, max_length=1000, label=_("Both by JMAP, in place of these"),
        widget=forms.URLInput(
            attrs={"placeholder": "https://mail.example.org", "spellcheck": "false"}
        ),
    )  # fmt: skip
    sent_by_server = forms.BooleanField(
        required=False, label=_("The provider saves sent mail itself")
    )
    own_servers = forms.CharField(
        required=False, max_length=2000,
        label=_("The provider's own servers: domains and networks"),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )  # fmt: skip
    username = forms.CharField(required=False, max_length=320, label=_("User name"))
    auth = forms.ChoiceField(
        choices=[("password", _("Password")), ("oauth", _("OAuth token"))], widget=forms.RadioSelect
    )
    password = _hidden(_("Password"), 1000)
    refresh_token = _hidden(_("Refresh token"))
    access_token = _hidden(_("Access token"))
    client_secret = _hidden(_("Client secret"))
    oauth_token_url = forms.CharField(required=False, max_length=1000, label=_("Token address"))
    oauth_client_id = forms.CharField(required=False, max_length=500, label=_("Client id"))
    oauth_scope = forms.CharField(required=False, max_length=2000, label=_("Scope"))

    def __init__(self, *args: Any, kept: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """`kept` are the settings that stand; those that only operators set stay."""
        super().__init__(*args, **kwargs)
        self._kept = kept or {}
        self.settings: dict[str, Any] = {}

    def clean_password(self) -> str:
        """Take one line: a password is pasted with a line end at times."""
        password: str = self.cleaned_data["password"].strip("\r\n")
        if not password.isprintable():
            raise ValidationError(_("Use one line of visible characters."))
        return password

    def clean(self) -> dict[str, Any]:
        """Make settings of it, and refuse what cannot be one."""
        given = super().clean() or {}
        for name in ("refresh_token", "access_token", "client_secret"):
            text = given[name] = given.get(name, "").strip()
            if text and not TOKEN.fullmatch(text):
                self.add_error(
                    name, _("That is not a token: it contains a space or an invalid character.")
                )
        if not self.errors:
            try:
                self.settings = check_settings(self._typed(given), hosts=django_settings.MAIL_HOSTS)
            except DomainError as error:
                add_refusal(self, error)
        return given

    @property
    def credential(self) -> Credential | None:
        """What was typed, None where nothing was."""
        given = self.cleaned_data
        if given["auth"] == "oauth":
            access, refresh = Secret(given["access_token"]), Secret(given["refresh_token"])
            is_given = access or refresh
            return Tokens(access, refresh, Secret(given["client_secret"])) if is_given else None
        return Secret(given["password"]) if given["password"] else None

    def _typed(self, given: dict[str, Any]) -> dict[str, Any]:
        typed = {name: given.get(name) for name in SETTINGS if name in self.fields}
        if typed["jmap_url"]:
            typed |= {"imap_host": None, "smtp_host": None}
        for protocol, ports in PORTS.items():
            if not typed[f"{protocol}_host"]:
                typed |= {f"{protocol}_{name}": None for name in ("port", "security")}
            elif not typed[f"{protocol}_port"]:
                typed[f"{protocol}_port"] = ports[given[f"{protocol}_security"]]
        if given["auth"] != "oauth":
            typed |= {name: None for name in typed if name.startswith("oauth_")}
        stays = _OPERATORS | (set(OF_SIGN_IN) if self._is_same_sign_in(given) else set())
        if not typed["imap_host"] and not typed["jmap_url"]:
            # It is signed in to; a server that is typed in takes its place.
            stays |= set(INTERFACE)
        return {key: self._kept[key] for key in stays & self._kept.keys()} | typed

    def _is_same_sign_in(self, given: dict[str, Any]) -> bool:
        """Whether the tokens stay those that a person's sign-in left."""
        places = ("oauth_token_url", "oauth_client_id")
        is_same = all(given.get(name) == self._kept.get(name) for name in places)
        is_typed = given.get("refresh_token") or given.get("access_token")
        return given.get("auth") == "oauth" and is_same and not is_typed


class MailSettingsForm(forms.ModelForm):  # type: ignore[type-arg]
    """What an account's messages are, and how long they can be taken back."""

    undo_seconds = forms.IntegerField(
        min_value=0, max_value=32_767, label=_("Seconds to undo an approved message")
    )

    class Meta:
        model = Account
        fields = ("name", "undo_seconds", "authserv_id", "sends_notices")
        labels = {
            "name": _("Sender's name"),
            "authserv_id": _("Server whose sender checks (Authentication-Results) are used"),
            "sends_notices": _("Email notifications to people in this workspace from this account"),
        }
