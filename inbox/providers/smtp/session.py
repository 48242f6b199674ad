"""A session with an SMTP server, up to the login: settings, TLS, hello and who we are."""

import base64
import ipaddress
import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection, ErrorKind, ProviderError
from inbox.providers.smtp.connection import GarbledReplyError, Reply, SmtpConnection
from inbox.providers.tls import tls_context
from inbox.reasons import ReasonText, own
from inbox.reasons import phrase as _

Security: TypeAlias = Literal["tls", "starttls", "none"]
PORTS: dict[str, int] = {"tls": 465, "starttls": 587, "none": 25}
# What may be base64: no word of a language is so long.
_ENCODED = re.compile(r"[A-Za-z0-9+/_=-]{20,}")
_HOST = re.compile(r"[A-Za-z0-9._:-]{1,253}")


def permanent(words: ReasonText, reply: object = "") -> ProviderError:
    """Return the error of what certainly was not taken, and will not be on another try."""
    return ProviderError("permanent", words, str(reply))


def refusal(words: ReasonText, reply: Reply) -> ProviderError:
    """Return what a reply that is not the expected one means (RFC 5321 4.2.1)."""
    kind: ErrorKind = "permanent" if reply.code >= 500 else "transient"
    return ProviderError(kind, _("%(what)s:", what=words), str(reply))


def expect(reply: Reply, code: int, words: ReasonText) -> None:
    """Raise the refusal that a reply with another code is."""
    if reply.code != code:
        raise refusal(words, reply)


@dataclass(frozen=True, slots=True)
class SmtpSettings:
    """`Account.settings` of how mail leaves, checked. Times are in seconds."""

    host: str
    port: int
    security: Security
    username: str
    is_oauth: bool
    timeout: float
    answer_timeout: float
    ca_file: str | None

    @classmethod
    def read(cls, connection: Connection) -> Self:
        """Check them; raises ProviderError (`permanent`) naming the one that cannot be used."""
        given = connection.settings
        security = given.get("smtp_security", "tls")
        if security not in PORTS:
            raise permanent(_("The account's smtp_security must be tls, starttls or none."))
        host = given.get("smtp_host")
        if not isinstance(host, str) or not _HOST.fullmatch(host):
            raise permanent(_("The account's smtp_host must be the name of a server."))
        if given.get("auth", "password") not in ("password", "oauth"):
            raise permanent(_("The account's auth must be password or oauth."))
        return cls(
            host=host,
            port=int(_number(given, "smtp_port", PORTS[security], 65535)),
            security=security,
            username=str(given.get("username") or connection.address),
            is_oauth=given.get("auth") == "oauth",
            timeout=_number(given, "smtp_timeout", 60, 600),
            # RFC 5321 4.5.3.2.6: ten minutes for the answer to the final dot.
            answer_timeout=_number(given, "smtp_answer_timeout", 600, 3600),
            ca_file=given.get("smtp_ca_file") or None,
        )


def _number(given: dict[str, Any], name: str, usual: float, most: float) -> float:
    value = given.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
        raise permanent(
            _("The account's %(name)s must be a number up to %(most)s.", name=name, most=most)
        )
    return value


@dataclass(frozen=True, slots=True)
class Session:
    """A connection that is logged in, and the server's extensions with their parameters."""

    talk: SmtpConnection
    extensions: dict[str, str]


@contextmanager
def session(settings: SmtpSettings, secret: Secret) -> Iterator[Session]:
    """Connect, agree on TLS as the settings ask, and log in; closes what it opened.

    Raises ProviderError: `permanent` or `transient`, for nothing was handed over yet.
    """
    with before_the_dot(settings.host):
        talk = SmtpConnection.open(settings.host, settings.port, settings.timeout)
    try:
        with before_the_dot(settings.host):
            extensions = _greet(talk, settings)
            _log_in(talk, settings, extensions, secret)
        yield Session(talk, extensions)
    finally:
        talk.close()


@contextmanager
def before_the_dot(host: str) -> Iterator[None]:
    """Turn trouble into what it means while nothing was handed over."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        words = _(
            "The certificate of %(host)s cannot be trusted: %(why)s.",
            host=host,
            why=error.verify_message,
        )
        raise permanent(words) from error
    except (OSError, GarbledReplyError) as error:
        raise ProviderError(
            "transient", _("%(host)s: %(why)s.", host=host, why=in_words(error))
        ) from error


def in_words(error: Exception) -> ReasonText:
    """Return what went wrong on the way, for a person."""
    if isinstance(error, TimeoutError):
        return _("no answer in time")
    if isinstance(error, ssl.SSLError):
        return _("TLS failed (%(why)s)", why=error.reason)
    return own(str(getattr(error, "strerror", None) or error or type(error).__name__))


# -- hello -----------------------------------------------------------------------------------------
def _greet(talk: SmtpConnection, settings: SmtpSettings) -> dict[str, str]:
    """Say hello, under TLS as the settings ask; return the extensions with their parameters."""
    if settings.security == "tls":
        talk.start_tls(_tls_context(settings), settings.host)
    expect(talk.read_reply(), 220, _("The server does not accept mail"))
    extensions = _ehlo(talk)
    if settings.security == "starttls":
        # No going on in the clear: whoever stands in between could have removed the offer.
        if "STARTTLS" not in extensions:
            raise permanent(
                _("%(host)s does not offer STARTTLS; nothing was sent.", host=settings.host)
            )
        expect(talk.command("STARTTLS"), 220, _("The server refused STARTTLS"))
        talk.start_tls(_tls_context(settings), settings.host)
        extensions = _ehlo(talk)
    return extensions


def _tls_context(settings: SmtpSettings) -> ssl.SSLContext:
    try:
        return tls_context(settings.ca_file)
    except OSError as error:
        raise permanent(_("The account's smtp_ca_file cannot be read.")) from error


def _ehlo(talk: SmtpConnection) -> dict[str, str]:
    reply = talk.command(f"EHLO {talk.own_name}")
    expect(reply, 250, _("The server refused EHLO"))
    pairs = (line.replace("=", " ", 1).partition(" ") for line in reply.lines[1:])
    return {name.upper(): parameters.strip().upper() for name, _, parameters in pairs}


# -- who we are ------------------------------------------------------------------------------------
def _log_in(
    talk: SmtpConnection, settings: SmtpSettings, extensions: dict[str, str], secret: Secret
) -> None:
    if not secret:
        return
    on_this_machine = ipaddress.ip_address(talk.peer.partition("%")[0]).is_loopback
    if not talk.is_encrypted and not on_this_machine:
        raise permanent(_("Passwords are sent over TLS only; nothing was sent."))
    mechanisms = extensions.get("AUTH", "").split()
    attempt = _with_token if settings.is_oauth else _with_password
    reply = attempt(talk, settings, mechanisms, secret)
    if reply is None:
        raise permanent(_("%(host)s offers no sign-in method we support.", host=settings.host))
    if reply.code != 235:
        words = _("%(host)s refused the sign-in:", host=settings.host)
        kind: ErrorKind = "login" if reply.code >= 500 else "transient"
        raise ProviderError(kind, words, str(_harmless(reply, settings, secret)))


def _harmless(reply: Reply, settings: SmtpSettings, secret: Secret) -> Reply:
    """Return a refusal without what a server may repeat in it of what it was told."""
    told = (secret.reveal(), f"\0{settings.username}\0{secret.reveal()}")
    parts = [_run_together(part)[:8] for word in told for part in (word, _base64(word))]
    text = " ".join(reply.lines)
    if any(part in _run_together(text) for part in parts):
        return Reply(reply.code, ())
    return Reply(reply.code, (_ENCODED.sub("…", text),))


def _run_together(text: str) -> str:
    """Return a text without its blanks, for a line may break anywhere."""
    return "".join(text.split()).casefold()


def _with_password(
    talk: SmtpConnection, settings: SmtpSettings, mechanisms: list[str], secret: Secret
) -> Reply | None:
    if "PLAIN" in mechanisms:
        response = f"\0{settings.username}\0{secret.reveal()}"
        return talk.command(f"AUTH PLAIN {_base64(response)}")
    if "LOGIN" not in mechanisms:
        return None
    reply = talk.command("AUTH LOGIN")
    for text in (settings.username, secret.reveal()):
        if reply.code != 334:
            return reply
        reply = talk.command(_base64(text))
    return reply


def _with_token(
    talk: SmtpConnection, settings: SmtpSettings, mechanisms: list[str], secret: Secret
) -> Reply | None:
    """Log in with an access token: OAUTHBEARER (RFC 7628), else Google's XOAUTH2."""
    bearer = f"auth=Bearer {secret.reveal()}\x01\x01"
    if "OAUTHBEARER" in mechanisms:
        name = settings.username.replace("=", "=3D").replace(",", "=2C")
        place = f"host={settings.host}\x01port={settings.port}\x01"
        mechanism, response, end = "OAUTHBEARER", f"n,a={name},\x01{place}{bearer}", "AQ=="
    elif "XOAUTH2" in mechanisms:
        mechanism, response, end = "XOAUTH2", f"user={settings.username}\x01{bearer}", ""
    else:
        return None
    reply = talk.command(f"AUTH {mechanism} {_base64(response)}")
    # A refusal says why first, and comes once we have heard that.
    return talk.command(end) if reply.code == 334 else reply


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
