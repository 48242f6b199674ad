"""Signing in with each request: Basic (RFC 7617), Digest (RFC 7616) where asked, Bearer (6750)."""

import base64
import re
from collections.abc import Callable
from typing import Literal, TypeAlias

import httpx

from inbox.accounts.credentials import Secret
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

# What may stand in a token (RFC 6750 2.1), and more.
_TOKEN = re.compile(r"[\x21-\x7e]{1,16384}")
Renew: TypeAlias = Callable[[Secret], Secret]
Auth: TypeAlias = Literal["password", "oauth"]


class Credentials:
    """What a request is signed in with. It never leaves over a connection that is not encrypted."""

    def __init__(
        self, auth: Auth, username: str, secret: Secret, renew: Renew | None = None
    ) -> None:
        if auth == "oauth":
            _check_token(secret)
        self._renew = renew
        # Whether it was renewed, and no answer has shown yet that it is accepted.
        self._is_untried = False
        self._auth = auth
        self._username = username
        self._secret = secret
        self._digest: httpx.DigestAuth | None = None

    def sign(self, request: httpx.Request) -> None:
        """Sign a request in."""
        if self._digest is not None:
            next(self._digest.auth_flow(request))
        elif self._auth == "oauth":
            request.headers["Authorization"] = f"Bearer {self._secret.reveal()}"
        else:
            pair = f"{self._username}:{self._secret.reveal()}".encode()
            request.headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"

    def sign_again(self, request: httpx.Request, answer: httpx.Response) -> bool:
        """Sign a refused request in otherwise: by a digest that is asked for, by a newer token.

        Return False where that is not to be had. Raises StoreError where no token is.
        """
        self.note(answer)
        if answer.status_code != 401:
            return False
        if self._auth == "oauth":
            return self._sign_anew(request)
        return _wants_digest(answer) and self._sign_by_digest(request, answer)

    def note(self, answer: httpx.Response) -> None:
        """Note that a token was accepted."""
        self._is_untried = self._is_untried and answer.status_code == 401

    def _sign_anew(self, request: httpx.Request) -> bool:
        """Sign in with another token, unless the last one was new already: that is no accident."""
        if self._renew is None or self._is_untried:
            return False
        self._secret = self._renew(self._secret)
        _check_token(self._secret)
        self._is_untried = True
        self.sign(request)
        return True

    def _sign_by_digest(self, request: httpx.Request, answer: httpx.Response) -> bool:
        self._digest = self._digest or httpx.DigestAuth(self._username, self._secret.reveal())
        try:
            flow = self._digest.auth_flow(request)
            next(flow)  # the request as it was refused
            flow.send(answer)
        except (StopIteration, httpx.ProtocolError, LookupError, ValueError, NotImplementedError):
            # A challenge that we cannot meet.
            self._digest = None
            return False
        return True


def _check_token(secret: Secret) -> None:
    if not _TOKEN.fullmatch(secret.reveal()):
        words = _("The access token or key is missing, or is none that can be sent.")
        raise StoreError("login", words)


def _wants_digest(answer: httpx.Response) -> bool:
    schemes = {
        each.strip().split(" ", 1)[0].lower()
        for each in answer.headers.get_list("www-authenticate")
    }
    return "digest" in schemes and "basic" not in schemes
