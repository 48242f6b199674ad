"""Secrets that a set-up without configuration makes for itself, once."""

import base64
import os
import secrets
from contextlib import suppress
from pathlib import Path


def read_or_make_secret(path: Path, size: int = 32) -> str:
    """Return the secret kept in `path`; make it first, for its owner only, if there is none.

    So is the folder, where there is none: the data folder, in which everybody's mail comes to lie.
    The secret is random bytes in URL-safe base64; 32 of them are also a Fernet key.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        _make(path, base64.urlsafe_b64encode(secrets.token_bytes(size)))
    return path.read_text().strip()


def _make(path: Path, secret: bytes) -> None:
    """Write it whole before it has its name: of two processes that start at once, one wins."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secret)
    with suppress(FileExistsError):
        path.hardlink_to(draft)
    draft.unlink()
