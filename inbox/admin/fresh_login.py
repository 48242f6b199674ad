"""Asking anew who it is before an action that wants it fresh, with nothing lost by it.

Its view asks `is_fresh`, and answers with `ask_again` where it is not: a page that repeats what was
sent, beside a field for the password, and one for a code where a second factor is set up; a passkey
does in the place of both. Its form goes to the same address, so the action is done by one POST of
the person's own, or not at all; the server keeps nothing meanwhile, but what the passkey is asked.
"""

import json
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.mfa import app_settings as mfa_settings
from allauth.mfa.base.forms import ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from allauth.mfa.webauthn.forms import ReauthenticateWebAuthnForm
from allauth.mfa.webauthn.internal.auth import begin_authentication
from allauth.utils import get_form_class
from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables

_SESSION = "signed_in_freshly_at"
# The fields of the page's own form; all others are what was sent first.
_PASSWORD, _CODE, _BACK, _LOOKED = "again_password", "again_code", "again_back", "again_looked"
_PASSKEY = "again_credential"
_OWN = {_PASSWORD, _CODE, _PASSKEY, _BACK, _LOOKED, "csrfmiddlewaretoken"}
_REFUSAL = "_chancery_fresh_login_refusal"


@receiver(user_logged_in, dispatch_uid="inbox.fresh_login")
def note_sign_in(request: HttpRequest, **_: Any) -> None:
    """Remember in the session that who it is was just seen, by all that signing in asks for."""
    make_fresh(request)


def make_fresh(request: HttpRequest) -> None:
    """Remember that the person has just shown who they are."""
    request.session[_SESSION] = time.time()


def is_fresh(request: HttpRequest) -> bool:
    """Return True if the person showed who they are within `FRESH_MINUTES`, or does so just now.

    What came along from `ask_again` is tried here, at most once a request.
    """
    shown_at = request.session.get(_SESSION)
    age = time.time() - shown_at if isinstance(shown_at, float) else -1
    if 0 <= age < settings.FRESH_MINUTES * 60 and not went_back(request):
        return True
    if request.method != "POST" or went_back(request) or not _tries(request):
        return False
    if not hasattr(request, _REFUSAL):
        setattr(request, _REFUSAL, _refusal(request))
        if not getattr(request, _REFUSAL):
            make_fresh(request)
    return not getattr(request, _REFUSAL)


def went_back(request: HttpRequest) -> bool:
    """Return True if they went back from the question to the page before it, with nothing done."""
    return request.method == "POST" and _BACK in request.POST


def ask_again(request: HttpRequest, words: Any = "") -> HttpResponse:
    """Ask for all that signing in asks for, and then go on with what was sent.

    `words` say why, above the fields. Files that were sent along are not repeated.
    """
    kept = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name not in _OWN
    ]
    context = {
        **admin.site.each_context(request),
        "title": _("Confirm your identity"),
        "kept": kept,
        "words": words,
        "looked": request.method != "POST" or _LOOKED in request.POST,
        "has_code": _has_factor(request.user),
        "request_options": _passkey_options(request.user),
        "refusal": getattr(request, _REFUSAL, ""),
    }
    response = TemplateResponse(request, "chancery/sign_in/fresh_login.html", context)
    response["Cache-Control"] = "no-store"
    return response


def freshly(view: Callable[..., Any]) -> Callable[..., Any]:
    """Show a page, and let its form act, only to whoever has just shown who they are."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not is_fresh(request):
            return ask_again(request)
        if request.method == "POST" and _LOOKED in request.POST:
            return HttpResponseRedirect(request.get_full_path())
        return view(request, *args, **kwargs)

    return guarded


def _tries(request: HttpRequest) -> bool:
    return any(request.POST.get(name) for name in (_PASSWORD, _CODE, _PASSKEY))


def _has_factor(user: AbstractBaseUser | AnonymousUser) -> bool:
    return bool(is_mfa_enabled(user, [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]))


def _passkey_options(user: AbstractBaseUser | AnonymousUser) -> str:
    """Return what a browser needs to ask a passkey of this person; empty where they have none."""
    if not is_mfa_enabled(user, [Authenticator.Type.WEBAUTHN]):
        return ""
    return json.dumps(begin_authentication(user))


@sensitive_variables("password", "code")
def _refusal(request: HttpRequest) -> str:
    """Try what was typed; return why it does not do, or nothing. Too many tries are refused.

    A code counts once, so it is looked at only where the password is right.
    """
    if request.POST.get(_PASSKEY):
        return _refused_passkey(request)
    password, code = request.POST.get(_PASSWORD, ""), request.POST.get(_CODE, "")
    has_factor = _has_factor(request.user)
    if not password or (has_factor and not code):
        both = _("Enter both your password and a code. Nothing was changed.")
        return str(both if has_factor else _("Enter your password. Nothing was changed."))
    try:
        if not get_adapter(request).reauthenticate(request.user, password):
            return str(_("Wrong password. Nothing was changed."))
    except forms.ValidationError as error:
        return " ".join(error.messages)
    return _refused_code(request, code) if has_factor else ""


def _refused_passkey(request: HttpRequest) -> str:
    """Try a passkey, which asked its person for a finger or a PIN: it does alone."""
    form = ReauthenticateWebAuthnForm(
        user=request.user, data={"credential": request.POST[_PASSKEY]}
    )
    if not form.is_valid():
        return str(_("This passkey does not work here. Nothing was changed."))
    form.cleaned_data["credential"].record_usage()
    return ""


def _refused_code(request: HttpRequest, code: str) -> str:
    form_class = get_form_class(mfa_settings.FORMS, "reauthenticate", ReauthenticateForm)
    form = form_class(user=request.user, data={"code": code})
    if not form.is_valid():
        return " ".join(form.errors.get("code", []))
    form.authenticator.record_usage()
    return ""
