"""The pages of signing in and of the second factor: allauth's, as pages of this site."""

import json
from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.account.internal.stagekit import clear_login
from allauth.account.views import LoginView
from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.views import (
    DownloadRecoveryCodesView,
    GenerateRecoveryCodesView,
    ViewRecoveryCodesView,
)
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import PasswordChangeView
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext_lazy as _

from agents.operations.setup.codes import is_unowned
from inbox.onward import onward_of
from project.sign_in.oidc import provider_name
from project.sign_in.required_steps import forget_factor, forget_start_password, needs_factor


class OfThisSite:
    """Adds what every page of the admin knows."""

    title: Any = ""
    request: HttpRequest

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return the context, under the page's title."""
        context: dict[str, Any] = super().get_context_data(**kwargs)  # type: ignore[misc]
        return {**admin.site.each_context(self.request), "title": self.title, **context}


class SignIn(OfThisSite, LoginView):  # type: ignore[misc]
    """Name and password."""

    template_name = "account/login.html"
    title = _("Sign in")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Refuse whoever is signed in and has no business here; begin anew where that is asked."""
        if request.user.is_authenticated and not admin.site.has_permission(request):
            raise PermissionDenied
        if request.method != "POST" and is_unowned():
            return HttpResponseRedirect(reverse("start"))
        if "again" in request.POST:
            clear_login(request)
            return HttpResponseRedirect(request.path)
        answer: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say where a passkey was refused just before, and where else one may sign in."""
        context = super().get_context_data(**kwargs)
        elsewhere = provider_name() if settings.OIDC_ISSUER else ""
        return {
            **context,
            "is_refused": "refused" in self.request.GET,
            "elsewhere": elsewhere,
            "onward": context.get("redirect_field_value") or "",
        }


class EnterCode(OfThisSite, AuthenticateView):  # type: ignore[misc]
    """The second factor, after the password: a code or a passkey."""

    template_name = "mfa/authenticate.html"
    title = _("Second step")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add what the browser needs to ask a passkey, for whoever has one."""
        context = super().get_context_data(**kwargs)
        types = set(
            Authenticator.objects.filter(user=self.stage.login.user).values_list("type", flat=True)
        )
        options = context["js_data"]["request_options"]
        has_passkey = Authenticator.Type.WEBAUTHN in types
        return {
            **context,
            "has_app": Authenticator.Type.TOTP in types,
            "request_options": json.dumps(options) if has_passkey else "",
        }


class SetUpApp(OfThisSite, ActivateTOTPView):  # type: ignore[misc]
    """A secret for an authenticator app, as a picture and as text."""

    template_name = "mfa/set_up.html"
    title = _("Set up two-step sign-in")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the secret in groups of four, which people can type."""
        context = super().get_context_data(**kwargs)
        secret = context["form"].secret
        groups = [secret[at : at + 4] for at in range(0, len(secret), 4)]
        return {**context, "groups": groups, "is_required": needs_factor(self.request.user)}

    def get_success_url(self) -> str:
        """Return where the recovery codes are, new ones or those that were there."""
        onward = onward_of(self.request)
        codes = reverse("mfa_view_recovery_codes")
        return f"{codes}?{urlencode({'next': onward})}" if onward else codes


class TurnOff(OfThisSite, DeactivateTOTPView):  # type: ignore[misc]
    """Going back to the password alone."""

    template_name = "mfa/turn_off.html"
    title = _("Turn off two-step sign-in")
    success_url = reverse_lazy("me")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say so where it would have to be set up again at once."""
        context = super().get_context_data(**kwargs)
        return {**context, "is_required": needs_factor(self.request.user)}

    def form_valid(self, form: Any) -> HttpResponse:
        """Turn it off."""
        forget_factor(self.request)
        answer: HttpResponse = super().form_valid(form)
        return answer


class ShowCodes(OfThisSite, ViewRecoveryCodesView):  # type: ignore[misc]
    """The recovery codes that were not used."""

    template_name = "mfa/recovery_codes.html"
    title = _("Recovery codes")


class NewCodes(OfThisSite, GenerateRecoveryCodesView):  # type: ignore[misc]
    """Ten new recovery codes in the place of the old."""

    template_name = "mfa/new_codes.html"
    title = _("New recovery codes")


class DownloadCodes(DownloadRecoveryCodesView):  # type: ignore[misc]
    """The codes as a text."""

    template_name = "mfa/recovery_codes.txt"


class NewPasswordForm(PasswordChangeForm):
    """The old password is tried as when signing in: too many wrong ones are refused unread."""

    def clean_old_password(self) -> str:
        """Take the right one only."""
        old: str = self.cleaned_data["old_password"]
        if not get_adapter().reauthenticate(self.user, old):
            code = "password_incorrect"
            raise ValidationError(self.error_messages[code], code=code)
        return old


class ChangePassword(OfThisSite, PasswordChangeView):
    """A new password, by whoever knows the old; it ends all other sessions."""

    form_class = NewPasswordForm
    template_name = "account/password_change.html"
    title = _("Change the password")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say where it is the first of their own."""
        context = super().get_context_data(**kwargs)
        return {**context, "is_first": self.request.session.get("has_start_password", False)}

    def form_valid(self, form: Any) -> HttpResponse:
        """Keep it, and go to the settings."""
        answer = super().form_valid(form)
        forget_start_password(self.request)
        return answer

    def get_success_url(self) -> str:
        """Return where to go on: the queue, for whoever has just come."""
        return reverse("queue" if self.request.session.get("has_start_password") else "me")
