"""An SMTP server that logs every byte and misbehaves on order (RFC 5321).

Verbs of its script: TLS, connect, EHLO, STARTTLS, AUTH, MAIL, RCPT (or `RCPT ada@customer.example` for
one recipient), DATA, text (while the message comes), dot, RSET, NOOP, QUIT.
"""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from tests.faults.scripted import Action, OverError, ScriptedPeer, Talk

Verdict = Literal["taken", "refused", "open"]

EXTENSIONS = ("PIPELINING", "SIZE 20000000", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES")
_MESSAGE_ID = re.compile(rb"^Message-ID:\s*(<[^>\r\n]*>)", re.IGNORECASE | re.MULTILINE)
_USUAL = {
    "STARTTLS": b"220 2.0.0 go ahead\r\n",
    "MAIL": b"250 2.1.0 ok\r\n",
    "RCPT": b"250 2.1.5 ok\r\n",
    "DATA": b"354 go on\r\n",
    "dot": b"250 2.0.0 taken\r\n",
    "RSET": b"250 2.0.0 ok\r\n",
    "NOOP": b"250 2.0.0 ok\r\n",
    "QUIT": b"221 2.0.0 bye\r\n",
}


@dataclass
class Whole:
    """A message whose final dot came: what it was, and what the peer made of it.

    `taken`: it said 2xx. `refused`: it said 4xx or 5xx. `open`: it gave no clear answer, and may
    well deliver it.
    """

    connection: int
    at: float
    sender: str
    recipients: list[str]
    content: bytes
    verdict: Verdict = "open"
    message_id: str = ""

    def __post_init__(self) -> None:
        found = _MESSAGE_ID.search(self.content)
        self.message_id = found[1].decode("ascii", "replace") if found else ""

    @property
    def may_be_delivered(self) -> bool:
        """Whether somebody may read it."""
        return self.verdict != "refused"


class SmtpTalk(Talk):
    """One conversation in SMTP."""

    peer: "SmtpPeer"
    sender = ""
    encrypted = False

    def run(self) -> None:
        self.recipients: list[str] = []
        self.answer("connect", b"220 peer.example ESMTP\r\n")
        while True:
            line = self.read_line().decode("utf-8", "replace").rstrip("\r\n")
            self.peer.commands.append(line)
            self.command(line)

    def command(self, line: str) -> None:
        verb = line.split(" ")[0].split(":")[0].upper()
        if verb in ("EHLO", "HELO"):
            self.answer("EHLO", self.greeting())
        elif verb == "AUTH":
            self.log_in(line)
        elif verb == "MAIL":
            self.sender, self.recipients = _address(line), []
            self.answer(verb, _USUAL[verb])
        elif verb == "RCPT":
            self.recipient(_address(line))
        elif verb == "DATA":
            self.data()
        else:
            self.other(verb)

    def other(self, verb: str) -> None:
        said = self.answer(verb, _USUAL.get(verb, b"500 5.5.1 what?\r\n"))
        if verb == "STARTTLS" and said.startswith(b"220"):
            self.start_tls()
            self.encrypted = True
        if verb == "QUIT":
            raise OverError

    def greeting(self) -> bytes:
        offered = list(self.peer.extensions)
        if self.peer.certificate and not (self.peer.tls or self.encrypted):
            offered.append("STARTTLS")
        if self.peer.mechanisms:
            offered.append(f"AUTH {self.peer.mechanisms}")
        lines = ["peer.example", *offered]
        return "".join(
            f"250{' ' if line is lines[-1] else '-'}{line}\r\n" for line in lines
        ).encode()

    def log_in(self, line: str) -> None:
        """Take whatever is offered as a login; the script may refuse it."""
        _, mechanism, *initial = line.split(" ")
        questions = 2 if mechanism.upper() == "LOGIN" else 1
        for _ in range(questions - len(initial)):
            self.answer("AUTH continue", b"334 \r\n")
            self.read_line()
        self.answer("AUTH", b"235 2.7.0 welcome\r\n")

    def recipient(self, address: str) -> None:
        own = f"RCPT {address}"
        said = self.answer(own if own in self.script else "RCPT", _USUAL["RCPT"])
        if said.startswith(b"25"):
            self.recipients.append(address)

    def data(self) -> None:
        if not self.recipients:
            self.answer("DATA", b"503 5.5.1 nobody to take it to\r\n")
            return
        if not self.answer("DATA", _USUAL["DATA"]).startswith(b"354"):
            return
        if "text" in self.script:
            self.answer("text", b"")
        content = bytearray()
        while (line := self.read_line()) != b".\r\n":
            content += line.removeprefix(b".")
        whole = Whole(self.number, time.monotonic(), self.sender, self.recipients, bytes(content))
        self.peer.whole.append(whole)
        try:
            said = self.answer("dot", _USUAL["dot"])
            whole.verdict = {b"2": "taken", b"4": "refused", b"5": "refused"}.get(said[:1], "open")
        finally:
            if self.peer.deliver and whole.may_be_delivered:
                self.peer.deliver(whole)


@dataclass
class SmtpPeer(ScriptedPeer):
    """The server; `whole` has each message whose final dot it saw."""

    extensions: tuple[str, ...] = EXTENSIONS
    mechanisms: str = "PLAIN LOGIN XOAUTH2"
    whole: list[Whole] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    # What becomes of a message that it may deliver.
    deliver: Callable[[Whole], object] | None = None
    talk = SmtpTalk


def _address(line: str) -> str:
    return line.partition("<")[2].partition(">")[0]


def stop_reading(reached: threading.Event, go: threading.Event) -> Action:
    """Read nothing of the message's text until `go`."""

    def act(talk: Talk, usual: bytes) -> bytes:
        reached.set()
        go.wait(90)
        return usual

    return act
