"""Trying a connection out: what works, what does not, and what a person can do about it.

Each server is tried step by step (its name, its port, TLS, the login), so that the first step that
fails can be named. Nothing is sent and nothing is changed there. Every wait is bounded.
"""

import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from inbox.accounts.credentials import CredentialError
from inbox.providers import PROVIDERS, mail_changes_for, mail_store_for
from inbox.providers.base import TRIED_FOR, Connection, Finding, ProviderError
from inbox.providers.imap_smtp import for_smtp
from inbox.providers.mail_store import Folder, MailStore, StoreError
from inbox.providers.presets import PORTS, Protocol, preset_of
from inbox.providers.smtp.connection import GarbledReplyError
from inbox.providers.smtp.session import SmtpSettings, session
from inbox.providers.tls import tls_context
from inbox.reasons import ReasonText, together
from inbox.reasons import phrase as _

_OTHER: dict[Protocol, ReasonText] = {
    "imap": _("993 with TLS, or 143 with STARTTLS"),
    "smtp": _("465 with TLS, or 587 with STARTTLS"),
}


class _Stop(Exception):  # noqa: N818
    """The first step that failed; no later one can be tried."""

    def __init__(self, title: ReasonText, words: ReasonText, reply: str = "") -> None:
        super().__init__(title)
        self.title = title
        self.words = words
        self.reply = reply


@dataclass(frozen=True, slots=True)
class _ServerAddress:
    """Where one of the servers is said to be."""

    protocol: Protocol
    host: str
    port: int
    security: str
    ca_file: str | None


def probe(connection: Connection) -> list[Finding]:
    """Try an account's servers, both at once, and return what was found."""
    settings = {**connection.settings, "imap_timeout": TRIED_FOR, "smtp_timeout": TRIED_FOR}
    connection = replace(connection, settings=settings)
    protocols: list[Protocol] = [name for name in PORTS if connection.settings.get(f"{name}_host")]
    with ThreadPoolExecutor(max_workers=2) as pool:
        found = list(pool.map(lambda name: list(_try(connection, name)), protocols))
    return [finding for findings in found for finding in findings]


def probe_interface(connection: Connection) -> list[Finding]:
    """Try mail by an interface of its provider's own, and the mail server where one sends."""
    name = str(connection.settings["mail_api"])
    advice = _("Sign in again, and allow what is asked for.")
    try:
        found = list(_of_interface(name, connection))
    except StoreError as error:
        if error.kind in ("transient", "throttled"):
            advice = _("Try again in a moment.")
        return [Finding("api", "bad", error.words, advice, error.reply)]
    if not connection.settings.get("smtp_host"):
        return found
    try:
        return [*found, *probe(for_smtp(connection))]
    except CredentialError as error:
        return [*found, Finding("smtp", "bad", error.words, advice)]


def _of_interface(name: str, connection: Connection) -> Iterator[Finding]:
    declared = PROVIDERS[name]
    with mail_changes_for(name, connection) as store:
        holds = _("%(count)s mailboxes", count=len(store.mailboxes()))
    yield Finding("api", "good", _("Receiving works with %(host)s", host=declared.title), holds)
    if declared.identities is not None and not connection.settings.get("smtp_host"):
        declared.identities(connection)
        words = _("Nothing was sent.")
        yield Finding("api", "good", _("Sending works with %(host)s", host=declared.title), words)


def is_sound(findings: list[Finding]) -> bool:
    """Return True if an account can be used as it was tried."""
    return bool(findings) and all(finding.kind != "bad" for finding in findings)


def _try(connection: Connection, protocol: Protocol) -> Iterator[Finding]:
    place = _place(connection.settings, protocol)
    try:
        _reach(place)
        log_in = _read_mail if protocol == "imap" else _log_in_to_send
        yield from log_in(connection, place)
    except _Stop as stop:
        yield Finding(protocol, "bad", stop.title, stop.words, stop.reply)


def _place(settings: dict[str, Any], protocol: Protocol) -> _ServerAddress:
    security = settings.get(f"{protocol}_security", "tls")
    return _ServerAddress(
        protocol,
        settings[f"{protocol}_host"],
        settings.get(f"{protocol}_port") or PORTS[protocol].get(security, 0),
        security,
        settings.get(f"{protocol}_ca_file") or None,
    )


# -- the way to a server ---------------------------------------------------------------------------
def _reach(place: _ServerAddress) -> None:
    """Look the name up, connect and, with TLS from the first byte, shake hands; raises _Stop."""
    try:
        socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        words = _("Check the spelling. Providers name their servers in their help pages.")
        raise _Stop(_("There is no server called %(host)s", host=place.host), words) from None
    try:
        with socket.create_connection((place.host, place.port), TRIED_FOR) as raw:
            if place.security == "tls":
                _shake_hands(place, raw)
    except OSError as error:
        raise _unreachable(place, error) from error


def _unreachable(place: _ServerAddress, error: OSError) -> _Stop:
    at = {"host": place.host, "port": place.port}
    if isinstance(error, ConnectionRefusedError):
        words = _(
            "No server answers there. Usual ports are %(ports)s.", ports=_OTHER[place.protocol]
        )
        return _Stop(_("%(host)s refuses port %(port)s", **at), words)
    if isinstance(error, TimeoutError):
        words = _("The port may be wrong, or a firewall may be blocking it.")
        return _Stop(_("No answer from %(host)s at port %(port)s", **at), words)
    words = _("This machine cannot reach it.")
    title = _("%(host)s at port %(port)s cannot be reached", **at)
    return _Stop(title, words, str(error.strerror or error))


def _shake_hands(place: _ServerAddress, raw: socket.socket) -> None:
    at = {"host": place.host, "port": place.port}
    try:
        context = tls_context(place.ca_file)
    except OSError:
        words = _(
            "The operator set it for this account. It must contain certificates in PEM format."
        )
        raise _Stop(_("The file with trusted certificates cannot be read"), words) from None
    try:
        context.wrap_socket(raw, server_hostname=place.host).close()
    except ssl.SSLCertVerificationError as error:
        raise _untrusted(place.host, error) from None
    except ssl.SSLError as error:
        words = _(
            "Choose STARTTLS as the security, or another port: %(ports)s.",
            ports=_OTHER[place.protocol],
        )
        title = _("%(host)s does not speak TLS at port %(port)s", **at)
        raise _Stop(title, words, str(error.reason or "")) from None
    except TimeoutError:
        words = _("This port may need STARTTLS instead of TLS from the first byte.")
        raise _Stop(_("%(host)s does not answer over TLS on port %(port)s", **at), words) from None


def _untrusted(host: str, error: ssl.SSLCertVerificationError) -> _Stop:
    said = error.verify_message.rstrip(".")
    if "mismatch" in said or "not valid for" in said:
        words = _("Its certificate is for other names. Use one of those, as given by the provider.")
    elif "expired" in said:
        words = _("Its certificate has expired. The server's operator has to renew it.")
    else:
        words = _(
            "Its certificate is not from a trusted authority. If this is your own server, the "
            "operator can add its certificate with the command `connect --ca-file`."
        )
    return _Stop(_("%(host)s cannot prove its identity", host=host), words, said)


# -- logging in ------------------------------------------------------------------------------------
def _refused_login(connection: Connection, place: _ServerAddress, reply: str) -> _Stop:
    preset = preset_of(connection.settings)
    if not connection.secret:
        title = _("%(host)s requires a sign-in", host=place.host)
        return _Stop(title, _("Enter the password or token."), reply)
    if connection.settings.get("auth") == "oauth":
        words = _("The token may lack a scope, or be for another mailbox. Check the user name too.")
    else:
        words = _("Check the user name and the password, and that no space slipped in.")
    advice = (
        preset.advice
        if preset
        else _("Some providers require a password created for mail programs.")
    )
    title = _("%(host)s refuses the sign-in", host=place.host)
    return _Stop(title, together(words, advice), reply)


def _read_mail(connection: Connection, place: _ServerAddress) -> Iterator[Finding]:
    try:
        with mail_store_for("imap_smtp", connection) as store:
            folders = store.folders()
            yield _reading(store, folders, place)
            yield from _about_folders(connection, folders)
    except StoreError as error:
        if error.kind == "login":
            raise _refused_login(connection, place, error.reply) from error
        raise _Stop(_title(error.words), _store_advice(error), error.reply) from error


def _reading(store: MailStore, folders: list[Folder], place: _ServerAddress) -> Finding:
    news = (
        _("New mail arrives right away.")
        if "idle" in store.features
        else _("It has no IDLE: the inbox is checked for new mail once a minute.")
    )
    known = [folder.state.messages for folder in folders if folder.state is not None]
    holds = _("%(mailboxes)s.", mailboxes=_mailboxes(len(folders)))
    if known:
        holds = _(
            "%(mailboxes)s with %(messages)s.",
            mailboxes=_mailboxes(len(folders)),
            messages=_messages(sum(known)),
        )
    title = _("Receiving works with %(host)s", host=place.host)
    return Finding("imap", "good", title, together(holds, news))


def _mailboxes(count: int) -> ReasonText:
    return _("1 mailbox") if count == 1 else _("%(count)s mailboxes", count=count)


def _messages(count: int) -> ReasonText:
    return _("1 message") if count == 1 else _("%(count)s messages", count=count)


def _about_folders(connection: Connection, folders: list[Folder]) -> Iterator[Finding]:
    roles = {folder.role for folder in folders}
    if "sent" not in roles and not connection.settings.get("sent_by_server"):
        words = _("A mailbox named “Sent” is created when the first message is sent.")
        yield Finding("imap", "warn", _("There is no mailbox for sent mail"), words)
    if "trash" not in roles:
        words = _("Mail deleted here is permanently removed there after 30 days.")
        yield Finding("imap", "warn", _("There is no trash"), words)


def _store_advice(error: StoreError) -> ReasonText:
    if error.kind == "throttled":
        return _("The provider is limiting requests. Try again in a few minutes.")
    if error.kind == "transient":
        return _("Try again in a moment. If it still fails, check the port and security.")
    return _("Check port and security.")


def _log_in_to_send(connection: Connection, place: _ServerAddress) -> Iterator[Finding]:
    try:
        with session(SmtpSettings.read(connection), connection.secret) as opened:
            most = opened.extensions.get("SIZE", "")
            with suppress(OSError, GarbledReplyError):
                opened.talk.command("QUIT")
    except ProviderError as error:
        if error.kind == "login":
            raise _refused_login(connection, place, error.reply) from error
        words = _("Try again in a moment. If it still fails, check the port and security.")
        raise _Stop(_title(error.words), words, error.reply) from error
    words = _("Nothing was sent.")
    if most.isdecimal() and int(most):
        size = _megabytes(int(most))
        words = together(_("It accepts messages of up to %(size)s MB.", size=size), words)
    yield Finding("smtp", "good", _("Sending works with %(host)s", host=place.host), words)


def _megabytes(size: int) -> str:
    """Return a number of bytes in millions, whole where it is ten or more."""
    return f"{size // 10**6}" if size >= 10**7 else f"{size / 10**6:.1f}"


def _title(words: ReasonText) -> ReasonText:
    return words if words.rstrip(".:") else _("It does not work")
