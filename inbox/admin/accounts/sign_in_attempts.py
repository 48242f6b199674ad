"""Sign-ins under way: encrypted in the session of whoever began them, for a while, and once."""

import base64
import hashlib
import json
import time
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from django.core.cache import cache
from django.http import HttpRequest

from inbox.accounts.credentials import CredentialError, decrypt, encrypt
from inbox.providers.sign_in.authorization import Question
from inbox.providers.sign_in.declared import Kind
from inbox.providers.sign_in.device import DeviceCode
from inbox.providers.sign_in.discovery import AuthorizationServer

# What a sign-in is for: an account with its mail, or a server with its other things.
Purpose: TypeAlias = Literal["mail", "source"]
SECONDS = 1800
MOST = 5
_NAME = "provider_sign_ins"


@dataclass(frozen=True, slots=True)
class Attempt:
    """What was begun: by whom, where, and what shall come of it.

    `account_id` is the account to sign in to again; None makes a new one in the workspace.
    `purpose`: its mail, or a server with the other `kinds`, `source` being the one to sign in to
    again. It has either a question to the browser or a code for another device.
    """

    provider: str
    server: AuthorizationServer
    user_id: int
    workspace_id: int
    account_id: int | None
    name: str
    kinds: tuple[Kind, ...]
    onward: str
    until: float
    purpose: Purpose = "mail"
    source: str = ""
    question: Question | None = None
    code: DeviceCode | None = None
    # When a code may be asked about again.
    ask_at: float = 0


def key_of(secret: str) -> str:
    """Return the name under which an attempt is kept, which tells nothing of its secret."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()[:32]


def keep(request: HttpRequest, key: str, attempt: Attempt) -> None:
    """Keep an attempt in the session; the oldest makes room."""
    kept: dict[str, str] = request.session.get(_NAME) or {}
    kept.pop(key, None)
    names = list(kept)[-(MOST - 1) :]
    sealed = base64.b64encode(encrypt(json.dumps(asdict(attempt)))).decode()
    request.session[_NAME] = {**{name: kept[name] for name in names}, key: sealed}


def look(request: HttpRequest, key: str) -> Attempt | None:
    """Return an attempt of this session's person; None where there is none, or it is too late."""
    sealed = (request.session.get(_NAME) or {}).get(key)
    if not sealed:
        return None
    try:
        fields = json.loads(decrypt(base64.b64decode(sealed)).reveal())
        attempt = _read(fields)
    except (CredentialError, ValueError, TypeError, KeyError):
        return None
    is_ours = attempt.user_id == request.user.pk and attempt.until > time.time()
    return attempt if is_ours else None


def drop(request: HttpRequest, key: str) -> None:
    """Forget an attempt."""
    kept: dict[str, str] = request.session.get(_NAME) or {}
    if kept.pop(key, None) is not None:
        request.session[_NAME] = kept


def claim(key: str) -> bool:
    """Return True for the first who completes an attempt: two requests may come with it at once."""
    return cache.add(f"provider-sign-in:{key}", 1, SECONDS)


def _read(fields: dict[str, Any]) -> Attempt:
    question, code = fields["question"], fields["code"]
    return Attempt(
        **{
            **fields,
            "server": AuthorizationServer(**fields["server"]),
            "kinds": tuple(fields["kinds"]),
            "question": Question(**question) if question else None,
            "code": DeviceCode(**code) if code else None,
        }
    )
