"""The file of the keys under which credentials are kept: one line, newest first, with commas."""

import os
import secrets
from pathlib import Path

from cryptography.fernet import Fernet


def put_new_key_first(path: Path) -> None:
    """Make a key and put it before those in the file, which open what they encrypted."""
    _replace(path, ",".join([Fernet.generate_key().decode(), *_keys(path)]))


def drop_old_keys(path: Path) -> int:
    """Keep the newest key only; return how many were removed."""
    newest, *old = _keys(path)
    _replace(path, newest)
    return len(old)


def _keys(path: Path) -> list[str]:
    return [key.strip() for key in path.read_text().split(",")]


def _replace(path: Path, text: str) -> None:
    """Write it whole, on disk, before it takes the place of the old: no key is ever half there."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
