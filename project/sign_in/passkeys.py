"""Passkeys: made, removed, and signed in with; allauth's, as pages of this site."""

import json
from typing import Any

from allauth.account.models import Login
from allauth.account.utils import get_next_redirect_url
from allauth.mfa.adapter import get_adapter
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from allauth.mfa.webauthn.internal.auth import begin_registration
from allauth.mfa.webauthn.internal.flows import perform_passwordless_login
from allauth.mfa.webauthn.views import AddWebAuthnView, LoginWebAuthnView, RemoveWebAuthnView
from django import forms
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext_lazy as _

from project.sign_in.pages import OfThisSite
from project.sign_in.required_steps import forget_factor, needs_factor

LONGEST_NAME = 60


class AddPasskeyForm(AddWebAuthnForm):  # type: ignore[misc]
    """A name, and what the authenticator made; each passkey asks for a finger, a face or a PIN."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME, required=False)
    passwordless = None

    def clean(self) -> dict[str, Any]:
        """Take what was made for the question that was asked; anything else is refused in words."""
        try:
            given: dict[str, Any] = super().clean()
        except (ValueError, KeyError, TypeError) as error:
            raise get_adapter().validation_error("incorrect_code") from error
        return given


class AddPasskey(OfThisSite, AddWebAuthnView):  # type: ignore[misc]
    """A passkey for this person, kept by their device or key."""

    template_name = "mfa/add_passkey.html"
    title = _("Add a passkey")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Ask for one that opens without a password."""
        context = super().get_context_data(**kwargs)
        options = begin_registration(self.request.user, passwordless=True)
        return {
            **context,
            "creation_options": json.dumps(options),
            "is_required": needs_factor(self.request.user),
        }

    def get_success_url(self) -> str:
        """Return where to go on: to the recovery codes, if they are new."""
        codes = self.did_generate_recovery_codes
        return reverse("mfa_view_recovery_codes" if codes else "me")


class RemovePasskey(OfThisSite, RemoveWebAuthnView):  # type: ignore[misc]
    """A passkey that opens nothing any more."""

    template_name = "mfa/remove_passkey.html"
    title = _("Remove the passkey")
    success_url = reverse_lazy("me")

    def form_valid(self, form: Any) -> HttpResponse:
        """Remove it."""
        forget_factor(self.request)
        answer: HttpResponse = super().form_valid(form)
        return answer


class SignInByPasskey(LoginWebAuthnView):  # type: ignore[misc]
    """The passkey instead of name, password and code."""

    def form_valid(self, form: Any) -> HttpResponse:
        """Let its person in, to the page that was asked for."""
        authenticator = form.cleaned_data["credential"]
        login = Login(user=authenticator.user, redirect_url=get_next_redirect_url(self.request))
        answer: HttpResponse = perform_passwordless_login(self.request, authenticator, login)
        return answer

    def form_invalid(self, form: Any) -> HttpResponse:
        """Say no on the page of signing in."""
        return HttpResponseRedirect(f"{reverse('account_login')}?refused=yes")
