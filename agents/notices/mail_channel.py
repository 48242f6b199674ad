"""The operator's own way to send mail to the people who use Chancery: for notices alone.

It has nothing to do with agents' accounts, and what agents say cannot get into it.
"""

from dataclasses import dataclass
from email.utils import formatdate
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from agents.notices.summary import host
from inbox.reasons import own
from inbox.reasons import phrase as _

_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
_PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
TIMEOUT = 20


class ChannelError(Exception):
    """The setting names no server, in words."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Where the mail goes in."""

    host: str
    port: int
    username: str
    password: str
    scheme: str

    @property
    def starts_tls(self) -> bool:
        """Whether TLS begins after the greeting; nothing is sent without, but on this machine."""
        return self.scheme == "smtp" and self.host not in _LOOPBACK


def is_there() -> bool:
    """Return True if the operator has given us a way to send mail."""
    return bool(settings.NOTIFY_SMTP)


def read_channel(url: str) -> Channel:
    """Return the server that an address such as smtps://user:password@host names."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ChannelError(own(str(error))) from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ChannelError(
            _("It must start with smtp://, smtps:// or smtp+plain:// and name a host")
        )
    return Channel(
        parts.hostname, port or _PORTS[parts.scheme], unquote(parts.username or ""),
        unquote(parts.password or ""), parts.scheme,
    )  # fmt: skip


def send_mail(*, to: str, subject: str, text: str, key: str) -> None:
    """Send one plain text, marked as written by a program (RFC 3834 5, RFC 2919).

    Raises ChannelError, smtplib.SMTPException or OSError. `key` makes its Message-ID, which is the
    same each time it is tried.
    """
    channel = read_channel(settings.NOTIFY_SMTP)
    connection = get_connection(
        _BACKEND, host=channel.host, port=channel.port, username=channel.username,
        password=channel.password, use_tls=channel.starts_tls,
        use_ssl=channel.scheme == "smtps", timeout=TIMEOUT, fail_silently=False,
    )  # fmt: skip
    headers = {
        "Message-ID": f"<{key}@{host()}>",
        "Date": formatdate(),
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        "List-Id": f"Chancery notices <notices.{host()}>",
    }
    sender = settings.NOTIFY_FROM or f"chancery@{host()}"
    EmailMessage(subject, text, sender, [to], headers=headers, connection=connection).send()
