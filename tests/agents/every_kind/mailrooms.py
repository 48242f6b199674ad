"""Where the mail of an account lies and leaves: here alone, at an IMAP server, at a JMAP server."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from inbox.background.jobs import run_due
from inbox.operations.mail.incoming import receive_message
from tests.inbox.syncing.by_changes import jmap_account
from tests.inbox.syncing.mirrors import Mirror, connect_account
from tests.sending_tools import hurry
from tests.servers import smtp_sink


class Mailroom:
    """The built-in one: what comes is stored, and what leaves lies in a folder of this machine."""

    is_elsewhere = False

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


class JmapRoom(MailServer):
    """Mail at a JMAP server, where the user has other things as well."""

    def __init__(
        self, inbox: Any, mirror: Mirror, login: Callable[[], Any], sink: Any, user: str
    ) -> None:
        super().__init__(inbox, mirror, login, sink)
        self.user = user


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
    yield JmapRoom(inbox, mirror, lambda: cyrus.logged_in(user), cyrus.outgoing, user)
