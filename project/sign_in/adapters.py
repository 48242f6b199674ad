"""How allauth signs people in here: staff only, by name and password, with no mail sent."""

import ipaddress
import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.stagekit import clear_login
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from django.contrib.auth.models import AbstractBaseUser, User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from inbox.accounts.credentials import decrypt, encrypt
from inbox.admin.fresh_login import is_fresh
from inbox.formats.user_agents import read_user_agent
from inbox.models import PersonBrowser, StartPassword
from project.sign_in.browsers import is_known, name_of

log = logging.getLogger("chancery.sign_in")
_COMES_BY = "signs_in_by"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """People are made by owners and at the command line; here they only come in."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": _("Wrong name or password."),
        "too_many_login_attempts": _("Too many tries. Wait 15 minutes, then try again."),
        "account_inactive": _("This user cannot sign in."),
        "incorrect_code": _("That code is not valid. Each code works once, for half a minute."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Nobody signs themselves up."""
        return False

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractBaseUser | None:
        """Return who it is, if they may come in; others are told what strangers are told."""
        found: AbstractBaseUser | None = super().authenticate(request, **credentials)
        if not isinstance(found, User) or (found.is_staff and not _is_too_late(found)):
            return found
        self.authentication_failed(request, **credentials)
        return None

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count tries by the name and where they come from: nobody locks its owner out.

        A browser in which they have signed in before is a place of its own. allauth's own key has
        the Host header in it.
        """
        name = str(credentials.get("username", ""))
        return f"{name.casefold().strip()}|{self._place(request, name)}"

    def _place(self, request: HttpRequest, name: str) -> str:
        if is_known(request, name):
            return f"browser {name_of(request)}"
        return _network(self.get_client_ip(request))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the address, and the name from all addresses, apart; a browser known for it not.

        allauth forgets `login_failed` whole once a code was right.
        """
        self._also: list[ratelimit.RateLimitUsage] = []
        name = str(credentials.get("username", ""))
        if not is_known(request, name):
            self._count(request, "login_failed_from")
            self._count(request, "login_failed_anywhere", key=name.casefold().strip())
        super().pre_authenticate(request, **credentials)

    def _count(self, request: HttpRequest, action: str, key: str | None = None) -> None:
        usage = ratelimit.consume(request, app="allauth.account", action=action, key=key)
        if usage is None:
            raise self.validation_error("too_many_login_attempts")
        self._also.append(usage)

    def _rollback_login_failed_rl_usage(self) -> None:
        super()._rollback_login_failed_rl_usage()
        for usage in self._also:
            usage.rollback()

    def pre_login(self, request: HttpRequest, user: User, **more: Any) -> HttpResponse | None:
        """Note by which password they come: the code may be given minutes later.

        Whoever may not come in by a password may not by a passkey or another site either.
        """
        if not user.is_staff or _is_too_late(user):
            return HttpResponseRedirect(f"{reverse('account_login')}?refused=yes")
        request.session[_COMES_BY] = user.get_session_auth_hash()
        refusal: HttpResponse | None = super().pre_login(request, user, **more)
        return refusal

    def login(self, request: HttpRequest, user: User) -> None:
        """Let nobody in by a password that was changed since they gave it."""
        if request.session.pop(_COMES_BY, "") != user.get_session_auth_hash():
            clear_login(request)
            raise ImmediateHttpResponse(HttpResponseRedirect(reverse("account_login")))
        super().login(request, user)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Leave a line in the log; without a name that nobody has, which may be a password."""
        name = str(credentials.get("username", ""))
        known = User.objects.filter(username=name).exists()
        who = ascii(name) if known else "a name that nobody has"
        log.warning("refused to sign in %s from %s", who, self.get_client_ip(request))

    def is_reauthentication_required(self, **_: Any) -> bool:
        """For whatever asks by itself; our addresses ask in `fresh_login` before they get there."""
        return not is_fresh(context.request)

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Send none: only what a person approved leaves."""

    def send_mail(self, *args: Any, **kwargs: Any) -> None:
        """Send none: only what a person approved leaves."""

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Say nothing: the pages show what is."""


class MfaAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Second factors, whose secrets are kept encrypted as credentials are."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": AccountAdapter.error_messages["incorrect_code"],
    }

    def encrypt(self, text: str) -> str:
        """Return the text encrypted, as credentials are."""
        return encrypt(text).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Open it; raises CredentialError where the key is missing."""
        return decrypt(encrypted_text.encode()).reveal()

    def generate_authenticator_name(
        self,
        user: AbstractBaseUser,
        type: str,  # noqa: A002
    ) -> str:
        """Return what a new passkey is called at first: where it was made."""
        device = read_user_agent(context.request.META.get("HTTP_USER_AGENT", ""))
        return PersonBrowser(software=device.browser, system=device.system).device

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        """Return what the app shows the code under."""
        return user.get_username()

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Send none: only what a person approved leaves."""


def _network(address: str) -> str:
    """Return what an address belongs to: whoever has one of IPv6 has a whole /64 (RFC 6177)."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False))


def _is_too_late(user: User) -> bool:
    return StartPassword.objects.filter(user=user, expires_at__lte=timezone.now()).exists()
