"""The authorization code with PKCE (RFC 6749 4.1, RFC 7636), and the answer by the browser."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from inbox.providers.sign_in.client import Client
from inbox.providers.sign_in.discovery import AuthorizationServer
from inbox.providers.sign_in.failures import SignInError, of_code
from inbox.providers.sign_in.tokens import Granted, ask_token
from inbox.reasons import phrase as _

LONGEST_CODE = 4096
_ERROR_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz_")


@dataclass(frozen=True, slots=True)
class Question:
    """What only the answer to it can know; `redirect_uri` is where that comes."""

    state: str
    nonce: str
    verifier: str
    redirect_uri: str


def make_question(redirect_uri: str) -> Question:
    """Return a question that was never asked before."""
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    return Question(state, nonce, verifier, redirect_uri)


def authorization_url(
    server: AuthorizationServer,
    client_id: str,
    question: Question,
    scopes: Iterable[str],
    more: Mapping[str, str],
) -> str:
    """Return where the browser is sent to; `more` are parameters of this provider's own."""
    digest = hashlib.sha256(question.verifier.encode()).digest()
    parameters = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": question.redirect_uri,
        "scope": " ".join(scopes),
        "state": question.state,
        "nonce": question.nonce,
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
        **more,
    }
    where = server.authorization_url
    return f"{where}{'&' if '?' in where else '?'}{urlencode(parameters)}"


def read_redirect(server: AuthorizationServer, question: Question, given: Mapping[str, str]) -> str:
    """Return the code that the browser brought; raises SignInError where it brought none."""
    if not hmac.compare_digest(given.get("state", "").encode(), question.state.encode()):
        raise SignInError(
            _("This answer does not belong to a sign-in from this browser. Start again.")
        )
    named = given.get("iss")
    if server.names_itself if named is None else not server.is_issuer(named):
        raise SignInError(_("The answer comes from a different provider than the one asked."))
    error, code = given.get("error", ""), given.get("code", "")
    if error:
        known = error if set(error) <= _ERROR_LETTERS and len(error) <= 60 else "error"
        raise of_code(server.title, known, f" ({known})")
    if not code or len(code) > LONGEST_CODE:
        raise SignInError(_("%(provider)s answered without a code.", provider=server.title))
    return code


def exchange(
    server: AuthorizationServer,
    client: Client,
    *,
    question: Question,
    code: str,
    scopes: frozenset[str],
    more: Mapping[str, str],
) -> Granted:
    """Return what a code stands for; `scopes` were asked. Raises SignInError."""
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": question.redirect_uri,
        "code_verifier": question.verifier,
        **more,
    }
    return ask_token(server, client, fields, scopes)
