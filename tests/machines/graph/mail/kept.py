"""The mail of an account as it is kept, and what other programs and other people do with it."""

import email
import email.policy
import itertools
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from typing import Any

from tests.machines.graph.changes import Log
from tests.machines.graph.events import new_id
from tests.machines.graph.times import Clock

KNOWN = {
    "inbox": "Inbox", "drafts": "Drafts", "sentitems": "Sent Items", "archive": "Archive",
    "junkemail": "Junk Email", "deleteditems": "Deleted Items", "outbox": "Outbox",
    "syncissues": "Sync Issues",
}  # fmt: skip
ROOT = "msgfolderroot"
BEGINNING = datetime(2026, 3, 2, 12, tzinfo=UTC)


def _folder_id() -> str:
    return f"AQMkADAwATM{secrets.token_urlsafe(20)}AAAA="


@dataclass
class MailFolder:
    """A folder; `known` is its well-known name."""

    name: str
    parent: str
    known: str = ""
    id: str = field(default_factory=_folder_id)
    log: Log = field(default_factory=Log)


@dataclass
class Letter:
    """A message; `raw` is the MIME that the server hands out."""

    raw: bytes
    folder: str
    received: datetime
    id: str = field(default_factory=new_id)
    is_read: bool = False
    is_draft: bool = False
    flag: str = "notFlagged"
    categories: list[str] = field(default_factory=list)
    bcc: list[str] = field(default_factory=list)
    extended: dict[str, str] = field(default_factory=dict)
    change: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    modified: datetime = BEGINNING

    @property
    def etag(self) -> str:
        return f'W/"{self.change}"'

    def head(self) -> EmailMessage:
        """Return the header, with nothing below it."""
        head = self.raw.partition(b"\r\n\r\n")[0]
        return email.message_from_bytes(head, policy=email.policy.default)

    def has_files(self) -> bool:
        """Return True if something is attached, and not inline alone."""
        return b"\ncontent-disposition: attachment" in self.raw.lower()

    def has(self) -> dict[str, Any]:
        """Return what clients are told of that can change."""
        return {"isRead": self.is_read, "flag": self.flag, "categories": self.categories}


@dataclass
class Left:
    """A message as it left: from whom, to whom, and its bytes."""

    sender: str
    recipients: tuple[str, ...]
    raw: bytes


@dataclass
class Mail:
    """All of it."""

    clock: Clock
    root: str = field(default_factory=_folder_id)
    folders: dict[str, MailFolder] = field(default_factory=dict)
    letters: dict[str, Letter] = field(default_factory=dict)
    log: Log = field(default_factory=Log)
    left: list[Left] = field(default_factory=list)
    # Attachments on their way, by the tokens that open them.
    tokens: dict[str, Any] = field(default_factory=dict)
    uploads_last: timedelta = timedelta(hours=1)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        for known, name in KNOWN.items():
            self.add_folder(name, known=known)

    # -- folders -----------------------------------------------------------------------------------
    def add_folder(self, name: str, parent: str = "", known: str = "") -> MailFolder:
        made = MailFolder(name, parent or self.root, known)
        self.folders[made.id] = made
        self.log.touch(made.id)
        return made

    def folder(self, name: str) -> MailFolder:
        """Return a folder by its well-known name, or else by what it is called."""
        fitting = [one for one in self.folders.values() if name in (one.known, one.name)]
        return fitting[0]

    def rename(self, folder: MailFolder, name: str) -> None:
        folder.name = name
        self.log.touch(folder.id)

    def remove_folder(self, folder: MailFolder) -> None:
        for letter in [one for one in self.letters.values() if one.folder == folder.id]:
            self.remove(letter)
        del self.folders[folder.id]
        self.log.drop(folder.id)

    # -- messages ----------------------------------------------------------------------------------
    def arrive(self, raw: bytes, name: str = "inbox", **state: Any) -> Letter:
        received = BEGINNING + timedelta(minutes=next(self.numbers))
        made = Letter(raw, self.folder(name).id, received, **state)
        self.letters[made.id] = made
        self.folders[made.folder].log.touch(made.id)
        return made

    def change(self, letter: Letter, **state: Any) -> None:
        """Have it say something else; of what is only read a list of changes tells no more."""
        was = {name: getattr(letter, name) for name in state}
        if was == state:
            return
        for name, value in state.items():
            setattr(letter, name, value)
        self._touch(letter, partly=state.keys() == {"is_read"})

    def move(self, letter: Letter, folder: MailFolder) -> None:
        if letter.folder != folder.id:
            self.folders[letter.folder].log.drop(letter.id)
            letter.folder = folder.id
        self._touch(letter, partly=False)

    def remove(self, letter: Letter) -> None:
        del self.letters[letter.id]
        self.folders[letter.folder].log.drop(letter.id)

    def newest_first(self, folder: MailFolder) -> list[str]:
        mine = [one for one in self.letters.values() if one.folder == folder.id]
        return [one.id for one in sorted(mine, key=lambda one: one.received, reverse=True)]

    def _touch(self, letter: Letter, *, partly: bool) -> None:
        letter.change, letter.modified = secrets.token_urlsafe(18), self.clock.now()
        self.folders[letter.folder].log.touch(letter.id, partly=partly)
