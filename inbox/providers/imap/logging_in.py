"""From nothing to a session: TCP, TLS without a way back, and who we are; and the way out."""

import base64
import ipaddress
import ssl
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.imap.connection import ImapConnection
from inbox.providers.imap.failures import failures_of, refusal
from inbox.providers.imap.names import quoted
from inbox.providers.imap.responses import (
    LONGEST_LINE,
    Answer,
    ByeError,
    GarbledAnswerError,
    Response,
)
from inbox.providers.imap.session import Session
from inbox.providers.imap.settings import ImapSettings
from inbox.providers.imap.transports import BlockingTransport, LoopTransport, Opener, at_once
from inbox.providers.mail_store import StoreError
from inbox.providers.tls import shared_tls_context
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

# A connection that only waits is told little, and many of them share the memory of one process.
_MOST_WHILE_WAITING = 1024 * 1024
_LONGEST_WHILE_WAITING = 64 * 1024
_LOGOUT_PATIENCE = 5.0


def log_in(account: Connection) -> Session:
    """Connect and log in as the account's settings say; raises StoreError."""
    session = at_once(_log_in(account, BlockingTransport.open))
    session.connection.take_long_lines(LONGEST_LINE)
    return session


async def log_in_to_wait(account: Connection) -> Session:
    """Do so in the running event loop, on a connection that takes little; raises StoreError.

    A command brings 1 MB at the most, and little more than 64 KB of it are held at once.
    """
    session = await _log_in(
        account, LoopTransport.open, most=_MOST_WHILE_WAITING,
        largest_literal=_LONGEST_WHILE_WAITING,
    )  # fmt: skip
    session.connection.take_long_lines(_LONGEST_WHILE_WAITING)
    return session


async def log_out(session: Session) -> None:
    """Log out, and close the connection; never raises."""
    connection = session.connection
    connection.hurry(_LOGOUT_PATIENCE)
    try:
        with suppress(OSError, GarbledAnswerError, ByeError):
            await connection.execute(b"LOGOUT")
    finally:
        connection.close()


async def _log_in(account: Connection, opener: Opener, **bounds: int) -> Session:
    settings = ImapSettings.read(account)
    if not account.secret:
        raise StoreError("login", _("The account has no password to sign in with."))
    with failures_of(settings.host):
        transport = await opener(settings.host, settings.port, settings.timeout)
        connection = ImapConnection(transport, settings.timeout, **bounds)
        session = Session(connection, settings.host)
        try:
            await _greet(session, settings)
            await _authenticate(session, settings, account.secret)
            if not session.capabilities:
                session.capabilities = await _ask_capabilities(session)
        except BaseException:
            connection.close()
            raise
    return session


# -- the greeting ----------------------------------------------------------------------------------
async def _greet(session: Session, settings: ImapSettings) -> None:
    """Hear the greeting, under TLS as the settings ask; learn what the server offers."""
    connection = session.connection
    if settings.security == "tls":
        await connection.start_tls(_context(settings), settings.host)
    greeting = await connection.read_greeting()
    session.take_note(greeting)
    if greeting.status == "BYE":
        raise refusal(
            greeting, _("%(host)s rejects our connection", host=settings.host), "transient"
        )
    if greeting.status == "PREAUTH":
        # Who is let in before saying who they are cannot go on to TLS, nor know whose mail it is.
        raise _permanent(
            _(
                "%(host)s lets anyone in without a password; Chancery does not connect to it.",
                host=settings.host,
            )
        )
    session.capabilities = _capabilities_in(greeting) or await _ask_capabilities(session)
    if settings.security == "starttls":
        await _start_tls(session, settings)


async def _start_tls(session: Session, settings: ImapSettings) -> None:
    # No going on in the clear: whoever stands in between could have removed the offer.
    if not session.offers("STARTTLS"):
        raise _permanent(
            _("%(host)s does not offer STARTTLS; no password was sent.", host=settings.host)
        )
    await session.ask(b"STARTTLS", _("The server refused STARTTLS"))
    await session.connection.start_tls(_context(settings), settings.host)
    # What was said in the clear counts no more.
    session.alerts.clear()
    session.capabilities = await _ask_capabilities(session)


def _context(settings: ImapSettings) -> ssl.SSLContext:
    try:
        return shared_tls_context(settings.ca_file)
    except OSError as error:
        raise _permanent(_("The account's imap_ca_file cannot be read.")) from error


def _capabilities_in(answer: Answer) -> frozenset[str]:
    """Return the capabilities in a response code (RFC 9051 7.1)."""
    return _names(answer.argument) if answer.code == "CAPABILITY" else frozenset()


async def _ask_capabilities(session: Session) -> frozenset[str]:
    lines: list[bytes] = []

    def read(response: Response) -> None:
        if response.name == "CAPABILITY":
            lines.append(response.rest)

    await session.ask(b"CAPABILITY", _("The server does not report its capabilities"), reader=read)
    return _names(b" ".join(lines))


@lru_cache(maxsize=64)
def _names(text: bytes) -> frozenset[str]:
    # Kept: servers say the same of themselves to each account.
    return frozenset(text.decode("ascii", "replace").upper().split())


# -- the login -------------------------------------------------------------------------------------
async def _authenticate(session: Session, settings: ImapSettings, secret: Secret) -> None:
    connection = session.connection
    on_this_machine = ipaddress.ip_address(connection.peer.partition("%")[0]).is_loopback
    if not connection.is_encrypted and not on_this_machine:
        raise _permanent(_("Passwords are sent over TLS only; none was sent."))
    lines: list[bytes] = []

    def read(response: Response) -> None:
        if response.name == "CAPABILITY":
            lines.append(response.rest)
        session.take_note(response.status)

    log_in_by = _token_login if settings.auth == "oauth" else _password_login
    line, replies = log_in_by(session, settings.username, secret)
    answer = await connection.execute(line, reader=read, challenged=_in_turn(replies))
    told = [secret.reveal(), *(reply.decode() for reply in replies)]
    session.alerts = [_without(told, alert) for alert in session.alerts]
    if answer.status != "OK":
        said = Answer(answer.status, answer.code, b"", _without(told, answer.text))
        raise refusal(said, _("The server refused the sign-in"), "login")
    session.capabilities = _capabilities_in(answer) or _names(b" ".join(lines))


def _password_login(session: Session, username: str, secret: Secret) -> tuple[bytes, list[bytes]]:
    """Return the command, and what is to be said when the server asks for it."""
    text = secret.reveal()
    if "\0" in username + text:
        raise StoreError("login", _("A user name or password cannot contain a NUL character."))
    if session.offers("AUTH=PLAIN"):
        return b"AUTHENTICATE PLAIN", [base64.b64encode(f"\0{username}\0{text}".encode())]
    if session.offers("LOGINDISABLED"):
        raise _permanent(_("%(host)s offers no sign-in method we support.", host=session.host))
    if not (username + text).isascii() or any(not char.isprintable() for char in username + text):
        raise StoreError(
            "login",
            _("%(host)s accepts only ASCII in user names and passwords.", host=session.host),
        )
    return b"LOGIN " + quoted(username.encode()) + b" " + quoted(text.encode()), []


def _token_login(session: Session, username: str, secret: Secret) -> tuple[bytes, list[bytes]]:
    token = secret.reveal()
    if session.offers("AUTH=OAUTHBEARER"):  # RFC 7628
        user = username.replace("=", "=3D").replace(",", "=2C")
        plain = f"n,a={user},\1auth=Bearer {token}\1\1"
        return b"AUTHENTICATE OAUTHBEARER", [base64.b64encode(plain.encode()), b"AQ=="]
    if session.offers("AUTH=XOAUTH2"):
        plain = f"user={username}\1auth=Bearer {token}\1\1"
        return b"AUTHENTICATE XOAUTH2", [base64.b64encode(plain.encode()), b""]
    raise _permanent(
        _("%(host)s does not accept tokens (OAUTHBEARER, XOAUTH2).", host=session.host)
    )


def _in_turn(replies: list[bytes]) -> Callable[[bytes], bytes]:
    """Return what answers the server's requests: the replies in turn, then giving up."""
    left = iter(replies)

    def answer(_challenge: bytes) -> bytes:
        return next(left, b"*")

    return answer


def _without(told: list[str], text: str) -> str:
    """Return a server's words; nothing where it repeats in them what it was told."""
    lowered = text.casefold()
    repeats = any(part and part.casefold()[:24] in lowered for part in told)
    return "" if repeats else text


def _permanent(words: ReasonText) -> StoreError:
    return StoreError("permanent", words)
