"""How mail reaches the people who use Chancery: notices alone, with nothing that an agent says.

The operator's own server sends it. Where there is none, an account of a workspace of theirs does,
if an owner allowed that.
"""

from dataclasses import dataclass
from email.message import EmailMessage as PlainMessage
from email.utils import formatdate
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from agents.notices.summary import host
from inbox.operations.sending.notices import accounts_for_notices, send_notice
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


def has_server() -> bool:
    """Return True if the operator has given us a way to send mail."""
    return bool(settings.NOTIFY_SMTP)


def is_there(user_id: int) -> bool:
    """Return True if mail can reach this person: by the operator's server, or by an account."""
    return has_server() or accounts_for_notices(user_id).exists()


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


def send_mail(*, user_id: int, to: str, subject: str, text: str, key: str) -> None:
    """Send one plain text, marked as written by a program (RFC 3834 5, RFC 2919).

    Raises ChannelError, ProviderError, smtplib.SMTPException or OSError. `key` makes its
    Message-ID, which is the same each time it is tried.
    """
    headers = {
        "Message-ID": f"<{key}@{host()}>",
        "Date": formatdate(),
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        "List-Id": f"Chancery notices <notices.{host()}>",
    }
    if has_server():
        _send_by_server(to=to, subject=subject, text=text, headers=headers)
        return
    account = accounts_for_notices(user_id).first()
    if account is None:
        raise ChannelError(_("No server or account may send it"))
    message = PlainMessage()
    for name, value in {"Subject": subject, **headers}.items():
        message[name] = value
    message.set_content(text)
    send_notice(account, to=to, message=message)


def _send_by_server(*, to: str, subject: str, text: str, headers: dict[str, str]) -> None:
    channel = read_channel(settings.NOTIFY_SMTP)
    connection = get_connection(
        _BACKEND, host=channel.host, port=channel.port, username=channel.username,
        password=channel.password, use_tls=channel.starts_tls,
        use_ssl=channel.scheme == "smtps", timeout=TIMEOUT, fail_silently=False,
    )  # fmt: skip
    sender = settings.NOTIFY_FROM or f"chancery@{host()}"
    EmailMessage(subject, text, sender, [to], headers=headers, connection=connection).send()
