"""What people enter to come in."""

from typing import Any

from allauth.account.forms import LoginForm
from django.utils.translation import gettext_lazy as _


class SignInForm(LoginForm):  # type: ignore[misc]
    """Name and password, under the names that Django's own page has."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name, password = self.fields["login"], self.fields["password"]
        name.label, password.label = _("Username"), _("Password")
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
