"""What the scripted IMAP peer keeps in memory: mailboxes, their messages, and what became of them."""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass
class Stored:
    """A message in a mailbox."""

    uid: int
    raw: bytes
    flags: set[str]
    at: datetime
    modseq: int


@dataclass
class PeerMailbox:
    """A mailbox; `gone` has the UIDs of what was expunged, with the mod-sequence of it."""

    name: str
    use: str = ""
    uidvalidity: int = 1000
    uidnext: int = 1
    modseq: int = 1
    selectable: bool = True
    messages: dict[int, Stored] = field(default_factory=dict)
    gone: list[tuple[int, int]] = field(default_factory=list)

    def next_modseq(self) -> int:
        """Count one change."""
        self.modseq += 1
        return self.modseq

    def add(self, raw: bytes, flags: Iterable[str] = (), at: datetime | None = None) -> int:
        """Put a message in; return its UID."""
        uid, self.uidnext = self.uidnext, self.uidnext + 1
        at = at or datetime.now(UTC)
        self.messages[uid] = Stored(uid, raw, set(flags), at, self.next_modseq())
        return uid

    def expunge(self, uids: Iterable[int]) -> list[int]:
        """Remove messages; return those that were there."""
        removed = [uid for uid in sorted(uids) if self.messages.pop(uid, None)]
        if removed:
            modseq = self.next_modseq()
            self.gone += [(modseq, uid) for uid in removed]
        return removed

    def flag(self, uid: int, flags: set[str]) -> None:
        """Give a message exactly these flags."""
        message = self.messages[uid]
        if message.flags != flags:
            message.flags, message.modseq = flags, self.next_modseq()

    def renumber(self) -> None:
        """Begin a new UIDVALIDITY, with new UIDs for all (RFC 9051 2.3.1.1)."""
        kept = list(self.messages.values())
        self.uidvalidity += random.randrange(1, 1000)
        self.uidnext, self.messages, self.gone = 1, {}, []
        for message in kept:
            self.add(message.raw, message.flags, message.at)


def usual_mailboxes() -> dict[str, PeerMailbox]:
    """Return what most providers begin with."""
    uses = {
        "INBOX": "", "Sent": "\\Sent", "Drafts": "\\Drafts", "Archive": "\\Archive",
        "Junk": "\\Junk", "Trash": "\\Trash",
    }  # fmt: skip
    return {name: PeerMailbox(name, use) for name, use in uses.items()}
