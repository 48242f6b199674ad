"""What somebody has to do first: choose a password, set up a second factor, name a workspace."""

import logging
from collections.abc import Callable
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.mfa.signals import authentication_failed
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from agents.errors import ToolError
from agents.surfaces.rest import render_error
from inbox.models import Membership, Role, StartPassword
from project.first_run.without_workspace import wants_workspace

log = logging.getLogger("chancery.sign_in")
_HAS_FACTOR, _START_PASSWORD = "has_second_factor", "has_start_password"
# What they see before: the way to do it, and the way out.
_OPEN = (
    "admin:logout", "admin:password_change", "mfa_activate_totp", "mfa_add_webauthn",
    "admin:jsi18n",
)  # fmt: skip


class RequiredStepsMiddleware:
    """Leads people to what they must do first; the API refuses their session meanwhile."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Go on, unless something is to be done first."""
        first = _first_thing(request)
        if first is None or request.path in {reverse(name) for name in _OPEN}:
            return self.get_response(request)
        if request.path.startswith("/api/"):
            words = f"Open {reverse(first)} first, and do what it asks"
            return render_error(ToolError("permission_denied", words))
        return HttpResponseRedirect(reverse(first))


@receiver(user_logged_in, dispatch_uid="project.sign_in.required_steps")
def note_start_password(request: HttpRequest, user: AbstractBaseUser, **_: Any) -> None:
    """Remember in the session where a password is to be chosen first."""
    request.session[_START_PASSWORD] = StartPassword.objects.filter(user_id=user.pk).exists()


@receiver(authentication_failed, dispatch_uid="project.sign_in.required_steps.code")
def note_wrong_code(request: HttpRequest, user: AbstractBaseUser, **_: Any) -> None:
    """Leave a line in the log: whoever tries codes knows the password."""
    address = get_adapter(request).get_client_ip(request)
    log.warning("refused a code of %s from %s", ascii(user.get_username()), address)


def forget_start_password(request: HttpRequest) -> None:
    """Note that a password of their own was chosen."""
    request.session[_START_PASSWORD] = False


def forget_factor(request: HttpRequest) -> None:
    """Look anew whether there is a second factor."""
    request.session.pop(_HAS_FACTOR, None)


def needs_factor(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Return True if this person may do nothing without a second factor."""
    if settings.REQUIRE_MFA == "all":
        return True
    owned = Membership.objects.filter(user_id=user.pk or 0, role=Role.OWNER)
    return settings.REQUIRE_MFA == "owners" and owned.exists()


def _first_thing(request: HttpRequest) -> str | None:
    """Return the name of the page to go to; a factor that was once seen is not looked up again."""
    if not request.COOKIES.get(settings.SESSION_COOKIE_NAME) or not request.user.is_authenticated:
        return None
    if request.session.get(_START_PASSWORD):
        return "admin:password_change"
    if _wants_factor(request):
        return "mfa_activate_totp"
    return "start-workspace" if wants_workspace(request) else None


def _wants_factor(request: HttpRequest) -> bool:
    """Return True if a second factor is to be set up first; one that was seen is remembered."""
    if not settings.REQUIRE_MFA or request.session.get(_HAS_FACTOR):
        return False
    if is_mfa_enabled(request.user):
        request.session[_HAS_FACTOR] = True
        return False
    return needs_factor(request.user)
