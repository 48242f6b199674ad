"""Where the mail of an account lies and leaves: here alone, at a mail server, by an interface."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.policy import default
from typing import Any, ClassVar

from inbox.background.jobs import run_due
from inbox.operations.mail.incoming import receive_message
from inbox.providers.google.gmail.labels import ARCHIVE, state_of
from tests.inbox.syncing.by_changes import gmail_account, graph_account, jmap_account
from tests.inbox.syncing.mirrors import Mirror, connect_account
from tests.machines.google.everything import google_server
from tests.machines.graph.server import graph_server
from tests.sending_tools import hurry
from tests.servers import smtp_sink


class Mailroom:
    """The built-in one: what comes is stored, and what leaves lies in a folder of this machine.

    `server` is the one whose interface the mail goes by, if any.
    """

    is_elsewhere = False
    server: Any = None

    def __init__(self, inbox: Any) -> None:
        self.inbox = inbox

    def deliver(self, raw: bytes) -> None:
        """Have a message come in."""
        receive_message(inbox=self.inbox, raw=raw)

    def sync(self) -> None:
        """Do what is due."""
        hurry()
        run_due()

    def lies(self, _mailbox: str, *_subjects: str, flags: bytes = b"") -> None:
        """There is nowhere to look."""
        self.sync()

    def left(self) -> list[bytes] | None:
        """What an SMTP server took; None where there is none."""
        return None


class MailServer(Mailroom):
    """Mail at a server, where another program of the same user looks and changes."""

    is_elsewhere = True

    def __init__(self, inbox: Any, mirror: Mirror, login: Callable[[], Any], sink: Any) -> None:
        super().__init__(inbox)
        self._mirror, self._login, self._sink = mirror, login, sink
        self.sync()

    def append(self, raw: bytes) -> None:
        """Have a message come there, of which we hear later."""
        with self._login() as program:
            program.append("INBOX", raw)

    def deliver(self, raw: bytes) -> None:
        self.append(raw)
        self.sync()

    def sync(self) -> None:
        super().sync()
        assert self._mirror.sync(times=2), self._mirror.state.words

    def lies(self, mailbox: str, *subjects: str, flags: bytes = b"") -> None:
        """Sync; exactly these lie in the mailbox, each with the flag."""
        self.sync()
        found = []
        with self._login() as program:
            program.select_folder(mailbox, readonly=True)
            for one in program.fetch(program.search("ALL"), ["FLAGS", "ENVELOPE"]).values():
                found.append(one[b"ENVELOPE"].subject.decode())
                assert not flags or flags in one[b"FLAGS"]
        assert sorted(found) == sorted(subjects)

    def move(self, old: str, new: str) -> None:
        """Have the other program move all that lies in a mailbox, and hear of it."""
        with self._login() as program:
            program.select_folder(old)
            program.move(program.search("ALL"), new)
        self.sync()

    def left(self) -> list[bytes]:
        return [taken.content for taken in self._sink.taken]


class InterfaceRoom(Mailroom):
    """Mail at a vendor, as its own pages show it: what lies in a mailbox, by subject."""

    is_elsewhere = True

    def __init__(self, inbox: Any, mirror: Mirror, server: Any) -> None:
        super().__init__(inbox)
        self._mirror, self.server = mirror, server
        self.sync()

    def append(self, raw: bytes) -> None:
        """Have a message come there, of which we hear later."""
        raise NotImplementedError

    def letters(self, mailbox: str) -> list[tuple[Any, bytes, set[bytes]]]:
        """Return what lies in a mailbox there: each with its bytes and its flags."""
        raise NotImplementedError

    def put(self, letter: Any, mailbox: str) -> None:
        """Have somebody move a message there."""
        raise NotImplementedError

    def deliver(self, raw: bytes) -> None:
        self.append(raw)
        self.sync()

    def sync(self) -> None:
        super().sync()
        assert self._mirror.sync(times=2), self._mirror.state.words

    def lies(self, mailbox: str, *subjects: str, flags: bytes = b"") -> None:
        """Sync; exactly these lie in the mailbox, each with the flag."""
        self.sync()
        with self.server.lock:
            found = self.letters(mailbox)
        assert all(not flags or flags in has for _letter, _raw, has in found)
        shown = (message_from_bytes(raw, policy=default)["subject"] for _one, raw, _has in found)
        assert sorted(shown) == sorted(subjects)

    def move(self, old: str, new: str) -> None:
        """Have somebody move all that lies in a mailbox, and hear of it."""
        with self.server.lock:
            for letter, _raw, _has in self.letters(old):
                self.put(letter, new)
        self.sync()


class GmailRoom(InterfaceRoom):
    """Gmail."""

    _LABELS: ClassVar = {"INBOX": "INBOX", "Sent": "SENT", "Drafts": "DRAFT", "Archive": ARCHIVE}

    def append(self, raw: bytes) -> None:
        with self.server.lock:
            self.server.gmail.box.add(raw)

    def letters(self, mailbox: str) -> list[tuple[Any, bytes, set[bytes]]]:
        found = []
        for one in self.server.gmail.box.letters.values():
            state = state_of(one.labels)
            assert state is not None
            if self._LABELS[mailbox] in state.mailboxes:
                found.append((one, one.raw, {_FLAGS[it] for it in state.keywords & _FLAGS.keys()}))
        return found

    def put(self, letter: Any, mailbox: str) -> None:
        labels = {self._LABELS[mailbox]} - {ARCHIVE}
        self.server.gmail.box.change(letter, labels, {"INBOX", "TRASH", "SPAM"} - labels)

    def left(self) -> list[bytes]:
        return [one.raw for one in self.server.gmail.sending.sent]


class GraphRoom(InterfaceRoom):
    """Outlook."""

    _FOLDERS: ClassVar = {
        "INBOX": "inbox",
        "Sent": "sentitems",
        "Drafts": "drafts",
        "Archive": "archive",
    }

    @property
    def _mail(self) -> Any:
        return self.server.boxes[self.inbox.account.address].mail

    def append(self, raw: bytes) -> None:
        with self.server.lock:
            self._mail.arrive(raw)

    def letters(self, mailbox: str) -> list[tuple[Any, bytes, set[bytes]]]:
        folder = self._mail.folder(self._FOLDERS[mailbox])
        found = []
        for one in self._mail.letters.values():
            if one.folder == folder.id:
                has = {b"\\Seen"} if one.is_read else set()
                found.append(
                    (one, one.raw, has | ({b"\\Flagged"} if one.flag == "flagged" else set()))
                )
        return found

    def put(self, letter: Any, mailbox: str) -> None:
        self._mail.move(letter, self._mail.folder(self._FOLDERS[mailbox]))

    def left(self) -> list[bytes]:
        return [one.raw for one in self._mail.left]


_FLAGS = {"$seen": b"\\Seen", "$flagged": b"\\Flagged"}


@contextmanager
def imap_room(inbox: Any, request: Any) -> Iterator[Mailroom]:
    """Have mail at a Dovecot, which leaves by SMTP."""
    dovecot = request.getfixturevalue("dovecot")
    user = dovecot.new_user()
    with smtp_sink(auth_require_tls=False) as (sink, port):
        settings = {
            **dovecot.settings(user), "smtp_host": "127.0.0.1", "smtp_port": port,
            "smtp_security": "none",
        }  # fmt: skip
        mirror = Mirror(connect_account(inbox, settings))
        yield MailServer(inbox, mirror, lambda: dovecot.client(user), sink)


@contextmanager
def jmap_room(inbox: Any, request: Any) -> Iterator[Mailroom]:
    """Have mail at a Cyrus, by JMAP both ways."""
    cyrus = request.getfixturevalue("cyrus")
    user = cyrus.new_user()
    cyrus.outgoing.taken.clear()
    mirror = jmap_account.connect(inbox, cyrus.settings(user))
    yield MailServer(inbox, mirror, lambda: cyrus.logged_in(user), cyrus.outgoing)


@contextmanager
def gmail_room(inbox: Any, _request: Any) -> Iterator[Mailroom]:
    """Have mail at Gmail, both ways, as a confirmed alias of whoever signed in."""
    with google_server() as server:
        server.gmail.sending.aliases[inbox.account.address] = True
        yield GmailRoom(inbox, gmail_account.connect(inbox, server), server)
        assert server.violations == []


@contextmanager
def graph_room(inbox: Any, _request: Any) -> Iterator[Mailroom]:
    """Have mail at Graph, both ways."""
    with graph_server() as server:
        address = inbox.account.address
        server.add_account(address)
        yield GraphRoom(inbox, graph_account.connect(inbox, server, address), server)
