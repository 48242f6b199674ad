"""One request to an authorization server: bounded in size and time, and never redirected."""

import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx

from inbox.providers.http.json_values import read_json
from inbox.providers.web import is_loopback

SECONDS = 20.0
LONGEST_ANSWER = 65_536
LONGEST_URL = 1000
_CODE = re.compile(r"[a-z_]{1,60}")
_PASSING = frozenset({"temporarily_unavailable", "server_error", "slow_down"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, whole."""

    status: int
    body: bytes

    @property
    def fields(self) -> dict[str, Any]:
        """The object that it holds; an empty one where it holds none."""
        try:
            found = read_json(self.body)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def error(self) -> str:
        """The code of an error (RFC 6749 5.2); only that, for a server may repeat what it got."""
        code = str(self.fields.get("error", ""))
        return code if _CODE.fullmatch(code) else ""

    @property
    def is_passing(self) -> bool:
        """Whether the same request may well be answered later."""
        return self.status >= 500 or self.status in (408, 429) or self.error in _PASSING


def check_url(url: str) -> None:
    """Raise ValueError, saying why, for an address that tokens are not sent to."""
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError(f"it is no address of at most {LONGEST_URL} plain characters")
    parts = urlsplit(url)
    if not parts.hostname or "@" in parts.netloc or parts.fragment or parts.port == 0:
        raise ValueError("it must name a host, without a user and without a fragment")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname)):
        raise ValueError("it must begin with https://")


def ask(
    method: str,
    url: str,
    *,
    fields: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    auth: tuple[str, str] | None = None,
    seconds: float = SECONDS,
) -> Answer:
    """Return the answer to one request: no redirects, no proxies, no cookies, within `seconds`.

    Raises httpx.HTTPError or OSError where there is none, or it does not end.
    """
    end = time.monotonic() + seconds
    # As it is: what is counted is what travels, and nothing small unpacks to something huge.
    kept = {"accept": "application/json", "accept-encoding": "identity", **(headers or {})}
    with (
        httpx.Client(
            verify=_trust(), follow_redirects=False, trust_env=False, timeout=seconds / 2
        ) as client,
        client.stream(
            method, url, data=fields, headers=kept, auth=httpx.BasicAuth(*auth) if auth else None
        ) as answer,
    ):
        body = b""
        for part in answer.iter_raw():
            body += part
            if len(body) > LONGEST_ANSWER or time.monotonic() > end:
                raise httpx.ReadTimeout("the answer does not end")
        return Answer(answer.status_code, body)


@cache
def _trust() -> ssl.SSLContext:
    """Return the authorities that are trusted, read once: that takes longer than a request here."""
    return httpx.create_ssl_context(trust_env=False)
