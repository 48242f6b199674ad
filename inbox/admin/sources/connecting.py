"""Connecting a server, in steps: whose, where exactly, what is there, and what of it to take.

No transaction is open while a server is asked.
"""

from dataclasses import dataclass, field
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from inbox.accounts.credentials import Secret
from inbox.accounts.sign_in_providers import known_provider, provider_named
from inbox.admin.accounts.forms import add_refusal
from inbox.admin.accounts.typed_credentials import forget, recall, remember
from inbox.admin.finding import first_or_404, let_manage
from inbox.admin.refusals import words_of
from inbox.admin.sources.forms import SourceForm
from inbox.admin.sources.places import Place, PlaceForm
from inbox.errors import DomainError
from inbox.models import Account
from inbox.operations.accounts.sources import (
    connect_source,
    connected_source,
    source_providers,
    try_source,
)
from inbox.providers.change_store import Collection
from inbox.providers.declaration import Declaration
from inbox.providers.mail_store import StoreError
from inbox.providers.sign_in.declared import KINDS
from inbox.viewer import viewer_of

# What is ticked until a person says otherwise; files are many and large.
_TICKED = frozenset({"calendar", "contacts", "todos"})


@dataclass(slots=True)
class _Attempt:
    """What was found at a server, and what of it a person ticked; or what went wrong.

    `place` is where the person said that it is.
    """

    found: list[Collection] | None = None
    ticked: frozenset[str] = frozenset()
    failure: StoreError | None = None
    is_kept: bool = False
    place: Place | None = None
    words: list[Any] = field(default_factory=list)


@sensitive_post_parameters("password")
def connect_server(request: HttpRequest, pk: int) -> HttpResponse:
    """Lead through the steps."""
    rows = Account.objects.visible_to(viewer_of(request).actor).filter(pk=pk)
    account = first_or_404(rows.select_related("workspace"), "account")
    let_manage(request, account.workspace_id)
    where = PlaceForm(request.GET) if "at" in request.GET else None
    place = where.place(account.address) if where and where.is_valid() else None
    given = request.POST if request.method == "POST" else request.GET
    name = place.provider if place else given.get("provider", "")
    by_form = (one for one in source_providers() if one.signs_in_at is None)
    declared = next((one for one in by_form if one.name == name), None)
    if declared is None:
        return _choose(request, account, where, place)
    if request.method != "POST":
        initial = _initial(account, declared) | (place.initial if place else {})
        return _show(request, account, SourceForm(declared, initial=initial), _Attempt(place=place))
    form = SourceForm(declared, request.POST)
    if not form.is_valid():
        return _show(request, account, form, _Attempt(place=place))
    return _act(request, account, form, _Attempt(place=place))


def _initial(account: Account, declared: Declaration) -> dict[str, Any]:
    """Return what a form begins with: where the account's mail is, if that is such a server."""
    named = {one.name for one in declared.fields} if account.provider == declared.name else set()
    known = {name: value for name, value in account.settings.items() if name in named}
    return {"username": account.address, **known}


@sensitive_variables("secret")
def _act(
    request: HttpRequest, account: Account, form: SourceForm, attempt: _Attempt
) -> HttpResponse:
    """See what is there; where that was seen and ticked, keep it."""
    purpose = f"source {account.pk} {form.declared.name}"
    typed = form.secret or recall(request, purpose)
    secret = typed if isinstance(typed, Secret) else Secret("")
    attempt.is_kept = bool(secret)
    try:
        form = _look(account, form, attempt, secret)
    except DomainError as error:
        add_refusal(form, error)
        return _show(request, account, form, attempt)
    if attempt.failure and attempt.failure.kind == "login":
        # Another is needed: this one is not offered to be used again.
        secret, attempt.is_kept = Secret(""), False
        forget(request)
    remember(request, purpose, secret or None)
    wanted = frozenset(request.POST.getlist("taken"))
    known = {one.key for one in attempt.found or ()}
    attempt.ticked = wanted & known or frozenset(
        one.key for one in attempt.found or () if one.kind in _TICKED
    )
    if request.POST.get("action") == "connect" and wanted & known and attempt.found:
        return _keep(request, account, form, secret, attempt)
    if request.POST.get("action") == "connect" and attempt.found:
        attempt.words.append(_("Select at least one."))
    return _show(request, account, form, attempt)


@sensitive_variables("secret")
def _look(account: Account, form: SourceForm, attempt: _Attempt, secret: Secret) -> SourceForm:
    """Note what is there; return the form, of what was meant. Raises DomainError."""
    otherwise = form.declared.otherwise(form.settings)
    forms = [form, *([form.changed_to(otherwise)] if otherwise else [])]
    for one in forms:
        try:
            attempt.found = try_source(
                account=account, provider=form.declared.name, settings=one.settings, secret=secret
            )
        except StoreError as error:
            # What was typed is what is spoken of.
            if attempt.found is None:
                attempt.failure = attempt.failure or error
            if error.kind != "permanent":
                break
        if attempt.found:
            attempt.failure = None
            return one
    return form


@sensitive_variables("secret")
def _keep(
    request: HttpRequest, account: Account, form: SourceForm, secret: Secret, attempt: _Attempt
) -> HttpResponse:
    try:
        source = connect_source(
            account=account, provider=form.declared.name, settings=form.settings, secret=secret,
            found=attempt.found or [], taken=attempt.ticked, name=form.cleaned_data["name"],
            read_only=form.cleaned_data["read_only"], by=viewer_of(request).actor,
        )  # fmt: skip
    except DomainError as error:
        there = connected_source(
            account=account, provider=form.declared.name, settings=form.settings
        )
        if there is None:
            add_refusal(form, error)
            return _show(request, account, form, attempt)
        # The form was sent twice, or from another tab as well.
        source = there
        messages.info(request, words_of(error))
    else:
        messages.success(request, _("Connected. Syncing now."))
    forget(request)
    return HttpResponseRedirect(reverse("source", args=[source.public_id]))


def way_in(declared: Declaration) -> dict[str, Any] | None:
    """Return how one signs in by clicking to what a provider carries; None: one does not."""
    known = known_provider(declared.signs_in_at or "")
    if known is None:
        return None
    return {
        "provider": known,
        "title": declared.title,
        "is_set_up": provider_named(known.name) is not None,
        "kinds": [
            {"name": kind, "words": KINDS[kind], "is_ticked": kind != "files"}
            for kind in declared.granted_kinds
        ],
    }


def _choose(
    request: HttpRequest, account: Account, where: PlaceForm | None, place: Place | None
) -> HttpResponse:
    declared = source_providers()
    signs_in_at = place.provider if place and place.signs_in else ""
    ways = [way_in(one) for one in declared if signs_in_at in ("", one.name)]
    context = {
        **admin.site.each_context(request),
        "title": _("Connect calendars, contacts or files"),
        "account": account,
        "form": where or PlaceForm(initial={"at": account.address}),
        "place": place,
        "ways_in": [way for way in ways if way is not None],
        "providers": [one for one in declared if one.signs_in_at is None],
    }
    return TemplateResponse(request, "chancery/sources/choose.html", context)


def _show(
    request: HttpRequest, account: Account, form: SourceForm, attempt: _Attempt
) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "title": gettext("Connect calendars, contacts or files"),
        "account": account,
        "declared": form.declared,
        "form": form,
        "attempt": attempt,
        "place": attempt.place,
        "has_password": "password" in form.fields,
    }
    return TemplateResponse(request, "chancery/sources/connect.html", context)
