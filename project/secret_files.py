"""Secrets that a set-up without configuration makes for itself, once."""

import base64
import os
import secrets
from pathlib import Path


def read_or_make_secret(path: Path) -> str:
    """Return the secret kept in `path`; make it first, for its owner only, if there is none.

    The secret is 32 random bytes in URL-safe base64 (44 characters), which is also a Fernet key.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(base64.urlsafe_b64encode(secrets.token_bytes(32)).decode())
    return path.read_text().strip()
