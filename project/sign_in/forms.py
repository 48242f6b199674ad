"""What people enter to come in."""

from typing import Any

from allauth.account.forms import LoginForm
from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa import app_settings
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.utils.translation import gettext_lazy as _


class SignInForm(LoginForm):  # type: ignore[misc]
    """Name and password, under the names that Django's own page has."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name, password = self.fields["login"], self.fields["password"]
        name.label, password.label = _("User name"), _("Password")
        password.help_text = ""
        for field in (name, password):
            field.widget.attrs.pop("placeholder", None)
        plain = {"autocapitalize": "none", "spellcheck": "false"}
        name.widget.attrs |= {"autocomplete": "username", **plain}
        if not self.is_bound:
            name.widget.attrs["autofocus"] = True

    def add_prefix(self, field_name: str) -> str:
        """Send the name as `username`."""
        return "username" if field_name == "login" else super().add_prefix(field_name)


class _Once:
    """A code that was taken is taken no more, for as long as clocks that differ let it count.

    allauth forgets it after one period, and takes the codes before and after the present one too.
    """

    def clean_code(self) -> str:
        """Take one that was not taken before."""
        code: str = super().clean_code()  # type: ignore[misc]
        form: Any = self
        if form.authenticator.type != Authenticator.Type.TOTP:
            return code
        key = f"sign_in.code_used:{form.user.pk}:{normalize_user_code(code)}"
        counts = app_settings.TOTP_PERIOD * (2 * app_settings.TOTP_TOLERANCE + 1)
        if not cache.add(key, "y", timeout=counts):
            raise get_adapter().validation_error("incorrect_code")
        return code


class CodeForm(_Once, AuthenticateForm):  # type: ignore[misc]
    """A code after the password."""


class CodeAgainForm(_Once, ReauthenticateForm):  # type: ignore[misc]
    """A code before an action that wants a fresh login."""
