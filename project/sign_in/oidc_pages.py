"""Signing in by a provider of identities: members only, and nobody signs themselves up."""

import logging
from dataclasses import asdict

from allauth.account.internal.flows.login import perform_login
from allauth.account.models import Login
from allauth.account.utils import get_next_redirect_url
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from inbox.models import OutsideIdentity
from project.sign_in.oidc import (
    OidcError,
    Outsider,
    Question,
    address_to_ask,
    make_question,
    provider_name,
    read_answer,
)

log = logging.getLogger("chancery.sign_in")
_ASKED = "oidc_question"


@never_cache
@require_GET
def begin(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider, with a question that only it can bring an answer to."""
    _check_is_on()
    question = make_question()
    try:
        where = address_to_ask(question, _callback())
    except OidcError as error:
        return _refused(request, error)
    onward = get_next_redirect_url(request)
    request.session[_ASKED] = {"question": asdict(question), "next": onward}
    return HttpResponseRedirect(where)


@never_cache
@require_GET
def callback(request: HttpRequest) -> HttpResponse:
    """Let in whom the provider has shown, if they are a member; each question does once."""
    _check_is_on()
    asked = request.session.pop(_ASKED, None)
    try:
        if asked is None:
            raise OidcError(
                _("This answer does not belong to a sign-in from this browser. Start again.")
            )
        outsider = read_answer(Question(**asked["question"]), request.GET.dict(), _callback())
        user = _member(outsider)
    except OidcError as error:
        return _refused(request, error)
    answer: HttpResponse = perform_login(request, Login(user=user, redirect_url=asked["next"]))
    return answer


def _member(outsider: Outsider) -> User:
    """Return whose identity it is; at first the one member with the address that was verified."""
    known = OutsideIdentity.objects.filter(issuer=settings.OIDC_ISSUER, subject=outsider.subject)
    if row := known.select_related("user").first():
        return row.user
    if not outsider.email:
        raise OidcError(
            _("The provider has not verified your address, so you cannot be recognized here.")
        )
    address = Q(email__iexact=outsider.email)
    address |= Q(
        notice_settings__mail_address__iexact=outsider.email,
        notice_settings__mail_confirmed_at__isnull=False,
    )
    members = User.objects.filter(address, is_active=True, is_staff=True)
    found = list(members.filter(memberships__isnull=False).distinct()[:2])
    if len(found) != 1:
        raise OidcError(
            _("No member here has your address. Ask an owner of a workspace to add you.")
        )
    try:
        with transaction.atomic():
            OutsideIdentity.objects.create(
                user=found[0], issuer=settings.OIDC_ISSUER, subject=outsider.subject
            )
    except IntegrityError:
        raise OidcError(
            _("Your address belongs to a member with a different account at the provider.")
        ) from None
    return found[0]


def _refused(request: HttpRequest, error: OidcError) -> HttpResponse:
    """Say why, with the way back."""
    log.warning("refused to sign in by %s: %s", settings.OIDC_ISSUER, error)
    context = {
        **admin.site.each_context(request),
        "title": _("Not signed in"),
        "refusal": error.args[0],
        "provider": provider_name(),
    }
    return TemplateResponse(request, "account/oidc_refused.html", context, status=403)


def _callback() -> str:
    return settings.BASE_URL + reverse("oidc-callback")


def _check_is_on() -> None:
    if not settings.OIDC_ISSUER:
        raise Http404
