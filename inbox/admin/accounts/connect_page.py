"""Connecting an account: first whose it is, then where its mail lies, tried out before it is kept.

Each step is a POST of its own, and no transaction is open while a server is asked.
"""

from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from inbox.accounts.credentials import Secret
from inbox.accounts.sign_in_providers import SignInProvider, providers_for, sign_in_providers
from inbox.admin.accounts.forms import (
    BUILT_IN,
    BY_JMAP,
    ConnectionForm,
    FindForm,
    add_refusal,
)
from inbox.admin.accounts.typed_credentials import forget, recall, remember
from inbox.errors import DomainError
from inbox.models import Account
from inbox.onward import onward_of
from inbox.operations.accounts.accounts import create_account
from inbox.operations.accounts.connecting import Credential, Trial, connect_account, try_connection
from inbox.operations.accounts.setup_facts import publish_account_change
from inbox.providers import stays_here
from inbox.providers.presets import Preset, guess
from inbox.viewer import viewer_of


@sensitive_post_parameters("password", "access_token", "refresh_token", "client_secret")
def connect(request: HttpRequest) -> HttpResponse:
    """Lead through the steps."""
    managed = viewer_of(request).managed
    if request.method != "POST":
        asked = request.GET.get("workspace", "")
        chosen = {"workspace": int(asked)} if asked.isdecimal() and int(asked) in managed else {}
        return _ask(request, FindForm(managed, initial=chosen))
    find = FindForm(managed, request.POST)
    action = request.POST.get("action", "")
    is_fine = find.is_valid()
    if find.connected is not None and _is_last_step(request, find.connected):
        return _lead_to(request, find.connected)
    if not is_fine or action == "back":
        return _ask(request, find)
    if find.cleaned_data["preset"] == BUILT_IN:
        return _make_built_in(request, find)
    if action not in ("test", "connect", "anyway"):
        return _show(request, find, ConnectionForm(initial=_initial(find)))
    return _act(request, find, action)


@sensitive_variables("credential", "trial")
def _act(request: HttpRequest, find: FindForm, action: str) -> HttpResponse:
    """Try what was typed and, unless that was all, keep it where it is sound or wanted anyway."""
    form = ConnectionForm(request.POST)
    if not form.is_valid():
        return _show(request, find, form)
    purpose = f"connect {find.cleaned_data['address']}"
    credential = form.credential or recall(request, purpose) or Secret("")
    if action == "anyway":
        return _keep(request, find, form, credential)
    address = find.cleaned_data["address"]
    trial = try_connection(address=address, settings=form.settings, credential=credential)
    if action == "connect" and trial.is_sound and trial.credential is not None:
        return _keep(request, find, form, trial.credential)
    remember(request, purpose, trial.credential or None)
    return _show(request, find, form, trial)


@sensitive_variables("credential")
def _keep(
    request: HttpRequest, find: FindForm, form: ConnectionForm, credential: Credential
) -> HttpResponse:
    given = find.cleaned_data
    try:
        account = connect_account(
            workspace=given["workspace"], address=given["address"], name=given["name"],
            settings=form.settings, credential=credential, by=viewer_of(request).actor,
        )  # fmt: skip
    except DomainError as error:
        if there := _connected_meanwhile(find, error):
            return _lead_to(request, there)
        add_refusal(form, error)
        return _show(request, find, form)
    forget(request)
    messages.success(request, _("Connected. Its mail is coming in now, newest first."))
    return _lead_on(request, account)


def _make_built_in(request: HttpRequest, find: FindForm) -> HttpResponse:
    given = find.cleaned_data
    try:
        with transaction.atomic():
            account = create_account(
                workspace=given["workspace"], address=given["address"], name=given["name"]
            )
            publish_account_change(account, "account.connected", viewer_of(request).actor)
    except DomainError as error:
        add_refusal(find, error)
        return _ask(request, find)
    messages.success(request, _("The account is created. Its mail stays on this server."))
    return _lead_on(request, account)


def _lead_on(request: HttpRequest, account: Account) -> HttpResponse:
    place = onward_of(request) or reverse("admin:inbox_account_change", args=[account.pk])
    return HttpResponseRedirect(place)


def _is_last_step(request: HttpRequest, account: Account) -> bool:
    """Return True if the form that was sent is the one which connects an account, as it is."""
    if request.POST.get("preset") == BUILT_IN:
        return stays_here(account.provider)
    return request.POST.get("action") in ("connect", "anyway")


def _connected_meanwhile(find: FindForm, error: DomainError) -> Account | None:
    """Return the account that another request has connected since the form was checked."""
    given = find.cleaned_data
    rows = Account.objects.filter(workspace=given["workspace"], address=given["address"])
    return rows.first() if error.code == "conflict" else None


def _lead_to(request: HttpRequest, account: Account) -> HttpResponse:
    """Go on to an account that is there: the form was sent twice, or from another tab as well."""
    forget(request)
    words = gettext("%(address)s is already connected.") % {"address": account.address}
    messages.info(request, words)
    return _lead_on(request, account)


def _initial(find: FindForm) -> dict[str, Any]:
    address, preset = find.cleaned_data["address"], find.found
    settings = preset.settings if preset else guess(address)
    if find.cleaned_data["preset"] == BY_JMAP:
        settings = {"jmap_url": f"https://{address.rpartition('@')[2]}/"}
    return {"auth": "password", **settings, "username": address}


def _sign_in_at(preset: Preset | None) -> list[SignInProvider]:
    """Return where a person can sign in for the servers of a preset; of no known ones, OpenID."""
    return [it for it in providers_for(preset) if preset or not it.declared.presets]


def _ask(request: HttpRequest, form: FindForm) -> HttpResponse:
    providers = sign_in_providers()
    context = {
        **admin.site.each_context(request),
        "title": _("Connect an account"),
        "form": form,
        "several": viewer_of(request).has_several,
        "sign_in_providers": providers,
        "has_interface": any(it.declared.mail_api for it in providers),
    }
    return TemplateResponse(request, "chancery/accounts/connect.html", context)


def _show(
    request: HttpRequest, find: FindForm, form: ConnectionForm, trial: Trial | None = None
) -> HttpResponse:
    preset = find.found
    context = {
        **admin.site.each_context(request),
        "title": gettext("Connect %(address)s") % {"address": find.cleaned_data["address"]},
        "find": find,
        "given": find.cleaned_data,
        "form": form,
        "preset": preset,
        "trial": trial,
        "is_kept": bool(trial and trial.credential),
        "is_new": True,
        "sign_in_providers": _sign_in_at(preset),
        "wants_client": bool(preset and preset.oauth_token_url and not _sign_in_at(preset)),
        "show_servers": preset is None or bool(form.errors) or bool(trial and not trial.is_sound),
    }
    return TemplateResponse(request, "chancery/accounts/connect_servers.html", context)
