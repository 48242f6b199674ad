"""Calls to addresses that somebody typed: only to public hosts, bounded in time and size.

A name is looked up once, each of its addresses is judged, and the connection goes to an address
that was judged. There are no redirects, no proxies and no second look-up.
"""

import ipaddress
import socket
import ssl
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import SplitResult, urlsplit

import httpcore2

from inbox.reasons import ReasonText, of_error, own
from inbox.reasons import phrase as _

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

LONGEST_URL = 1000
LONGEST_ANSWER = 4096
_PORTS = {"https": 443, "http": 80}
# Stands for IPv4 addresses by translation (RFC 6052), private ones among them.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_AGENT = "Chancery-Webhooks"


class NotAllowed(Exception):  # noqa: N818
    """The address is none that we call, in words."""


class NotReached(Exception):  # noqa: N818
    """Nobody answered properly there, in words."""


class NotInTime(NotReached):
    """No answer came whole in time."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back: the HTTP status, the beginning of the body, and two of its headers."""

    status: int
    text: str
    retry_after: str = ""
    media_type: str = ""
    # Whether there was more of the body than was read.
    is_cut: bool = False


def check_url(url: str, allowed: Collection[str]) -> None:
    """Raise NotAllowed unless it is an https address that may be public.

    `allowed` are hosts, as written in the address, for which http and private addresses will do.
    """
    parts = _split(url)
    if parts.scheme == "http" and _host(parts) not in allowed:
        raise NotAllowed(_("It must start with https://"))


def post(
    url: str,
    *,
    body: bytes,
    headers: dict[str, str],
    allowed: Collection[str],
    seconds: float,
    longest: int = LONGEST_ANSWER,
) -> Answered:
    """Send a JSON body and return the answer, whatever its status, within so many seconds.

    `longest` is how many bytes of the body are read. Raises NotAllowed, or NotReached where there
    was no answer.
    """
    fields = {"content-type": "application/json", **headers}
    return _ask("POST", url, _Asking(fields, body, allowed, seconds, longest))


def get(
    url: str, *, accept: str, allowed: Collection[str], seconds: float, longest: int
) -> Answered:
    """Return what is at an address, within so many seconds; of a body over `longest` a byte more.

    Raises NotAllowed, or NotReached where there was no answer.
    """
    return _ask("GET", url, _Asking({"accept": accept}, None, allowed, seconds, longest + 1))


@dataclass(frozen=True, slots=True)
class _Asking:
    """What is sent, and how much time and room an answer has."""

    headers: dict[str, str]
    body: bytes | None
    allowed: Collection[str]
    seconds: float
    longest: int


def _ask(method: str, url: str, asking: _Asking) -> Answered:
    check_url(url, asking.allowed)
    seconds, is_trusted = asking.seconds, _host(_split(url)) in asking.allowed
    backend = _Guarded(time.monotonic() + seconds, is_trusted=is_trusted)
    fields = {"user-agent": _AGENT, **asking.headers}
    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
    try:
        with (
            httpcore2.ConnectionPool(network_backend=backend, retries=0) as pool,
            pool.stream(
                method,
                url,
                headers=list(fields.items()),
                content=asking.body,
                extensions={"timeout": timeouts},
            ) as response,
        ):
            return _read(response, asking.longest)
    except httpcore2.TimeoutException as error:
        words = _("No answer within %(seconds)s seconds", seconds=f"{seconds:g}")
        raise NotInTime(words) from error
    except (
        httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol, OSError,
        ValueError,
    ) as error:  # fmt: skip
        raise NotReached(_("No answer: %(why)s", why=_why(error))) from error


def _why(error: Exception) -> ReasonText:
    """Return what broke off, by our codes where the words are ours."""
    if error.args and isinstance(error.args[0], ReasonText):
        return of_error(error)
    return own(str(error)[:300] or type(error).__name__)


def is_public(address: Address) -> bool:
    """Return True if an address is of the public internet, whatever it is wrapped in."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            return is_public(inner)
        if address in _NAT64 or address.is_site_local or address.teredo is not None:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def _split(url: str) -> SplitResult:
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        raise NotAllowed(
            _("This is not an address of at most %(most)s plain characters", most=LONGEST_URL)
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise NotAllowed(_("This is not an address")) from None
    if parts.scheme not in _PORTS or not parts.hostname or port == 0:
        raise NotAllowed(_("It must start with https:// and name a host"))
    if "@" in parts.netloc or parts.fragment or "\\" in url:
        raise NotAllowed(_("It must name a host, with no user and no fragment"))
    return parts


def _host(parts: SplitResult) -> str:
    return (parts.hostname or "").lower()


def _read(response: httpcore2.Response, longest: int) -> Answered:
    head = {name.lower(): value for name, value in response.headers}
    kept = b""
    for part in response.iter_stream():
        kept += part
        if len(kept) > longest:
            break
    text = kept[:longest].decode("utf-8", "replace").replace("\0", "�")
    retry_after, kind = (
        head.get(name, b"").decode("latin-1") for name in (b"retry-after", b"content-type")
    )
    kind = kind.partition(";")[0].strip().lower()
    return Answered(response.status, text, retry_after, kind, is_cut=len(kept) > longest)


class _Guarded(httpcore2.NetworkBackend):
    """Connects to judged addresses only, and has everything done by a deadline."""

    def __init__(self, deadline: float, *, is_trusted: bool) -> None:
        self._deadline = deadline
        self._is_trusted = is_trusted
        self._plain = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Look the host up, judge what is found, and connect to the first that answers."""
        addresses = self._judged(host, port)
        for number, address in enumerate(addresses, 1):
            try:
                left = _left(self._deadline)
                stream = self._plain.connect_tcp(
                    str(address), port, left / 2 if number < len(addresses) else left,
                    socket_options=socket_options,
                )  # fmt: skip
                return _DeadlineStream(stream, self._deadline)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if number == len(addresses):
                    raise
        raise httpcore2.ConnectError(_("%(host)s has no address", host=host))

    def _judged(self, host: str, port: int) -> list[Address]:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore2.ConnectError(_("%(host)s has no address", host=host)) from error
        # A zone, as in fe80::1%eth0, is no part of what is judged.
        named = dict.fromkeys(str(where[4][0]).partition("%")[0] for where in found)
        addresses = [ipaddress.ip_address(name) for name in named]
        if not self._is_trusted and not all(is_public(address) for address in addresses):
            raise NotAllowed(_("%(host)s leads to an address that is not public", host=host))
        return addresses[:4]


class _DeadlineStream(httpcore2.NetworkStream):
    """A stream on which no step waits beyond the deadline of the whole."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        """Read some."""
        return self._stream.read(max_bytes, _left(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        """Write all."""
        self._stream.write(buffer, _left(self._deadline))

    def close(self) -> None:
        """Close it."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore2.NetworkStream:
        """Go on encrypted; the certificate must be that of the name, not of the address."""
        left = _left(self._deadline)
        return _DeadlineStream(
            self._stream.start_tls(ssl_context, server_hostname, left), self._deadline
        )

    def get_extra_info(self, info: str) -> Any:
        """Tell of the connection."""
        return self._stream.get_extra_info(info)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout
    return left
