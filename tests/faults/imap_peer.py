"""An IMAP server that keeps mailboxes in memory, logs every byte and misbehaves on order (RFC 9051).

Verbs of its script: connect, each command's name without UID (`FETCH`, `LIST`, `SELECT`, …), which
replaces or breaks the tagged answer, and besides `message`, before each message of a FETCH,
`literal`, before it asks for the literal of an APPEND, and `idle`, before it tells news in IDLE.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from tests.faults import imap_commands, imap_messages
from tests.faults.imap_mailboxes import PeerMailbox, usual_mailboxes
from tests.faults.imap_syntax import Command, compact, literal_ahead, read_command
from tests.faults.scripted import OverError, ScriptedPeer, Talk

CAPABILITIES = (
    "IMAP4rev1", "SASL-IR", "LITERAL+", "ID", "ENABLE", "IDLE", "NAMESPACE", "UIDPLUS", "MOVE",
    "UNSELECT", "CONDSTORE", "QRESYNC", "SPECIAL-USE", "LIST-EXTENDED", "LIST-STATUS",
    "AUTH=PLAIN", "AUTH=XOAUTH2",
)  # fmt: skip


class ImapTalk(Talk):
    """One conversation in IMAP."""

    peer: "ImapPeer"
    selected: PeerMailbox | None = None
    read_only = False
    qresync = False
    encrypted = False

    def run(self) -> None:
        # The UIDs of the open mailbox by sequence number, and the mod-sequence last told of.
        self.view: list[int] = []
        self.told = 0
        self.answer("connect", b"* OK [CAPABILITY %s] ready\r\n" % self.capabilities().encode())
        while True:
            self.obey(self.next_command())

    def capabilities(self) -> str:
        offered = list(self.peer.capabilities)
        if self.peer.certificate and not (self.peer.tls or self.encrypted):
            offered.append("STARTTLS")
        return " ".join(offered)

    def next_command(self) -> Command:
        pieces = [self.read_line()]
        while ahead := literal_ahead(pieces[-1]):
            size, waits = ahead
            if waits:
                self.answer("literal", b"+ go on\r\n")
            pieces += [self.read(size), self.read_line()]
        return read_command(pieces)

    def obey(self, command: Command) -> None:
        """Do what a command says; what it leads to is told by `ok`, `no` or `bad`."""
        verb = command.name.removeprefix("UID ")
        self.peer.commands.append(command)
        act = imap_commands.COMMANDS.get(verb) or imap_messages.COMMANDS.get(verb)
        if act is None or (verb in imap_messages.COMMANDS and self.selected is None):
            self.finish(command, "BAD", "not now")
            return
        try:
            act(self, command)
        except (KeyError, IndexError, ValueError) as error:
            self.finish(command, "NO", f"[NONEXISTENT] {type(error).__name__}")
        if verb == "LOGOUT":
            raise OverError

    def untagged(self, text: str | bytes) -> None:
        """Say something that answers no command."""
        self.send(b"* " + (text.encode() if isinstance(text, str) else text) + b"\r\n")

    def finish(self, command: Command, how: str, text: str = "done") -> bytes:
        """Give the tagged answer, as the script says."""
        verb = command.name.removeprefix("UID ")
        usual = f"{command.tag} {how} {text}\r\n".encode()
        return self.answer(verb, usual)

    def ok(self, command: Command, text: str = "done") -> bytes:
        """Say that it is done, after the news, where those may be told (RFC 9051 7.5.1)."""
        if command.name not in ("FETCH", "STORE", "SEARCH"):
            self.tell_news()
        return self.finish(command, "OK", text)

    def tell_news(self) -> bool:
        """Tell what others changed in the open mailbox; return whether there was something."""
        mailbox = self.selected
        if mailbox is None:
            return False
        with self.peer.lock:
            gone = [uid for uid in self.view if uid not in mailbox.messages]
            new = [uid for uid in mailbox.messages if uid not in set(self.view)]
            changed = [
                it for it in mailbox.messages.values() if it.modseq > self.told and it.uid in self.view
            ]  # fmt: skip
            self.told = mailbox.modseq
        self._tell_gone(gone)
        self.view += sorted(new)
        if new:
            self.untagged(f"{len(self.view)} EXISTS")
        for message in changed:
            if message.uid not in new:
                self.untagged(imap_messages.flags_line(self, message))
        return bool(gone or new or changed)

    def _tell_gone(self, gone: list[int]) -> None:
        if gone and self.qresync:
            self.untagged(f"VANISHED {compact(gone)}")
            self.view = [uid for uid in self.view if uid not in set(gone)]
            return
        for uid in gone:
            number = self.view.index(uid) + 1
            self.view.remove(uid)
            self.untagged(f"{number} EXPUNGE")


@dataclass
class ImapPeer(ScriptedPeer):
    """The server; `mailboxes` may be changed while it runs, under `lock`."""

    capabilities: tuple[str, ...] = CAPABILITIES
    mailboxes: dict[str, PeerMailbox] = field(default_factory=usual_mailboxes)
    password: str | None = None
    commands: list[Command] = field(default_factory=list)
    delimiter: str = "/"
    talk = ImapTalk

    def add(self, mailbox: str, raw: bytes, flags: tuple[str, ...] = (), at=None) -> int:
        """Let a message come into a mailbox; return its UID."""
        with self.lock:
            return self.mailboxes[mailbox].add(raw, flags, at or datetime.now(UTC))

    def expunge(self, mailbox: str, *uids: int) -> None:
        """Have another client remove messages."""
        with self.lock:
            self.mailboxes[mailbox].expunge(uids)

    def without(self, *capabilities: str) -> "ImapPeer":
        """Offer these no longer; return the peer."""
        self.capabilities = tuple(it for it in self.capabilities if it not in capabilities)
        return self

    def names(self) -> list[str]:
        """Return what was asked of it, in order, logging in and out included."""
        return [command.name for command in self.commands]

    def expunging(self, mailbox: str, *uids: int):
        """Return what does that, for `after`."""
        return partial(self.expunge, mailbox, *uids)
