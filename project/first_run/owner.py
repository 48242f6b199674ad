"""The first person: whoever has the code from the server's terminal, and chooses a password."""

import logging
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.core.internal import ratelimit
from django import forms
from django.contrib import admin
from django.contrib.auth import login
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters

from agents.operations.setup.codes import is_right, is_unowned, use_code
from project.first_run.steps import progress_at

log = logging.getLogger("chancery.sign_in")
_WRONG = _("That code is not valid. You find it in the terminal where Chancery was started.")
_TOO_MANY = _("Too many tries. Wait a minute, then try again.")


class OwnerForm(BaseUserCreationForm[User]):
    """A name to sign in with, and a password."""

    class Meta:
        model = User
        fields = ("username", "first_name")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        labels = {
            "username": _("User name"), "first_name": _("Your name"), "password1": _("Password"),
            "password2": _("Repeat the password"),
        }  # fmt: skip
        for name, label in labels.items():
            self.fields[name].label = label
            self.fields[name].help_text = ""
        plain = {"autocapitalize": "none", "spellcheck": "false", "autocomplete": "username"}
        self.fields["username"].widget.attrs |= {**plain, "autofocus": True}
        self.fields["first_name"].widget.attrs["autocomplete"] = "name"

    def save(self, commit: bool = True) -> User:
        """Make them, with all that can be operated here."""
        self.instance.is_staff = self.instance.is_superuser = True
        made: User = super().save(commit)
        return made


class CodeForm(forms.Form):
    """The code, for whoever came without it in the address."""

    code = forms.CharField(
        label=_("Code"), max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false",
                   "autofocus": True}
        ),
    )  # fmt: skip


@sensitive_post_parameters("code", "password1", "password2")
def make_owner(request: HttpRequest) -> HttpResponse:
    """Ask for the code, then who they are; make them, and sign them in."""
    code = (request.POST if request.method == "POST" else request.GET).get("code", "")
    if not code:
        return _ask_for_code(request, CodeForm())
    refusal = _refusal(request, code)
    if refusal:
        return _ask_for_code(request, CodeForm({"code": code}), refusal)
    form = OwnerForm(request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        return _show(request, "owner", {"form": form, "code": code}, is_refused=bool(form.errors))
    if not _make(form, code):
        return HttpResponseRedirect(reverse("start"))
    login(request, form.instance)
    who, where = ascii(form.instance.get_username()), get_adapter(request).get_client_ip(request)
    log.warning("%s set this installation up, from %s", who, where)
    return HttpResponseRedirect(reverse("start-workspace"))


def _refusal(request: HttpRequest, code: str) -> Any:
    """Return why a code does not do; empty where it does. Too many tries are refused unread."""
    if (
        ratelimit.consume(request, app="allauth.account", action="setup_code", limit_get=True)
        is None
    ):
        return _TOO_MANY
    return "" if is_right(code) else _WRONG


def _make(form: OwnerForm, code: str) -> bool:
    """Make the person, unless somebody was first."""
    with transaction.atomic():
        if not is_unowned() or not use_code(code):
            return False
        form.save()
    return True


def _ask_for_code(request: HttpRequest, form: CodeForm, refusal: Any = "") -> HttpResponse:
    if refusal:
        form.add_error("code", refusal)
    return _show(request, "code", {"form": form}, is_refused=bool(refusal))


def _show(
    request: HttpRequest, template: str, more: dict[str, Any], *, is_refused: bool
) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "title": _("Set up Chancery"),
        "set_up": progress_at("owner", frozenset()),
        **more,
    }
    status = 400 if is_refused else 200
    return TemplateResponse(request, f"chancery/start/{template}.html", context, status=status)
