"""Mail through the servers of an account's settings: sent by SMTP, looked for by IMAP."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Literal, TypeAlias

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
from inbox.providers.declaration import Declaration, Settings
from inbox.providers.mail_store import MailStore, StoreError
from inbox.providers.mail_watch import OpenMailbox
from inbox.providers.sent_copies import has_copy
from inbox.providers.smtp.connection import GarbledReplyError, Reply, SmtpConnection
from inbox.providers.smtp.session import (
    Session,
    SmtpSettings,
    before_the_dot,
    expect,
    in_words,
    permanent,
    refusal,
    session,
)
from inbox.providers.wire import dot_stuffed, needs_smtputf8
from inbox.reasons import phrase as _

OpenStore: TypeAlias = Callable[[Connection], MailStore]
# RFC 3463 3.6: too many recipients.
_TOO_MANY = re.compile(r"[45]\d\d [45]\.5\.3\b")
_PASSING = frozenset({"transient", "throttled"})
# RFC 3461 4.4: an envelope id has at most 100 characters; in these none needs an escape.
_PLAIN_ENVELOPE_ID = re.compile(r"[!-*,-<>-~]{1,100}")


def has_mail(settings: Settings) -> bool:
    """Return True if these settings name a server where mail lies."""
    return bool(settings.get("imap_host"))


class ImapSmtp:
    """Sends through an SMTP server (RFC 5321, 6409): to every recipient, or to none."""

    capabilities = Capabilities(idempotent=False, finds_sent=False)

    def __init__(self, connection: Connection, open_store: OpenStore | None = None) -> None:
        self._connection = connection
        self._open_store = open_store

    def find_sent(self, message_id: str) -> Literal[True] | None:
        """Look for it with the sent mail: there it was sent; elsewhere nobody can tell."""
        if self._open_store is None or not has_mail(self._connection.settings):
            return None
        try:
            with self._open_store(self._connection) as store:
                return True if has_copy(store, message_id) else None
        except StoreError as error:
            kind: ErrorKind = "transient" if error.kind in _PASSING else "permanent"
            raise ProviderError(kind, error.words, error.reply) from error

    def submit(self, parcel: Parcel, hand_over: HandOver) -> ProviderReceipt:
        """Send exactly the parcel's bytes.

        Until the final dot every trouble is `transient` or `permanent`: the server must forget a
        message whose end it has not seen. From then on only its answer counts.
        """
        settings = SmtpSettings.read(self._connection)
        check_parcel(parcel)
        with session(settings, self._connection.secret) as opened:
            with before_the_dot(settings.host):
                _announce(opened, parcel)
                opened.talk.send(dot_stuffed(parcel.mime))
                if early := opened.talk.early_reply():
                    raise refusal(_("The server refused the message"), early)
            hand_over()
            return _end_message(opened.talk, settings)


def for_smtp(connection: Connection) -> Connection:
    """Return how the SMTP server is reached, where that takes a token of its own.

    Raises CredentialError where none is to be had.
    """
    scope = str(connection.settings.get("oauth_smtp_scope") or "")
    if not scope or connection.secret_for is None:
        return connection
    return replace(connection, secret=connection.secret_for(scope))


def declare(open_store: OpenStore, open_mailbox: OpenMailbox) -> Declaration:
    """Return what this provider is, with what opens and what watches the mail that lies there."""
    return Declaration(
        name="imap_smtp",
        title=_("IMAP and SMTP"),
        carries=frozenset({"mail_in", "mail_out"}),
        sign_in=("password", "oauth"),
        hosts=lambda settings: {
            name: str(settings.get(name) or "") for name in ("imap_host", "smtp_host")
        },
        send=lambda connection: ImapSmtp(connection, open_store),
        read_mail=open_store,
        watch_mail=open_mailbox,
        has_mail=has_mail,
    )


# -- the message -----------------------------------------------------------------------------------
def _announce(opened: Session, parcel: Parcel) -> None:
    """Speak the envelope and DATA; one refused recipient, and nobody gets it.

    DATA waits for the answers to the recipients: pipelined with them, a server could go on with
    those that it took (RFC 2920 3.1).
    """
    talk = opened.talk
    sender = f"MAIL FROM:<{parcel.envelope.sender}>{_mail_parameters(parcel, opened.extensions)}"
    commands = [sender, *(f"RCPT TO:<{recipient}>" for recipient in parcel.envelope.recipients)]
    replies = talk.commands(commands, pipelined="PIPELINING" in opened.extensions)
    _expect_sender(next(replies))
    refused: dict[str, Reply] = {}
    for recipient, reply in zip(parcel.envelope.recipients, replies, strict=True):
        if reply.code == 421:
            raise refusal(_("The server closed the connection"), reply)
        if reply.code not in (250, 251):
            refused[recipient] = reply
    if refused:
        _forget(talk)
        raise _refused_recipients(refused, took=len(parcel.envelope.recipients) - len(refused))
    expect(talk.command("DATA"), 354, _("The server refused the message"))


def _expect_sender(reply: Reply) -> None:
    """Raise what a refused sender means; 530: it wants a login first (RFC 4954 6)."""
    if reply.code == 530:
        raise ProviderError(
            "login", _("The server requires a sign-in, or a different one:"), str(reply)
        )
    expect(reply, 250, _("The server refused the sender"))


def _mail_parameters(parcel: Parcel, extensions: dict[str, str]) -> str:
    size, most = len(parcel.mime), extensions.get("SIZE", "")
    if most.isdecimal() and 0 < int(most) < size:
        raise permanent(
            _(
                "The message has %(size)s bytes; the server accepts at most %(most)s.",
                size=size,
                most=most,
            )
        )
    parameters = f" SIZE={size}" if "SIZE" in extensions else ""
    addresses = (parcel.envelope.sender, *parcel.envelope.recipients)
    if needs_smtputf8(parcel.mime, addresses):
        if "SMTPUTF8" not in extensions:
            raise permanent(
                _(
                    "An address or a header is not ASCII, and the server does not accept that "
                    "(SMTPUTF8)."
                )
            )
        parameters += " SMTPUTF8"
    if not parcel.mime.isascii():
        if "8BITMIME" not in extensions:
            raise permanent(_("The message is not ASCII, and the server does not accept that."))
        parameters += " BODY=8BITMIME"
    envelope_id = parcel.message_id.strip("<>")
    if "DSN" in extensions and _PLAIN_ENVELOPE_ID.fullmatch(envelope_id):
        # A report of what became of it shall name it, and leave out its text.
        parameters += f" RET=HDRS ENVID={envelope_id}"
    return parameters


def _forget(talk: SmtpConnection) -> None:
    with suppress(OSError, GarbledReplyError):
        talk.command("RSET")
        talk.send(b"QUIT\r\n")


def _refused_recipients(refused: dict[str, Reply], took: int) -> ProviderError:
    worst = max(refused.values(), key=lambda reply: reply.code)
    kind: ErrorKind = "permanent" if worst.code >= 500 else "transient"
    names = ", ".join(list(refused)[:10]) + (" and others" if len(refused) > 10 else "")
    replies = "; ".join(dict.fromkeys(str(reply) for reply in refused.values()))
    words = _("The server refused %(names)s, so nothing was sent to anyone:", names=names)
    if took and all(_TOO_MANY.match(str(reply)) for reply in refused.values()):
        # Later there would be as many.
        kind = "permanent"
        words = _(
            "The server accepts %(took)s recipients at once, so nothing was sent to anyone:",
            took=took,
        )
    return ProviderError(kind, words, replies[:1000])


def _end_message(talk: SmtpConnection, settings: SmtpSettings) -> ProviderReceipt:
    """Send the final dot; only a clear answer tells what became of the message."""
    try:
        reply = talk.send_last(b".\r\n", settings.answer_timeout)
    except (OSError, GarbledReplyError) as error:
        words = _(
            "%(host)s received the whole message but did not answer: %(why)s.",
            host=settings.host,
            why=in_words(error),
        )
        raise ProviderError("unknown", words) from error
    if reply.is_positive:
        with suppress(OSError):
            talk.send(b"QUIT\r\n")
        return ProviderReceipt(str(reply))
    if reply.code >= 400:
        raise refusal(_("The server refused the message"), reply)
    raise ProviderError("unknown", _("The server's answer was neither yes nor no:"), str(reply))
