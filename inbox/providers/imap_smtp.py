"""Mail through the servers of an account's settings; here, the sending half (SMTP)."""

import base64
import ipaddress
import re
import ssl
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

from inbox.credentials import Secret
from inbox.providers.base import (
    Capabilities,
    Connection,
    ErrorKind,
    HandOver,
    Parcel,
    ProviderError,
    ProviderReceipt,
    check_parcel,
)
from inbox.providers.smtp_connection import GarbledReplyError, Reply, SmtpConnection
from inbox.providers.wire import dot_stuffed, needs_smtputf8

Security: TypeAlias = Literal["tls", "starttls", "none"]
PORTS: dict[str, int] = {"tls": 465, "starttls": 587, "none": 25}
_HOST = re.compile(r"[A-Za-z0-9._:-]{1,253}")


def _permanent(words: str, reply: object = "") -> ProviderError:
    return ProviderError("permanent", words, str(reply))


@dataclass(frozen=True, slots=True)
class SmtpSettings:
    """`Account.settings` of this provider, checked. Times are in seconds."""

    host: str
    port: int
    security: Security
    username: str
    timeout: float
    answer_timeout: float
    ca_file: str | None

    @classmethod
    def read(cls, connection: Connection) -> Self:
        """Check them; raises ProviderError (`permanent`) naming the one that cannot be used."""
        given = connection.settings
        security = given.get("smtp_security", "tls")
        if security not in PORTS:
            raise _permanent("The account's smtp_security must be tls, starttls or none.")
        host = given.get("smtp_host")
        if not isinstance(host, str) or not _HOST.fullmatch(host):
            raise _permanent("The account's smtp_host must be the name of a server.")
        return cls(
            host=host,
            port=int(_number(given, "smtp_port", PORTS[security], 65535)),
            security=security,
            username=str(given.get("username") or connection.address),
            timeout=_number(given, "smtp_timeout", 60, 600),
            # RFC 5321 4.5.3.2.6: ten minutes for the answer to the final dot.
            answer_timeout=_number(given, "smtp_answer_timeout", 600, 3600),
            ca_file=given.get("smtp_ca_file") or None,
        )


def _number(given: dict[str, Any], name: str, usual: float, most: float) -> float:
    value = given.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
        raise _permanent(f"The account's {name} must be a number up to {most}.")
    return value


class ImapSmtp:
    """Sends through an SMTP server (RFC 5321, 6409): to every recipient, or to none."""

    capabilities = Capabilities(idempotent=False, finds_sent=False)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find_sent(self, message_id: str) -> None:  # noqa: ARG002
        """SMTP cannot tell what it sent."""
        return

    def refresh(self, resource: str) -> None:
        """Do nothing: only the sending half is here, and what came in stands in our rows."""

    def submit(self, parcel: Parcel, hand_over: HandOver) -> ProviderReceipt:
        """Send exactly the parcel's bytes.

        Until the final dot every trouble is `transient` or `permanent`: the server must forget a
        message whose end it has not seen. From then on only its answer counts.
        """
        settings = SmtpSettings.read(self._connection)
        check_parcel(parcel)
        with _before_the_dot(settings.host):
            connection = SmtpConnection.open(settings.host, settings.port, settings.timeout)
        with closing(connection):
            with _before_the_dot(settings.host):
                extensions = _greet(connection, settings)
                _log_in(connection, settings, extensions, self._connection.secret)
                _announce(connection, parcel, extensions)
                connection.send(dot_stuffed(parcel.mime))
                if early := connection.early_reply():
                    raise _refusal("The server refused the message", early)
            hand_over()
            return _end_message(connection, settings)


@contextmanager
def _before_the_dot(host: str) -> Iterator[None]:
    """Turn trouble into what it means while nothing was handed over."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        words = f"The certificate of {host} cannot be trusted: {error.verify_message}."
        raise _permanent(words) from error
    except (OSError, GarbledReplyError) as error:
        raise ProviderError("transient", f"{host}: {_in_words(error)}.") from error


def _in_words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed ({error.reason})"
    return str(getattr(error, "strerror", None) or error or type(error).__name__)


def _refusal(words: str, reply: Reply) -> ProviderError:
    """Return what a reply that is not the expected one means."""
    kind: ErrorKind = "permanent" if reply.code >= 500 else "transient"
    return ProviderError(kind, f"{words}:", str(reply))


# -- before the message ----------------------------------------------------------------------------
def _greet(connection: SmtpConnection, settings: SmtpSettings) -> dict[str, str]:
    """Say hello, under TLS as the settings ask; return the extensions with their parameters."""
    if settings.security == "tls":
        connection.start_tls(_tls_context(settings), settings.host)
    _expect(connection.read_reply(), 220, "The server does not take mail")
    extensions = _ehlo(connection)
    if settings.security == "starttls":
        # No going on in the clear: whoever stands in between could have removed the offer.
        if "STARTTLS" not in extensions:
            raise _permanent(f"{settings.host} does not offer STARTTLS; nothing was sent.")
        _expect(connection.command("STARTTLS"), 220, "The server refused STARTTLS")
        connection.start_tls(_tls_context(settings), settings.host)
        extensions = _ehlo(connection)
    return extensions


def _tls_context(settings: SmtpSettings) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=settings.ca_file)
    except OSError as error:
        raise _permanent("The account's smtp_ca_file cannot be read.") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _ehlo(connection: SmtpConnection) -> dict[str, str]:
    reply = connection.command(f"EHLO {connection.own_name}")
    _expect(reply, 250, "The server refused EHLO")
    pairs = (line.replace("=", " ", 1).partition(" ") for line in reply.lines[1:])
    return {name.upper(): parameters.strip().upper() for name, _, parameters in pairs}


def _expect(reply: Reply, code: int, words: str) -> None:
    if reply.code != code:
        raise _refusal(words, reply)


def _log_in(
    connection: SmtpConnection, settings: SmtpSettings, extensions: dict[str, str], secret: Secret
) -> None:
    if not secret:
        return
    on_this_machine = ipaddress.ip_address(connection.peer.partition("%")[0]).is_loopback
    if not connection.is_encrypted and not on_this_machine:
        raise _permanent("A password is sent over TLS only; nothing was sent.")
    mechanisms = extensions.get("AUTH", "").split()
    if "PLAIN" in mechanisms:
        reply = connection.command(f"AUTH PLAIN {_plain(settings.username, secret)}")
    elif "LOGIN" in mechanisms:
        reply = _auth_login(connection, settings.username, secret)
    else:
        raise _permanent(f"{settings.host} offers no way to log in that we know.")
    if reply.code != 235:
        # Only the code: a server may repeat in its text what it was told.
        raise _refusal("The server refused the login", Reply(reply.code, ()))


def _plain(username: str, secret: Secret) -> str:
    return base64.b64encode(f"\0{username}\0{secret.reveal()}".encode()).decode()


def _auth_login(connection: SmtpConnection, username: str, secret: Secret) -> Reply:
    reply = connection.command("AUTH LOGIN")
    for text in (username, secret.reveal()):
        if reply.code != 334:
            return reply
        reply = connection.command(base64.b64encode(text.encode()).decode())
    return reply


# -- the message -----------------------------------------------------------------------------------
def _announce(connection: SmtpConnection, parcel: Parcel, extensions: dict[str, str]) -> None:
    """Speak the envelope and DATA; one refused recipient, and nobody gets it."""
    parameters = _mail_parameters(parcel, extensions)
    reply = connection.command(f"MAIL FROM:<{parcel.envelope.sender}>{parameters}")
    _expect(reply, 250, "The server refused the sender")
    refused: dict[str, Reply] = {}
    for recipient in parcel.envelope.recipients:
        reply = connection.command(f"RCPT TO:<{recipient}>")
        if reply.code == 421:
            raise _refusal("The server ended the conversation", reply)
        if reply.code not in (250, 251):
            refused[recipient] = reply
    if refused:
        _forget(connection)
        raise _refused_recipients(refused)
    _expect(connection.command("DATA"), 354, "The server refused the message")


def _mail_parameters(parcel: Parcel, extensions: dict[str, str]) -> str:
    size, most = len(parcel.mime), extensions.get("SIZE", "")
    if most.isdecimal() and 0 < int(most) < size:
        raise _permanent(f"The message has {size} bytes; the server takes at most {most}.")
    parameters = f" SIZE={size}" if "SIZE" in extensions else ""
    addresses = (parcel.envelope.sender, *parcel.envelope.recipients)
    if needs_smtputf8(parcel.mime, addresses):
        if "SMTPUTF8" not in extensions:
            raise _permanent("An address is not ASCII, and the server cannot take that (SMTPUTF8).")
        parameters += " SMTPUTF8"
    if not parcel.mime.isascii():
        if "8BITMIME" not in extensions:
            raise _permanent("The message is not ASCII, and the server cannot take that.")
        parameters += " BODY=8BITMIME"
    return parameters


def _forget(connection: SmtpConnection) -> None:
    with suppress(OSError, GarbledReplyError):
        connection.command("RSET")
        connection.send(b"QUIT\r\n")


def _refused_recipients(refused: dict[str, Reply]) -> ProviderError:
    worst = max(refused.values(), key=lambda reply: reply.code)
    kind: ErrorKind = "permanent" if worst.code >= 500 else "transient"
    names = ", ".join(list(refused)[:10]) + (" and others" if len(refused) > 10 else "")
    replies = "; ".join(dict.fromkeys(str(reply) for reply in refused.values()))
    words = f"The server refused {names}, and so nobody was sent anything:"
    return ProviderError(kind, words, replies[:1000])


def _end_message(connection: SmtpConnection, settings: SmtpSettings) -> ProviderReceipt:
    """Send the final dot; only a clear answer tells what became of the message."""
    try:
        reply = connection.send_last(b".\r\n", settings.answer_timeout)
    except (OSError, GarbledReplyError) as error:
        words = f"{settings.host} got the whole message, but gave no answer: {_in_words(error)}."
        raise ProviderError("unknown", words) from error
    if reply.is_positive:
        with suppress(OSError):
            connection.send(b"QUIT\r\n")
        return ProviderReceipt(str(reply))
    if reply.code >= 400:
        raise _refusal("The server refused the message", reply)
    raise ProviderError("unknown", "The server's answer says neither yes nor no:", str(reply))
