"""A store on a real server, and a peer that says what a test wants."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.imap.store import ImapStore
from tests.dovecot import Dovecot
from tests.inbox.providers.imap.stores import store_on


@pytest.fixture
def user(dovecot: Dovecot) -> str:
    return dovecot.new_user()


@pytest.fixture
def connect(dovecot: Dovecot, user: str) -> Iterator[Callable[..., ImapStore]]:
    """Return what logs in at Dovecot: `connect(security="tls")`."""
    with ExitStack() as stack:

        def connect(security: str = "none", **more: object) -> ImapStore:
            return stack.enter_context(store_on(dovecot, user, security, **more))

        yield connect


@pytest.fixture
def store(connect) -> ImapStore:
    return connect()


class Speaker:
    """Says whatever a test tells it to: `greeting`, and for each command what `answer` returns.

    `answer` gets the line without its tag, and `credentials` for what AUTHENTICATE asked for; `TAG`
    in what it returns stands for the tag.
    """

    greeting = b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN IDLE UIDPLUS] hello\r\n"

    def __init__(self, answer: Callable[[str], bytes] | None = None) -> None:
        self.answer = answer or (lambda line: b"TAG OK done\r\n")
        self.lines: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                talk, _ = self._listener.accept()
                threading.Thread(target=self._talk, args=(talk,), daemon=True).start()

    def _talk(self, talk: socket.socket) -> None:
        with suppress(OSError), talk:
            talk.sendall(self.greeting)
            tag, asked = "", False
            for raw in talk.makefile("rb"):
                line = raw.decode("utf-8", "replace").rstrip("\r\n")
                self.lines.append(line)
                rest = "credentials"
                if not asked:
                    tag, _, rest = line.partition(" ")
                asked = rest.startswith("AUTHENTICATE")
                said = b"+ \r\n" if asked else self.answer(rest)
                talk.sendall(said.replace(b"TAG", tag.encode()))

    def settings(self, **more: object) -> dict[str, object]:
        return {
            "imap_host": "127.0.0.1",
            "imap_port": self.port,
            "imap_security": "none",
            "imap_timeout": 0.5,
            **more,
        }

    def connect(self, secret: str = "open sesame", **more: object) -> ImapStore:
        account = Connection("mira@lantern.example", self.settings(**more), Secret(secret))
        return ImapStore.connect(account)

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture
def speaker() -> Iterator[Speaker]:
    speaker = Speaker()
    yield speaker
    speaker.close()


@pytest.fixture
def says(speaker: Speaker) -> Callable[[bytes], ImapStore]:
    """Return a store whose server says this before it is done, whatever it is asked."""

    def says(said: bytes, capabilities: bytes = b"IMAP4rev1 IDLE UIDPLUS") -> ImapStore:
        def answer(line: str) -> bytes:
            if line == "credentials":
                return b"TAG OK [CAPABILITY %b] welcome\r\n" % capabilities
            if line.startswith(("SELECT", "EXAMINE")):
                return said + b"* OK [UIDVALIDITY 1] ok\r\n* OK [UIDNEXT 9] ok\r\nTAG OK opened\r\n"
            return b"* BYE\r\n" if line == "LOGOUT" else said + b"TAG OK done\r\n"

        speaker.answer = answer
        return speaker.connect()

    return says
