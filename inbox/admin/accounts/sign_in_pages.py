"""Signing in at a provider by clicking: there by the browser and back, or by a code elsewhere.

No transaction is open while a provider is asked. What was begun is kept in the session of whoever
began it, and does once; nothing is made before it is known who signed in.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_safe,
)

from inbox.accounts.sign_in_providers import SignInProvider, provider_named, sign_in_providers
from inbox.admin.accounts import sign_in_attempts as attempts
from inbox.admin.accounts.sign_in_attempts import Attempt, Purpose
from inbox.admin.accounts.sign_in_endings import (
    account_of,
    keep_sign_in,
    return_place,
    source_of,
)
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Account
from inbox.onward import onward_of
from inbox.operations.accounts.signed_in_sources import signed_in_at
from inbox.operations.accounts.signing_in import identify
from inbox.providers.mail_store import StoreError
from inbox.providers.sign_in import device
from inbox.providers.sign_in.authorization import (
    Question,
    authorization_url,
    exchange,
    make_question,
    read_redirect,
)
from inbox.providers.sign_in.declared import (
    GOOGLE,
    KINDS,
    MAIL,
    MICROSOFT,
    DeclaredProvider,
    Kind,
    openid,
)
from inbox.providers.sign_in.device import Waiting
from inbox.providers.sign_in.discovery import AuthorizationServer, discover
from inbox.providers.sign_in.failures import SignInError
from inbox.providers.sign_in.tokens import Granted
from inbox.providers.web import is_loopback
from inbox.reasons import of_error, phrase
from inbox.reasons.words import worded
from inbox.viewer import viewer_of


# -- there -----------------------------------------------------------------------------------------
@require_http_methods(["GET", "POST"])
def begin(request: HttpRequest, provider: str) -> HttpResponse:
    """Send the browser to the provider, or show a code to enter there on any device."""
    if request.method != "POST":
        # Who had to sign in here first comes back so: to where the buttons are.
        return HttpResponseRedirect(reverse("admin:inbox_account_changelist"))
    found = _provider(provider)
    attempt = _attempt(request, found)
    by_code = request.POST.get("way") == "device" or not can_come_back()
    if not attempt.kinds:
        return _refused(request, gettext("Select at least one."), attempt)
    try:
        server = discover(found.issuer, found.title)
        attempt = replace(attempt, server=server)
        start = _start_by_code if by_code else _leave
        return start(request, found, attempt)
    except SignInError as error:
        return _refused(request, worded(of_error(error)), attempt)


def can_come_back() -> bool:
    """Return True if providers send a browser back to this site: by https, or on this machine."""
    parts = urlsplit(settings.BASE_URL)
    return parts.scheme == "https" or is_loopback(parts.hostname or "")


def redirect_address(provider: str) -> str:
    """Return where a provider sends the browser back to; it has to be registered there."""
    return str(settings.BASE_URL) + reverse("admin:inbox_account_signed_in", args=[provider])


def _provider(name: str) -> SignInProvider:
    found = provider_named(name)
    if found is None:
        raise Http404("Nobody can sign in there.")
    return found


def _attempt(request: HttpRequest, found: SignInProvider) -> Attempt:
    """Return what is wanted, as far as the person may; its server is not known yet."""
    purpose: Purpose = "source" if request.POST.get("purpose") == "source" else "mail"
    asked = request.POST.get("account", "")
    account = account_of(request, int(asked)) if asked.isdecimal() else None
    wanted = frozenset(request.POST.getlist("kinds")) - MAIL
    if purpose == "mail":
        wanted |= {_mail_kind(request, found, account)}
    kinds: tuple[Kind, ...] = tuple(kind for kind in found.declared.scopes if kind in wanted)
    again = request.POST.get("source", "") if purpose == "source" else ""
    source = source_of(request, again) if again else None
    workspace = request.POST.get("workspace", "")
    typed_id = int(workspace) if workspace.isdecimal() else 0
    account = source.account if source else account
    workspace_id = account.workspace_id if account else typed_id
    is_about_nothing = purpose == "source" and account is None
    if workspace_id not in viewer_of(request).managed or is_about_nothing:
        raise PermissionDenied
    return Attempt(
        provider=found.name,
        server=AuthorizationServer(found.title, found.issuer, "", ""),
        user_id=request.user.pk or 0,
        workspace_id=workspace_id,
        account_id=account.pk if account else None,
        name=request.POST.get("name", "").strip()[:200],
        kinds=kinds,
        onward=onward_of(request),
        until=time.time() + attempts.SECONDS,
        purpose=purpose,
        source=source.public_id if source else "",
    )


def _mail_kind(request: HttpRequest, found: SignInProvider, account: Account | None) -> Kind:
    """Return by what the mail is to be reached: as was asked, or else as it is by now."""
    usual = "api" if account and account.settings.get("mail_api") else "servers"
    by = request.POST.get("by") or usual
    return "mail_api" if by == "api" and found.declared.mail_api else "mail"


def _leave(request: HttpRequest, found: SignInProvider, attempt: Attempt) -> HttpResponse:
    """Show a page that goes on by itself: a form of ours may not lead to another site."""
    question = make_question(redirect_address(found.name))
    attempts.keep(request, attempts.key_of(question.state), replace(attempt, question=question))
    more = dict(found.declared.parameters)
    hint = request.POST.get("address", "").strip()
    if "@" in hint and len(hint) <= 254 and hint.isprintable():
        more["login_hint"] = hint
    by_smtp = found.declared.smtp_scopes if "mail_api" in attempt.kinds else ()
    scopes = (*_scopes(found, attempt), *by_smtp)
    where = authorization_url(attempt.server, found.client.id, question, scopes, more)
    context = {
        **admin.site.each_context(request),
        "title": gettext("Sign in with %(provider)s") % {"provider": found.title},
        "provider": found,
        "where": where,
    }
    response = TemplateResponse(request, "chancery/accounts/sign_in_leaving.html", context)
    response["Refresh"] = f"0; url={where}"
    return response


def _scopes(found: SignInProvider, attempt: Attempt) -> tuple[str, ...]:
    scopes = found.declared.scopes_of(attempt.kinds)
    if attempt.server.has_offline_access is False:
        return tuple(scope for scope in scopes if scope != "offline_access")
    return scopes


# -- how to set it up ------------------------------------------------------------------------------
@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """Say how the operator gets a client at each provider, with the addresses of this site."""
    if not viewer_of(request).managed:
        raise PermissionDenied
    known = {provider.name for provider in sign_in_providers()}
    rows = [
        {
            "name": declared.name,
            "title": declared.title,
            "is_set": declared.name in known,
            "redirect": redirect_address(declared.name),
            "scopes": declared.scopes_of(_kinds_of(declared)),
        }
        for declared in (GOOGLE, MICROSOFT, openid("OpenID Connect", settings.OPENID_MAIL_SCOPE))
    ]
    context = {
        **admin.site.each_context(request),
        "title": _("Set up signing in"),
        "rows": rows,
        "can_come_back": can_come_back(),
    }
    return TemplateResponse(request, "chancery/accounts/sign_in_help.html", context)


def _kinds_of(declared: DeclaredProvider) -> list[Kind]:
    """Return what is asked for there, all in all."""
    carrying = signed_in_at(declared.name)
    by_api: list[Kind] = ["mail_api"] if declared.mail_api else []
    return ["mail", *by_api, *(carrying.granted_kinds if carrying else ())]


# -- and back --------------------------------------------------------------------------------------
@never_cache
@require_GET
def come_back(request: HttpRequest, provider: str) -> HttpResponse:
    """Keep what the browser brought back; each sign-in does once."""
    found = _provider(provider)
    key = attempts.key_of(request.GET.get("state", ""))
    attempt = attempts.look(request, key)
    attempts.drop(request, key)
    question = attempt.question if attempt else None
    if attempt is None or question is None or attempt.provider != provider:
        return _refused(request, _not_ours())
    is_plain = all(len(values) == 1 for __, values in request.GET.lists())
    if not is_plain or not attempts.claim(key):
        return _refused(request, _not_ours(), attempt)
    given = request.GET.dict()
    return _end(request, attempt, lambda: _exchanged(found, attempt, question, given))


def _not_ours() -> str:
    return gettext(
        "This answer belongs to no sign-in that was begun in this browser, or it was used already. "
        "Start again."
    )


@sensitive_variables("attempt", "question", "given", "code")
def _exchanged(
    found: SignInProvider, attempt: Attempt, question: Question, given: dict[str, str]
) -> Granted:
    code = read_redirect(attempt.server, question, given)
    declared = found.declared
    # A token is for one resource there: that of the mail servers, or of all else.
    kinds = _of_one_resource(attempt)
    more = {"scope": " ".join(declared.scopes_of(kinds))} if declared.one_resource else {}
    return exchange(
        attempt.server, found.client, question=question, code=code,
        scopes=frozenset(_scopes(found, attempt)), more=more,
    )  # fmt: skip


def _of_one_resource(attempt: Attempt) -> tuple[Kind, ...]:
    return ("mail",) if "mail" in attempt.kinds else attempt.kinds


@sensitive_variables("granted", "sign_in")
def _end(request: HttpRequest, attempt: Attempt, granted_by: Callable[[], Granted]) -> HttpResponse:
    """Find out who signed in, keep it, and go on to where it was wanted; or say why not."""
    try:
        return HttpResponseRedirect(_keep(request, attempt, granted_by()))
    except SignInError as error:
        return _refused(request, worded(of_error(error)), attempt)
    except DomainError as error:
        return _refused(request, words_of(error), attempt)
    except StoreError as error:
        return _refused(request, worded(error.sentence), attempt)


def _keep(request: HttpRequest, attempt: Attempt, granted: Granted) -> str:
    sign_in = identify(
        provider=_provider(attempt.provider), server=attempt.server, granted=granted,
        kinds=attempt.kinds, nonce=attempt.question.nonce if attempt.question else None,
    )  # fmt: skip
    return keep_sign_in(request, attempt, sign_in)


def _refused(request: HttpRequest, words: Any, attempt: Attempt | None = None) -> HttpResponse:
    """Say why nobody was signed in, with the way to where it was begun."""
    context = {
        **admin.site.each_context(request),
        "title": _("Not signed in"),
        "refusal": words,
        "place": return_place(attempt),
    }
    return TemplateResponse(request, "chancery/accounts/sign_in_refused.html", context, status=400)


# -- by a code on any device -----------------------------------------------------------------------
def _start_by_code(request: HttpRequest, found: SignInProvider, attempt: Attempt) -> HttpResponse:
    # Where a token is for one resource, so is a code.
    held = _of_one_resource(attempt) if found.declared.one_resource else tuple(KINDS)
    allowed = found.declared.device_kinds & frozenset(held)
    kinds = tuple(kind for kind in attempt.kinds if kind in allowed)
    if kinds[:1] != attempt.kinds[:1] or not attempt.server.device_url:
        words = phrase(
            "%(provider)s opens %(what)s only to a browser that it can send back here: the "
            "operator has to serve this site by https.",
            provider=found.title,
            what=KINDS[attempt.kinds[0]],
        )
        raise SignInError(words)
    attempt = replace(attempt, kinds=kinds)
    code = device.start(attempt.server, found.device_client, _scopes(found, attempt))
    key = attempts.key_of(code.device_code)
    until = min(attempt.until, time.time() + code.seconds)
    ask_at = time.time() + code.pause
    attempts.keep(request, key, replace(attempt, code=code, until=until, ask_at=ask_at))
    return HttpResponseRedirect(reverse("admin:inbox_account_sign_in_code", args=[key]))


@never_cache
@require_http_methods(["GET", "POST"])
def code_page(request: HttpRequest, key: str) -> HttpResponse:
    """Show the code and where to enter it; by POST, ask whether somebody has."""
    if not viewer_of(request).managed:
        raise PermissionDenied
    attempt = attempts.look(request, key)
    if attempt is None or attempt.code is None:
        words = gettext("This code has expired or was used already. Start again.")
        return _refused(request, words)
    if request.method == "POST":
        ended = _advance(request, key, attempt)
        if ended is not None:
            return ended
    context = {**admin.site.each_context(request), **_waiting(key, attempt)}
    return TemplateResponse(request, "chancery/accounts/sign_in_code.html", context)


@never_cache
@require_GET
def code_state(request: HttpRequest, key: str) -> HttpResponse:
    """Show whether the code was entered, for the page to put in place of what it shows."""
    if not viewer_of(request).managed:
        raise PermissionDenied
    attempt = attempts.look(request, key)
    ended = _advance(request, key, attempt) if attempt and attempt.code else None
    context: dict[str, Any] = {"ended": ended is not None or attempt is None}
    if attempt and attempt.code and ended is None:
        context |= _waiting(key, attempts.look(request, key) or attempt)
    elif isinstance(ended, HttpResponseRedirect):
        context["place"] = ended.url
    elif isinstance(ended, TemplateResponse):
        context |= {name: ended.context_data[name] for name in ("refusal", "place")}  # type: ignore[index]
    else:
        context["refusal"] = gettext("This code has expired or was used already. Start again.")
    return render(request, "chancery/accounts/sign_in_state.html", context)


def _waiting(key: str, attempt: Attempt) -> dict[str, Any]:
    return {
        "title": gettext("Sign in with %(provider)s") % {"provider": attempt.server.title},
        "provider": attempt.server.title,
        "code": attempt.code,
        "key": key,
        "minutes": max(int(attempt.until - time.time()) // 60, 1),
    }


@sensitive_variables("asked")
def _advance(request: HttpRequest, key: str, attempt: Attempt) -> HttpResponse | None:
    """Ask the provider, as often as it allows; None while it waits for the person."""
    found, code, now = _provider(attempt.provider), attempt.code, time.time()
    if code is None or now < attempt.ask_at:
        return None
    # Before it is asked, so that another tab of the page does not ask as well.
    attempts.keep(request, key, replace(attempt, ask_at=now + code.pause))
    request.session.save()
    try:
        asked = device.poll(
            attempt.server, found.device_client, code, frozenset(_scopes(found, attempt))
        )
    except SignInError as error:
        if error.is_passing:
            return None
        attempts.drop(request, key)
        return _refused(request, worded(of_error(error)), attempt)
    if isinstance(asked, Waiting):
        slower = replace(code, pause=asked.pause)
        attempts.keep(request, key, replace(attempt, code=slower, ask_at=now + asked.pause))
        return None
    attempts.drop(request, key)
    if not attempts.claim(key):
        return _refused(request, _not_ours(), attempt)
    return _end(request, attempt, lambda: asked)
