"""Names with a hash of the content: under one of these a browser keeps a file for a year."""

import hashlib
import re
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders

from project.assets.bundles import BUNDLES

_HASHED = re.compile(r"^(?P<stem>.+)\.(?P<hash>[0-9a-f]{12})(?P<suffix>\.\w+)$")


def hash_of(content: bytes) -> str:
    """Return the 12 hexadecimal digits that stand in a name for this content."""
    return hashlib.sha256(content).hexdigest()[:12]


def with_hash(name: str) -> str:
    """Return the name under which pages ask for a static file; as it is where there is none."""
    found = _hash_now(name) if settings.DEBUG else _hash_once(name)
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}.{found}{dot}{suffix}" if found and dot else name


def without_hash(name: str) -> tuple[str, str]:
    """Return the name of a file, and the hash that stood in it or an empty text."""
    found = _HASHED.match(name)
    return (f"{found['stem']}{found['suffix']}", found["hash"]) if found else (name, "")


def _hash_now(name: str) -> str:
    if name in BUNDLES:
        return hash_of(BUNDLES[name]())
    path = Path(finders.find(name) or "")
    return hash_of(path.read_bytes()) if path.is_file() else ""


_hash_once = cache(_hash_now)
