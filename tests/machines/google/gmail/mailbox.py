"""What a mailbox at Gmail holds: messages, labels, and the history of what happened to them."""

import itertools
import random
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.machines.google.refusing import Refused

# What Gmail has by itself; of these nobody can put SENT and DRAFT on a message or take them off.
SYSTEM = (
    "INBOX", "UNREAD", "STARRED", "IMPORTANT", "SENT", "DRAFT", "SPAM", "TRASH", "CHAT",
    "CATEGORY_PERSONAL", "CATEGORY_SOCIAL", "CATEGORY_PROMOTIONS", "CATEGORY_UPDATES",
    "CATEGORY_FORUMS",
)  # fmt: skip
FIXED = frozenset({"SENT", "DRAFT", "CHAT"})
_NOT_NAMES = re.compile(
    r"\s*(?:inbox|sent|drafts?|spam|trash|starred|unread|chats?)\s*", re.IGNORECASE
)
_ANSWERED = re.compile(
    rb"^(?:references|in-reply-to):((?:.*\r?\n?)(?:[ \t].*\r?\n?)*)", re.IGNORECASE | re.MULTILINE
)
_MESSAGE_ID = re.compile(r"<[^<>\s@]+@[^<>\s@]+>")


@dataclass
class Letter:
    """A message, newest by `internal_date` (milliseconds)."""

    id: str
    thread_id: str
    raw: bytes
    internal_date: int
    labels: set[str]
    history_id: int = 0


@dataclass
class Record:
    """One entry of the history."""

    id: int
    kind: str
    letter_id: str
    thread_id: str
    labels: tuple[str, ...] = ()


@dataclass
class GmailBox:
    """All of it; what tests look at or bend stands here."""

    labels: dict[str, str] = field(default_factory=lambda: {name: name for name in SYSTEM})
    letters: dict[str, Letter] = field(default_factory=dict)
    # The thread of each Message-ID.
    threads: dict[str, str] = field(default_factory=dict)
    history: list[Record] = field(default_factory=list)
    # A `startHistoryId` below this is not known any more.
    known_from: int = 1
    newest: int = 1000
    chance: random.Random = field(default_factory=lambda: random.Random(7))
    numbers: Any = field(default_factory=lambda: itertools.count(1))
    last_date: int = 0

    # -- what happens ------------------------------------------------------------------------------
    def add(
        self, raw: bytes, labels: Iterable[str] = ("INBOX", "UNREAD"), *, at: int | None = None,
    ) -> Letter:  # fmt: skip
        """Have a message lie there; `at` is when it came, in milliseconds."""
        key = f"{(0x18F << 52) + next(self.numbers) * 7919:016x}"
        self.last_date = max(self.last_date + 1, int(time.time() * 1000)) if at is None else at
        letter = Letter(key, self._thread_of(raw) or key, raw, self.last_date, set(labels))
        self.letters[key] = letter
        self.threads[message_id(raw)] = letter.thread_id
        self.note("messagesAdded", letter)
        return letter

    def change(self, letter: Letter, add: Iterable[str] = (), remove: Iterable[str] = ()) -> None:
        """Put labels on a message and take others off; spam and trash keep it out of all else."""
        more, less = set(add) - letter.labels, set(remove)
        for one, others in (("TRASH", {"INBOX", "SPAM"}), ("SPAM", {"INBOX", "TRASH"})):
            if one in more:
                less |= others - more
        less &= letter.labels - more
        letter.labels = (letter.labels | more) - less
        if more:
            self.note("labelsAdded", letter, more)
        if less:
            self.note("labelsRemoved", letter, less)

    def remove(self, key: str) -> None:
        letter = self.letters.pop(key)
        self.note("messagesDeleted", letter)

    def note(self, kind: str, letter: Letter, labels: Iterable[str] = ()) -> None:
        """Write into the history; its ids grow by leaps."""
        self.newest += self.chance.randint(1, 40)
        letter.history_id = self.newest
        self.history.append(
            Record(self.newest, kind, letter.id, letter.thread_id, tuple(sorted(labels)))
        )

    def forget(self) -> None:
        """Know no history any more of what was until now."""
        self.newest += 1
        self.known_from = self.newest
        self.history.clear()

    # -- labels ------------------------------------------------------------------------------------
    def add_label(self, name: str) -> str:
        if _NOT_NAMES.fullmatch(name) or not name.strip() or len(name) > 225:
            raise Refused(400, "invalidArgument", "Invalid label name")
        if name.lower() in {it.lower() for it in self.labels.values()}:
            raise Refused(409, "aborted", "Label name exists or conflicts")
        key = f"Label_{next(self.numbers)}"
        self.labels[key] = name
        return key

    def rename_label(self, key: str, name: str) -> None:
        others = {it.lower() for other, it in self.labels.items() if other != key}
        if _NOT_NAMES.fullmatch(name) or name.lower() in others:
            raise Refused(400, "invalidArgument", "Invalid label name")
        self.labels[key] = name

    def remove_label(self, key: str) -> None:
        del self.labels[key]
        for letter in self.letters.values():
            self.change(letter, remove={key})

    def label(self, name: str) -> str:
        return next(key for key, it in self.labels.items() if it == name)

    def own_label(self, key: str) -> str:
        """Return a label that somebody made."""
        if key not in self.labels:
            raise Refused(404, "notFound", "Requested entity was not found.")
        if key in SYSTEM:
            raise Refused(400, "invalidArgument", "Invalid delete request")
        return key

    # -- finding -----------------------------------------------------------------------------------
    def letter(self, key: str) -> Letter:
        if not re.fullmatch(r"[0-9a-f]{16}", key):
            raise Refused(400, "invalidArgument", "Invalid id value")
        if key not in self.letters:
            raise Refused(404, "notFound", "Requested entity was not found.")
        return self.letters[key]

    def newest_first(self) -> list[Letter]:
        return sorted(self.letters.values(), key=lambda it: (it.internal_date, it.id), reverse=True)

    def _thread_of(self, raw: bytes) -> str:
        head = raw.partition(b"\r\n\r\n")[0]
        named = b" ".join(_ANSWERED.findall(head)).decode("ascii", "replace")
        found = (self.threads.get(one, "") for one in _MESSAGE_ID.findall(named))
        return next(filter(None, found), "")


def message_id(raw: bytes) -> str:
    """Return the Message-ID of a message, empty where it has none that is well-formed."""
    head = raw.partition(b"\r\n\r\n")[0]
    found = re.search(rb"^message-id:\s*(\S+)\s*$", head, re.IGNORECASE | re.MULTILINE)
    text = found[1].decode("ascii", "replace") if found else ""
    return text if _MESSAGE_ID.fullmatch(text) else ""
