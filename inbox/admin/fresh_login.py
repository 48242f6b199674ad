"""Asking for the password again before a deed that wants it fresh, with nothing lost by it.

A view for a deed asks `is_fresh`, and answers with `ask_again` where it is not: a page that repeats
what was sent, beside a field for the password. Its form goes to the same address, so the deed is
done by one POST of the person's own, or not at all; the server keeps nothing meanwhile.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.mfa.base.forms import ReauthenticateForm
from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.conf import settings
from django.contrib import admin
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
_OWN = {_PASSWORD, _CODE, _BACK, _LOOKED, "csrfmiddlewaretoken"}
_REFUSAL = "_chancery_fresh_login_refusal"


@receiver(user_logged_in, dispatch_uid="inbox.fresh_login")
def note_sign_in(request: HttpRequest, **_: Any) -> None:
    """Remember in the session that who it is was just seen, by all that signing in asks for."""
    make_fresh(request)


def make_fresh(request: HttpRequest) -> None:
    """Remember that the person has just shown who they are."""
    request.session[_SESSION] = time.time()


def is_fresh(request: HttpRequest) -> bool:
    """Tell whether the person showed who they are within `FRESH_MINUTES`, or does so just now.

    A password or code that came along from `ask_again` is tried here, at most once a request.
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
    """Tell whether they left the question for the page that they came from, the deed undone."""
    return request.method == "POST" and _BACK in request.POST


def ask_again(request: HttpRequest, words: Any = "") -> HttpResponse:
    """Ask for the password, or a code of the second factor, and then go on with what was sent.

    `words` say why, above the field. Files that were sent along are not repeated.
    """
    kept = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name not in _OWN
    ]
    context = {
        **admin.site.each_context(request),
        "title": _("Is it you?"),
        "kept": kept,
        "words": words,
        "looked": request.method != "POST" or _LOOKED in request.POST,
        "has_code": is_mfa_enabled(request.user),
        "refusal": getattr(request, _REFUSAL, ""),
    }
    response = TemplateResponse(request, "chancery/fresh_login.html", context)
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
    return bool(request.POST.get(_PASSWORD) or request.POST.get(_CODE))


@sensitive_variables("password")
def _refusal(request: HttpRequest) -> str:
    """Try what was typed; return why it does not do, or nothing. Too many tries are refused."""
    try:
        password = request.POST.get(_PASSWORD, "")
        if password:
            if get_adapter(request).reauthenticate(request.user, password):
                return ""
            return str(_("That is not your password. Nothing was done."))
        form = ReauthenticateForm(user=request.user, data={"code": request.POST.get(_CODE, "")})
        if is_mfa_enabled(request.user) and form.is_valid():
            return ""
        return " ".join(form.errors.get("code", [])) or str(_("That code does not do."))
    except forms.ValidationError as error:
        return " ".join(error.messages)
