"""A client of one server with one credential."""

import json
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Self
from urllib.parse import urlencode

import httpx

from inbox.providers.http.failures import failures_of, redirected, refusal
from inbox.providers.http.reading import LONGEST_WORDS, Answer, read
from inbox.providers.http.signing_in import Credentials
from inbox.providers.mail_store import StoreError
from inbox.providers.tls import tls_context
from inbox.providers.web import host_of, is_safe
from inbox.reasons import phrase as _

# After so long the certificates are read again.
SECONDS_OF_TRUST = 3600
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(slots=True)
class Asked:
    """A request as it is made; without `signed_in` the credential stays here."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    signed_in: bool = True

    @classmethod
    def json(
        cls,
        method: str,
        url: str,
        *,
        query: Mapping[str, Any] | None = None,
        fields: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Self:
        """Return a request for JSON: `query` goes into its address, `fields` into its body."""
        kept = {"Accept": "application/json", **(headers or {})}
        body = b""
        if fields is not None:
            kept["Content-Type"] = "application/json"
            body = json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace")
        return cls(method, f"{url}?{urlencode(query, doseq=True)}" if query else url, kept, body)


class HttpSession:
    """Requests that are signed in, counted and bounded; no cookies, no proxies, no redirects."""

    def __init__(
        self, credentials: Credentials, *, timeout: float = 30.0, ca_file: str | None = None
    ) -> None:
        self.calls = 0
        self._credentials = credentials
        self._client = httpx.Client(
            verify=_trust(ca_file),
            timeout=timeout,
            follow_redirects=False,
            trust_env=False,
            headers={"User-Agent": "Chancery", "Accept-Encoding": "identity"},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            limits=httpx.Limits(max_connections=2, max_keepalive_connections=2),
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(self, asked: Asked, longest: int = LONGEST_WORDS) -> Answer:
        """Return the answer, whatever its status; raises StoreError where there is none.

        `longest` is in bytes; of an answer that is no success only the beginning is kept.
        """
        with self.sent(asked) as (url, answer):
            body = read(answer, longest)
            return Answer(url, answer.status_code, answer.headers, body)

    def ask_json(self, asked: Asked, longest: int) -> dict[str, Any]:
        """Return the JSON object of a success, an empty one for an answer without a body.

        Raises StoreError for every other.
        """
        return read_fields(self.ask(asked, longest))

    @contextmanager
    def sent(self, asked: Asked) -> Iterator[tuple[str, httpx.Response]]:
        """Send a request; its answer is read within, and let go of afterwards."""
        with failures_of(host_of(asked.url)):
            answer = self.send(asked, asked.url)
            try:
                yield asked.url, answer
            finally:
                answer.close()

    def send(self, asked: Asked, url: str) -> httpx.Response:
        """Send a request to an address, and again where the credential can be bettered.

        Raises StoreError (`permanent`) for an address to which nothing is sent.
        """
        if not is_safe(url):
            raise StoreError("permanent", _("The address must begin with https://."))
        request = self._client.build_request(
            asked.method, url, headers=asked.headers, content=asked.body or None
        )
        if asked.signed_in:
            self._credentials.sign(request)
        self.calls += 1
        answer = self._client.send(request, stream=True)
        if asked.signed_in and self._credentials.sign_again(request, answer):
            answer.close()
            self.calls += 1
            answer = self._client.send(request, stream=True)
            self._credentials.note(answer)
        return answer


def refused(answer: Answer) -> StoreError:
    """Return what an answer that is no success means."""
    host = host_of(answer.url)
    if 300 <= answer.status < 400:
        return redirected(host)
    return refusal(host, answer.status, answer.headers, answer.body)


def read_fields(
    answer: Answer, meaning: Callable[[Answer], StoreError] = refused
) -> dict[str, Any]:
    """Return the JSON object of a success, an empty one for an answer without a body.

    Raises StoreError for all else: of a refusal what `meaning` makes of it.
    """
    if not answer.is_good:
        raise meaning(answer)
    with failures_of(host_of(answer.url)):
        return answer.fields() if answer.body else {}


def _trust(ca_file: str | None) -> ssl.SSLContext:
    try:
        return _trusted(ca_file, int(time.time() // SECONDS_OF_TRUST))
    except OSError as error:
        words = _("The file of certificates cannot be read: %(why)s.", why=str(error.strerror))
        raise StoreError("permanent", words) from error


@lru_cache(maxsize=8)
def _trusted(ca_file: str | None, _hour: int) -> ssl.SSLContext:
    # To read the certificates takes longer than most requests.
    return tls_context(ca_file)
