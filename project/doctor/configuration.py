"""What can be told from the settings and the data folder alone."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from cryptography.fernet import Fernet
from django.conf import settings
from django.db import connection
from django.http.request import validate_host

from inbox.language_model.errors import ModelError
from inbox.language_model.server import is_set, read_server
from inbox.semantic import loading
from project.doctor.findings import Finding, bad, good, warn

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_SHORTEST_KEY = 32
_MODEL = "See docs/how-to/use-a-language-model.md; until then everything works by rules."
_SCARCE, _GONE = 2 * 2**30, 200 * 2**20


def look_at_addresses() -> Iterator[Finding]:
    """Look at where people are told to come, and whether such requests would be taken."""
    about, url = "address", urlsplit(settings.BASE_URL)
    host = url.hostname or ""
    if url.scheme not in {"http", "https"} or not host or url.path.strip("/"):
        yield bad(
            about, f"CHANCERY_BASE_URL is {settings.BASE_URL!r}, which is no address of a host.",
            "Set it to where people reach it, such as https://chancery.example.org.",
        )  # fmt: skip
        return
    if not validate_host(host if ":" not in host else f"[{host}]", settings.ALLOWED_HOSTS):
        yield bad(
            about, f"Requests to {host} are refused: it is not in CHANCERY_HOSTS.",
            f"Add {host} to CHANCERY_HOSTS.",
        )  # fmt: skip
    elif url.scheme == "http" and host not in _LOOPBACK:
        yield warn(
            about, f"{settings.BASE_URL} is without TLS: passwords can be read on the way.",
            "Put a proxy with TLS in front, and an https:// address into CHANCERY_BASE_URL.",
        )  # fmt: skip
    else:
        yield good(
            about, f"Links lead to {settings.BASE_URL}, and requests for {host} would be taken."
        )
    if "*" in settings.ALLOWED_HOSTS:
        yield warn(
            about, "CHANCERY_HOSTS takes any host name.", "Name the hosts that it is served as."
        )


def look_at_secrets() -> Iterator[Finding]:
    """Look at the keys: that there are any, that they are fit, and that nobody else reads them."""
    about = "secrets"
    if settings.DEBUG:
        yield bad(
            about, "CHANCERY_DEBUG is set: whoever causes an error sees its details.",
            "Unset CHANCERY_DEBUG.",
        )  # fmt: skip
    if len(settings.SECRET_KEY) < _SHORTEST_KEY:
        yield bad(
            about, "CHANCERY_SECRET_KEY is short enough to be guessed.",
            "Unset it, so that one is made, or set 50 random characters.",
        )  # fmt: skip
    for place, key in enumerate(settings.CREDENTIAL_KEYS, start=1):
        if not _is_fernet_key(key):
            yield bad(
                about, f"Key {place} of CHANCERY_CREDENTIAL_KEYS is no Fernet key.",
                "Each is 32 random bytes in URL-safe base64; separate them by commas.",
            )  # fmt: skip
    yield from _files(about)


def _files(about: str) -> Iterator[Finding]:
    made = [Path(settings.VAR_DIR) / name for name in ("secret.key", "credentials.key")]
    there = [path for path in made if path.exists()]
    open_ones = [path for path in there if path.stat().st_mode & 0o077]
    for path in open_ones:
        yield bad(about, f"Others on this machine can read {path}.", f"chmod 600 {path}")
    if there and connection.vendor != "sqlite":
        yield warn(
            about, f"Keys are kept in {settings.VAR_DIR}, on this machine.",
            "Where several machines do not share that folder, give all of them the same "
            "CHANCERY_SECRET_KEY and CHANCERY_CREDENTIAL_KEYS.",
        )  # fmt: skip
    elif there and not open_ones:
        yield good(about, f"Only their owner can read the files of keys in {settings.VAR_DIR}.")
    elif not there:
        yield good(about, f"The keys come from the environment; none lies in {settings.VAR_DIR}.")


def _is_fernet_key(key: str) -> bool:
    try:
        Fernet(key.strip())
    except ValueError:
        return False
    return True


def look_at_model() -> Iterator[Finding]:
    """Look at whether the settings name a language model, and one that may be asked."""
    if not is_set():
        yield good("model", "No language model is set; everything works by rules.")
        return
    try:
        server = read_server()
    except ModelError as error:
        yield bad("model", f"It cannot be asked. {error.words}", _MODEL)
    else:
        yield good("model", f"{server.label} is asked at {server.url}, where owners turn it on.")


def look_at_meanings() -> Iterator[Finding]:
    """Look at whether mail is found by what it means, and whether the model for it is there."""
    about = "meanings"
    if not loading.is_on():
        yield good(about, "Mail is found by its words; CHANCERY_SEMANTIC_SEARCH is not set.")
    elif why := loading.why_missing():
        yield bad(
            about,
            f"CHANCERY_SEMANTIC_SEARCH is set, and only words are searched: {why}.",
            loading.REMEDY,
        )
    else:
        yield good(about, "Mail is found by what it means as well as by its words.")


def look_at_disk() -> Iterator[Finding]:
    """Look at how much room there is for what is kept."""
    folder = Path(settings.VAR_DIR)
    free = shutil.disk_usage(folder).free
    words = f"{free / 2**30:.1f} GB are free in {folder}."
    if free < _GONE:
        yield bad("disk", words, "Make room: nothing new can be kept soon.")
    elif free < _SCARCE:
        yield warn("disk", words, "Make room before it is used up.")
    else:
        yield good("disk", words)
