"""Real servers on loopback: an SMTP sink, and an SMTP peer that misbehaves by script."""

import datetime
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.patience import LONG
from tests.ports import free_port

# -- the sink --------------------------------------------------------------------------------------
# The second is that of the servers of other kinds, where an account has one for all.
_PASSWORDS = (b"open sesame", b"open-sesame")


@dataclass
class Taken:
    """A message that a server took."""

    sender: str
    recipients: list[str]
    content: bytes


class Sink:
    """Takes every message; what it took stands in `taken`."""

    def __init__(self) -> None:
        self.taken: list[Taken] = []
        self.logins: list[tuple[str, str]] = []

    async def handle_DATA(self, server, session, envelope) -> str:  # noqa: N802
        self.taken.append(Taken(envelope.mail_from, list(envelope.rcpt_tos), envelope.content))
        return "250 taken"

    def authenticate(self, server, session, envelope, mechanism, data) -> AuthResult:
        self.logins.append((data.login.decode(), data.password.decode()))
        return AuthResult(success=data.password in _PASSWORDS, handled=False)


@contextmanager
def smtp_sink(*, certificate: Path | None = None, **options) -> Iterator[tuple[Sink, int]]:
    """Serve a sink; with a certificate it offers STARTTLS."""
    sink = Sink()
    if certificate:
        options["tls_context"] = server_context(certificate)
    server = _Controller(
        sink, hostname="127.0.0.1", port=free_port(), decode_data=False, ident="sink",
        ready_timeout=LONG, authenticator=sink.authenticate, **options,
    )  # fmt: skip
    server.start()
    try:
        yield sink, server.port
    finally:
        server.stop()


class _Controller(Controller):
    def factory(self) -> SMTP:
        return SMTP(self.handler, **self.SMTP_kwargs)


# -- the scripted peer -----------------------------------------------------------------------------
Answer = Callable[["Conversation"], None]


class OverError(Exception):
    """The conversation is over."""


def say(text: str | bytes) -> Answer:
    """Answer with these bytes, as they are but for the last line end."""
    data = text.encode() if isinstance(text, str) else text
    return lambda talk: talk.socket.sendall(data + b"\r\n")


def split(text: str, pieces: int = 3) -> Answer:
    """Answer in several small writes."""

    def answer(talk: "Conversation") -> None:
        data = f"{text}\r\n".encode()
        talk.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        step = max(1, len(data) // pieces)
        for start in range(0, len(data), step):
            talk.socket.sendall(data[start : start + step])

    return answer


def drop(talk: "Conversation") -> None:
    """Close the connection."""
    raise OverError


def reset(talk: "Conversation") -> None:
    """Reset the connection."""
    talk.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise OverError


def silence(talk: "Conversation") -> None:
    """Say nothing until the other side gives up."""
    with suppress(OSError):
        while talk.socket.recv(65536):
            pass
    raise OverError


@dataclass
class Pause:
    """Stop here until `go`; then answer as usual."""

    usual: str
    reached: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)

    def __call__(self, talk: "Conversation") -> None:
        self.reached.set()
        self.go.wait(120)
        say(self.usual)(talk)


USUAL = {
    "connect": "220 peer ready",
    "EHLO": "250-peer\r\n250-SIZE 20000000\r\n250 SMTPUTF8",
    "STARTTLS": "220 go ahead",
    "AUTH": "235 welcome",
    "MAIL": "250 ok",
    "RCPT": "250 ok",
    "DATA": "354 go on",
    "dot": "250 taken",
    "RSET": "250 ok",
    "QUIT": "221 bye",
}


@dataclass
class Conversation:
    """One connection to the peer."""

    peer: "Peer"
    socket: socket.socket
    sender: str = ""
    recipients: list[str] = field(default_factory=list)

    def run(self) -> None:
        with suppress(OverError, OSError), self.socket:
            self.answer("connect")
            lines = self.socket.makefile("rb")
            while line := lines.readline():
                self.peer.log.append(line.decode("utf-8", "replace").rstrip())
                if self.one(line.decode("utf-8", "replace")):
                    self.content(lines)
                if line[:8].upper() == b"STARTTLS":
                    lines = self.secure()

    def one(self, line: str) -> bool:
        """Answer one command; tell whether the message follows."""
        verb = line.split(" ")[0].split(":")[0].strip().upper()
        if verb == "MAIL":
            self.sender, self.recipients = line.partition("<")[2].partition(">")[0], []
        if verb == "RCPT":
            self.recipients.append(line.partition("<")[2].partition(">")[0])
        said = self.answer(verb)
        return verb == "DATA" and said.startswith("354")

    def content(self, lines) -> None:
        content = bytearray()
        while (line := lines.readline()) not in (b".\r\n", b""):
            content += line.removeprefix(b".")
        if not line:
            raise OverError
        self.peer.whole.append(Taken(self.sender, self.recipients, bytes(content)))
        self.answer("dot")

    def answer(self, verb: str) -> str:
        """Answer as the script says, and return what is said where it is plain text."""
        with self.peer.lock:
            script = self.peer.script.get(verb)
            action = script.popleft() if script and len(script) > 1 else (script or [None])[0]
        usual = USUAL.get(verb, "500 what?")
        action = usual if action is None else action
        if isinstance(action, str):
            say(action)(self)
            return action
        action(self)
        return action.usual if isinstance(action, Pause) else usual

    def secure(self):
        if self.peer.certificate is None:
            raise OverError
        self.socket = server_context(self.peer.certificate).wrap_socket(
            self.socket, server_side=True
        )
        return self.socket.makefile("rb")


class Peer:
    """An SMTP server that answers by script: for each verb one answer, or a list used in turn.

    `whole` has the messages whose final dot it saw. An answer is text, or a function.
    """

    def __init__(self, *, certificate: Path | None = None, tls: bool = False, **script) -> None:
        self.script = {
            verb: deque(answer if isinstance(answer, list) else [answer])
            for verb, answer in script.items()
        }
        self.certificate = certificate
        self.tls = tls
        self.log: list[str] = []
        self.whole: list[Taken] = []
        self.lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def __enter__(self) -> "Peer":
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        # A thread that waits in accept() keeps a closed listener open: wake it.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with suppress(OSError):
            if self.tls:
                connection = server_context(self.certificate).wrap_socket(
                    connection, server_side=True
                )
            Conversation(self, connection).run()


# -- certificates ----------------------------------------------------------------------------------
def make_certificate(path: Path, host: str = "127.0.0.1", days: int = 1) -> Path:
    """Write a certificate that signs itself, with its key, into one file; days < 0: expired."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    try:
        names = x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))])
    except ValueError:
        names = x509.SubjectAlternativeName([x509.DNSName(host)])
    certificate = (
        x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=3))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path


def server_context(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
