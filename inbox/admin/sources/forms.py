"""Forms with which a server is reached; a password or key goes in and stays in."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from inbox.accounts.credentials import Secret
from inbox.providers.declaration import Declaration, SettingField
from inbox.reasons.words import worded

# What a person types to sign in, by how one does.
_SECRETS = {"password": _("Password"), "key": _("API key")}
_HINTS = {
    "password": _(
        "An app password, if the provider has them. Stored encrypted and never shown again."
    ),
    "key": _("Made in the provider's settings. Stored encrypted and never shown again."),
}


def typed_secret(declared: Declaration) -> str:
    """Return what a person types to sign in, `password` or `key`; empty where that is nothing."""
    return next((way for way in declared.sign_in if way in _SECRETS), "")


class SourceForm(forms.Form):
    """What a provider's declaration asks for, and a name."""

    def __init__(self, declared: Declaration, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.declared = declared
        for one in declared.fields:
            self.fields[one.name] = _field(one)
        if way := typed_secret(declared):
            self.fields["password"] = _secret(way, required=False)
        self.fields["name"] = forms.CharField(required=False, max_length=200, label=_("Name"))
        self.fields["read_only"] = forms.BooleanField(
            required=False, label=_("Read-only: change nothing on the server")
        )

    def changed_to(self, settings: Mapping[str, Any]) -> "SourceForm":
        """Return the form with other settings, as valid as this one is."""
        form = SourceForm(self.declared, {**dict(self.data.items()), **settings})
        form.full_clean()
        return form

    @property
    def asked(self) -> list[forms.BoundField]:
        """The fields of the provider that everybody fills in, in its order."""
        return [self[one.name] for one in self.declared.fields if not one.is_rare]

    @property
    def rare(self) -> list[forms.BoundField]:
        """Those that most people leave empty."""
        return [self[one.name] for one in self.declared.fields if one.is_rare]

    @property
    def says_rare(self) -> bool:
        """Whether one of those is filled in, or is wrong."""
        return any(one.value() or one.errors for one in self.rare)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that were typed."""
        return {one.name: self.cleaned_data.get(one.name) or "" for one in self.declared.fields}

    @property
    def secret(self) -> Secret:
        """The password that was typed; empty where none was."""
        return Secret(self.cleaned_data.get("password") or "")


class PasswordForm(forms.Form):
    """Another password or key for a server."""

    def __init__(self, declared: Declaration | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        way = typed_secret(declared) if declared else ""
        self.fields["password"] = _secret(way or "password", required=True)


def _field(one: SettingField) -> forms.CharField:
    attributes = {"autocapitalize": "none", "spellcheck": "false"}
    if one.kind == "url":
        attributes["inputmode"] = "url"
    return forms.CharField(
        required=one.required, max_length=1000, label=worded(one.title),
        help_text=worded(one.help) if one.help else "", widget=forms.TextInput(attrs=attributes),
    )  # fmt: skip


def _secret(way: str, *, required: bool) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": "new-password", "spellcheck": "false"})
    return forms.CharField(
        required=required, max_length=1000, strip=way == "key", label=_SECRETS[way], widget=widget,
        help_text=_HINTS[way],
    )  # fmt: skip
