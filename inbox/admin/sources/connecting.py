"""Connecting a server, in steps: which kind, where, what is there, and what of it to take.

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
from inbox.admin.sources.forms import SourceForm
from inbox.errors import DomainError
from inbox.models import Account
from inbox.operations.accounts.sources import connect_source, source_providers, try_source
from inbox.providers.change_store import Collection
from inbox.providers.declaration import Declaration
from inbox.providers.mail_store import StoreError
from inbox.providers.sign_in.declared import KINDS
from inbox.viewer import viewer_of

# What is ticked until a person says otherwise; files are many and large.
_TICKED = frozenset({"calendar", "contacts", "todos"})


@dataclass(slots=True)
class _Attempt:
    """What was found at a server, and what of it a person ticked; or what went wrong."""

    found: list[Collection] | None = None
    ticked: frozenset[str] = frozenset()
    failure: StoreError | None = None
    is_kept: bool = False
    words: list[Any] = field(default_factory=list)


@sensitive_post_parameters("password")
def connect_server(request: HttpRequest, pk: int) -> HttpResponse:
    """Lead through the steps."""
    rows = Account.objects.visible_to(viewer_of(request).actor).filter(pk=pk)
    account = first_or_404(rows.select_related("workspace"), "account")
    let_manage(request, account.workspace_id)
    given = request.POST if request.method == "POST" else request.GET
    name = given.get("provider", "")
    by_form = (one for one in source_providers() if one.signs_in_at is None)
    declared = next((one for one in by_form if one.name == name), None)
    if declared is None:
        return _choose(request, account)
    if request.method != "POST":
        form = SourceForm(declared, initial={"username": account.address})
        return _show(request, account, form, _Attempt())
    form = SourceForm(declared, request.POST)
    if not form.is_valid():
        return _show(request, account, form, _Attempt())
    return _act(request, account, form)


@sensitive_variables("secret")
def _act(request: HttpRequest, account: Account, form: SourceForm) -> HttpResponse:
    """See what is there; where that was seen and ticked, keep it."""
    purpose = f"source {account.pk} {form.declared.name}"
    typed = form.secret or recall(request, purpose)
    secret = typed if isinstance(typed, Secret) else Secret("")
    attempt = _Attempt(is_kept=bool(secret))
    try:
        attempt.found = try_source(
            account=account, provider=form.declared.name, settings=form.settings, secret=secret
        )
    except DomainError as error:
        add_refusal(form, error)
        return _show(request, account, form, attempt)
    except StoreError as error:
        attempt.failure = error
    remember(request, purpose, secret or None)
    wanted = frozenset(request.POST.getlist("taken"))
    known = {one.id for one in attempt.found or ()}
    attempt.ticked = wanted & known or frozenset(
        one.id for one in attempt.found or () if one.kind in _TICKED
    )
    if request.POST.get("action") == "connect" and wanted & known and attempt.found:
        return _keep(request, account, form, secret, attempt)
    if request.POST.get("action") == "connect" and attempt.found:
        attempt.words.append(_("Select at least one."))
    return _show(request, account, form, attempt)


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
        add_refusal(form, error)
        return _show(request, account, form, attempt)
    forget(request)
    messages.success(request, _("Connected. Syncing now."))
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


def _choose(request: HttpRequest, account: Account) -> HttpResponse:
    declared = source_providers()
    context = {
        **admin.site.each_context(request),
        "title": _("Connect calendars, contacts or files"),
        "account": account,
        "ways_in": [way for one in declared if (way := way_in(one)) is not None],
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
        "has_password": "password" in form.fields,
    }
    return TemplateResponse(request, "chancery/sources/connect.html", context)
