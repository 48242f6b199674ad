"""How we speak TLS with a mail server: certificates are checked, and nothing old is spoken."""

import ssl
from functools import lru_cache
from pathlib import Path


def tls_context(ca_file: str | None) -> ssl.SSLContext:
    """Return a context that trusts the system's certificates, or those in a file.

    Raises OSError where the file cannot be read.
    """
    context = ssl.create_default_context(cafile=ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def shared_tls_context(ca_file: str | None) -> ssl.SSLContext:
    """Return such a context for as long as its certificates are the same; nobody may change it.

    To read the system's takes longer than to log in, and they are half a megabyte in memory.
    """
    places = ssl.get_default_verify_paths()
    paths = (ca_file,) if ca_file else (places.cafile, places.capath)
    return _shared(ca_file, tuple(_stamp(path) for path in paths if path))


@lru_cache(maxsize=64)
def _shared(ca_file: str | None, _stamps: tuple[tuple[int, int, int], ...]) -> ssl.SSLContext:
    return tls_context(ca_file)


def _stamp(path: str) -> tuple[int, int, int]:
    found = Path(path).stat()
    return found.st_ino, found.st_size, found.st_mtime_ns
