"""What all that speaks HTTP with a server reads alike."""

import ipaddress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

LONGEST_WAIT = 86_400.0


class GarbledAnswerError(ValueError):
    """An answer is not in its format, or not such as we read."""


def is_loopback(host: str) -> bool:
    """Return True if a host is this machine, to which nothing travels."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """Return the host that an address names; empty where it names none."""
    try:
        return urlsplit(url.strip()).hostname or ""
    except ValueError:
        return ""


def can_be_looked_up(host: str) -> bool:
    """Return True if each part of a host's name has one to 63 letters (RFC 1035 2.3.4)."""
    return all(0 < len(label) <= 63 for label in host.removesuffix(".").split("."))


def is_safe(url: str) -> bool:
    """Return True if credentials may go to an address: by https, or by http on this machine.

    It names no user, who would be signed in instead.
    """
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        return False
    if "@" in parts.netloc or any(ord(letter) < 33 for letter in url):
        return False
    if not can_be_looked_up(host):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))


def read_retry_after(value: str) -> float | None:
    """Return the seconds that a header asks us to wait (RFC 9110 10.2.3), a day at most."""
    if not value:
        return None
    if value.strip().isdecimal() and value.isascii():
        return min(float(value.strip()[:9]), LONGEST_WAIT)
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    seconds = (until - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), LONGEST_WAIT)
