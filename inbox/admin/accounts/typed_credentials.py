"""A credential typed and not kept yet: encrypted in the session, so it is typed but once."""

import base64
import time
from typing import Any

from django.http import HttpRequest

from inbox.accounts.credentials import (
    CredentialError,
    Tokens,
    decrypt,
    decrypt_tokens,
    encrypt,
    encrypt_tokens,
)
from inbox.operations.accounts.connecting import Credential

SECONDS = 900
_NAME = "typed_credential"


def remember(request: HttpRequest, purpose: str, credential: Credential | None) -> None:
    """Keep it for a quarter of an hour; `purpose` says for what it was typed."""
    if credential is None:
        return
    is_tokens = isinstance(credential, Tokens)
    ciphertext = encrypt_tokens(credential) if is_tokens else encrypt(credential.reveal())  # type: ignore[arg-type, union-attr]
    request.session[_NAME] = {
        "purpose": purpose,
        "until": time.time() + SECONDS,
        "is_tokens": is_tokens,
        "sealed": base64.b64encode(ciphertext).decode(),
    }


def recall(request: HttpRequest, purpose: str) -> Credential | None:
    """Return what was typed for this, None where nothing was or it is too long ago."""
    kept: dict[str, Any] = request.session.get(_NAME) or {}
    if kept.get("purpose") != purpose or kept.get("until", 0) < time.time():
        return None
    ciphertext = base64.b64decode(kept["sealed"])
    try:
        return decrypt_tokens(ciphertext) if kept["is_tokens"] else decrypt(ciphertext)
    except CredentialError:
        return None


def forget(request: HttpRequest) -> None:
    """Forget what was typed."""
    request.session.pop(_NAME, None)
