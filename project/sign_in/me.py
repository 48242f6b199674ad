"""A person's own settings: the name, the password, the second factor, the sessions."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import admin, messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from inbox.viewer import viewer_of
from project.sign_in.required_steps import needs_factor


class NameForm(forms.Form):
    """What colleagues see instead of the user name."""

    first_name = forms.CharField(label=_("Name"), max_length=150, required=False)


class SignOutForm(forms.Form):
    """The password, which the sessions hang on."""

    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._request = request

    def clean_password(self) -> str:
        """Take the right one only; too many wrong ones are refused unread."""
        password: str = self.cleaned_data["password"]
        if not get_adapter(self._request).reauthenticate(self._request.user, password):
            raise forms.ValidationError(_("Wrong password. No session was ended."))
        return password


def me(request: HttpRequest) -> HttpResponse:
    """Show it, or take a new name."""
    person = _person(request)
    form = NameForm(request.POST or None, initial={"first_name": person.first_name})
    if request.method == "POST" and form.is_valid():
        person.first_name = form.cleaned_data["first_name"]
        person.save(update_fields=["first_name"])
        messages.success(request, _("Saved."))
        return HttpResponseRedirect(reverse("me"))
    return _show(request, name_form=form)


@require_POST
@sensitive_post_parameters("password")
def sign_out_everywhere(request: HttpRequest) -> HttpResponse:
    """End all sessions of the person but this one; with `here`, this one too.

    Sessions are signed with the password as it is kept, so keeping it anew ends them.
    """
    form = SignOutForm(request.POST, request=request)
    if not form.is_valid():
        return _show(request, sign_out_form=form, status=400)
    person = _person(request)
    person.set_password(form.cleaned_data["password"])
    person.save(update_fields=["password"])
    if "here" in request.POST:
        logout(request)
        return HttpResponseRedirect(reverse("account_login"))
    update_session_auth_hash(request, person)
    messages.success(request, _("You are signed out everywhere else."))
    return HttpResponseRedirect(reverse("me"))


def _show(request: HttpRequest, status: int = 200, **forms_: Any) -> HttpResponse:
    person = _person(request)
    rows = list(Authenticator.objects.filter(user=person).order_by("created_at", "pk"))
    factors = {row.type: row for row in rows}
    codes = factors.get(Authenticator.Type.RECOVERY_CODES)
    viewer = viewer_of(request)
    context = {
        **admin.site.each_context(request),
        "title": _("Your settings"),
        "person": person,
        "places_of": [(viewer.names[key], role, key) for key, role in viewer.roles.items()],
        "passkeys": [row for row in rows if row.type == Authenticator.Type.WEBAUTHN],
        "app": factors.get(Authenticator.Type.TOTP),
        "codes_left": len(codes.wrap().get_unused_codes()) if codes else 0,
        "is_required": needs_factor(person),
        "name_form": NameForm(initial={"first_name": person.first_name}),
        "sign_out_form": SignOutForm(request=request),
        **forms_,
    }
    return TemplateResponse(request, "chancery/sign_in/me.html", context, status=status)


def _person(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user
