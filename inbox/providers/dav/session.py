"""Requests to a DAV server: lists are read as they come, and redirects followed on one host."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from inbox.accounts.credentials import Secret
from inbox.providers.dav.hrefs import UnfitAddressError, host_of, origin, resolved
from inbox.providers.dav.multistatus import Multistatus, Reader
from inbox.providers.dav.settings import DavSettings
from inbox.providers.http.failures import failures_of, redirected
from inbox.providers.http.reading import Answer, beginning, pieces
from inbox.providers.http.session import REDIRECTS, Asked, HttpSession, refused
from inbox.providers.http.signing_in import Credentials, Renew

MOST_REDIRECTS = 5
# Bytes of an answer that lists things.
LONGEST_LISTING = 96 * 1024 * 1024
# 303 leads to another thing than the one that was asked for.
_FOLLOWED = REDIRECTS - {303}
_XML = "application/xml; charset=utf-8"


class Session(HttpSession):
    """A client of a server with the credentials of one source."""

    def __init__(self, settings: DavSettings, secret: Secret, renew: Renew | None = None) -> None:
        credentials = Credentials(settings.auth, settings.username, secret, renew)
        super().__init__(credentials, timeout=settings.timeout, ca_file=settings.ca_file)

    def multistatus(
        self, method: str, url: str, body: bytes, depth: str = "0"
    ) -> tuple[str, Multistatus]:
        """Return what a PROPFIND or REPORT finds, and where; raises StoreError for a refusal."""
        url, answer = self.try_multistatus(method, url, body, depth)
        if isinstance(answer, Answer):
            raise refused(answer)
        return url, answer

    def try_multistatus(
        self, method: str, url: str, body: bytes, depth: str = "0", longest: int = LONGEST_LISTING
    ) -> tuple[str, Multistatus | Answer]:
        """Return what it finds, or the answer that refuses it."""
        headers = {"Content-Type": _XML, "Depth": depth}
        with self.sent(Asked(method, url, headers, body)) as (found_at, answer):
            if answer.status_code != 207:
                said = beginning(answer)
                return found_at, Answer(found_at, answer.status_code, answer.headers, said)
            reader = Reader()
            for piece in pieces(answer, longest):
                reader.feed(piece)
            return found_at, reader.end()

    @contextmanager
    def sent(self, asked: Asked) -> Iterator[tuple[str, httpx.Response]]:
        """Send a request, and again to where it is redirected on the same host."""
        with failures_of(host_of(asked.url)):
            url = asked.url
            for _number in range(MOST_REDIRECTS + 1):
                answer = self.send(asked, url)
                try:
                    target = answer.headers.get("location", "")
                    if answer.status_code not in _FOLLOWED or not asked.signed_in or not target:
                        yield url, answer
                        return
                finally:
                    answer.close()
                url = _next(url, target)
        raise redirected(host_of(asked.url))


def _next(url: str, target: str) -> str:
    """Return where a redirect leads; raises StoreError where that is another host."""
    try:
        found = resolved(url, target)
    except UnfitAddressError as error:
        raise redirected(host_of(url)) from error
    is_raised = host_of(found) == host_of(url) and not url.startswith("https:")
    if origin(found) != origin(url) and not (is_raised and found.startswith("https:")):
        raise redirected(host_of(url))
    return found
