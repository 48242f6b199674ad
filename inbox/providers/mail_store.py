"""Mail that lies at a provider: what a mirror of it asks for, as data and as one protocol.

Nothing here touches the database. Mailbox names are text, as a person reads them; UIDs, UIDVALIDITY
and mod-sequences are the server's (RFC 9051, 7162).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, Self, TypeAlias

from inbox.reasons import ReasonText

# Bytes; a larger one is not fetched.
LARGEST_MESSAGE = 64 * 1024 * 1024
StoreErrorKind: TypeAlias = Literal[
    "transient", "throttled", "login", "locked", "permanent", "gone"
]  # fmt: skip


class StoreError(Exception):
    """The provider did not do what was asked.

    `transient`: may be tried again. `throttled`: may be tried again after `retry_after` seconds,
    where the server said so. `login`: the credentials are not, or no longer, accepted. `locked`:
    they cannot be opened here, and nobody was asked.
    `permanent`: trying again will not help. `gone`: the mailbox is not there any more. `words` say
    it to a person; `reply` keeps the server's raw answer, which never holds a credential.
    """

    def __init__(
        self,
        kind: StoreErrorKind,
        words: ReasonText,
        reply: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(words)
        self.kind = kind
        self.words = words
        self.reply = reply
        self.retry_after = retry_after

    @property
    def sentence(self) -> str:
        """`words` where they stand alone, without the `reply` that they may lead up to."""
        return alone(self.words)


def alone(words: str) -> str:
    """Return words that may end in a colon, for a reply to follow, as a sentence of their own."""
    return f"{words.rstrip('.: ')}." if words else ""


@dataclass(frozen=True, slots=True)
class FolderState:
    """What changes in a mailbox, as STATUS or SELECT tell it; None where the server does not.

    Two equal states with a `highest_modseq` mean that nothing has changed in between.
    """

    uidvalidity: int
    uidnext: int
    messages: int
    highest_modseq: int | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """A mailbox at the provider.

    `role` as in RFC 8621 2 (inbox, sent, drafts, archive, junk, trash; empty: none), from its
    SPECIAL-USE (RFC 6154) or, without that, from its usual names. `state` is None where it would
    have taken a command of its own to learn it, or it cannot be selected.
    """

    name: str
    delimiter: str
    role: str
    selectable: bool
    state: FolderState | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A mailbox that was selected, and what QRESYNC said of the time since (RFC 7162 3.2.5).

    `changed` and `vanished` are None where the server did not tell, and must then be asked for with
    `keywords` and `uids`. `keeps_keywords`: whether new free keywords can be stored here.
    """

    state: FolderState
    writable: bool
    keeps_keywords: bool
    changed: Mapping[int, frozenset[str]] | None = None
    vanished: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """A message as it lies there: its exact bytes, and its keywords as JMAP names them."""

    uid: int
    raw: bytes
    keywords: frozenset[str]
    received_at: datetime | None


class MailStore(Protocol):
    r"""One connection to the mail of an account; a context manager that logs out.

    It is logged in from the start. Nothing it does marks a message as read. Every method may raise
    StoreError; after `transient` the connection is over. Keywords are JMAP's (RFC 8621 4.1.1):
    `$seen`, `$flagged`, `$answered`, `$draft`, and the server's own ones in lower case; `\Deleted`
    is `$deleted` and `\Recent` is left out.
    """

    @property
    def features(self) -> frozenset[str]:
        """Of: condstore, qresync, move, uidplus, idle, special-use, list-status, id."""
        ...

    @property
    def commands(self) -> int:
        """How many commands were sent on this connection, logging in and out included."""
        ...

    @property
    def alerts(self) -> list[str]:
        """What the server wants a person to read (RFC 9051 7.1, ALERT); its words, at most ten."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def folders(self) -> list[Folder]:
        """Return every mailbox, with its state where one command gives them all (RFC 5819)."""
        ...

    def folder_state(self, name: str) -> FolderState:
        """Return the state of one mailbox, without selecting it."""
        ...

    def open(
        self, name: str, *, known: FolderState | None = None, read_only: bool = False
    ) -> Opened:
        """Select a mailbox; `known` is the state as of which our rows are complete."""
        ...

    def uids(self, first: int = 1, last: int | None = None) -> list[int]:
        """Return the UIDs that are there, from `first` to `last` (None: the end), ascending."""
        ...

    def keywords(
        self, first: int = 1, last: int | None = None, *, changed_since: int | None = None
    ) -> dict[int, frozenset[str]]:
        """Return the keywords by UID; `changed_since` a mod-sequence, where there is condstore."""
        ...

    def fetch(self, uids: Sequence[int]) -> Iterator[Fetched]:
        """Yield the messages that are still there, in batches, in the order of `uids`.

        One that vanished is left out, and so is one larger than `LARGEST_MESSAGE` (ask `sizes`).
        Without bytes comes one that the server cannot read.
        """
        ...

    def sizes(self, uids: Sequence[int]) -> dict[int, int]:
        """Return the size of each message in bytes, without reading it."""
        ...

    def message_ids(self, uids: Sequence[int]) -> dict[int, str]:
        """Return the Message-ID of each message without its brackets; "" where it has none."""
        ...

    def store_keywords(
        self, uids: Sequence[int], *, add: frozenset[str], remove: frozenset[str]
    ) -> None:
        """Add and remove keywords; those of other clients stay. Missing UIDs are no error."""
        ...

    def move(self, uids: Sequence[int], to: str) -> dict[int, int] | None:
        """Move messages to a mailbox; return their new UIDs (COPYUID), None where not told.

        With MOVE (RFC 6851), else by COPY and an expunge of exactly these (UIDPLUS); where neither
        can be had, it raises `permanent` rather than expunge what others marked.
        """
        ...

    def expunge(self, uids: Sequence[int]) -> None:
        """Remove exactly these messages for good (RFC 4315); `permanent` without UIDPLUS."""
        ...

    def append(
        self, name: str, raw: bytes, *, keywords: frozenset[str], received_at: datetime | None
    ) -> int | None:
        """Put a message into a mailbox; return its UID (APPENDUID), None where not told."""
        ...

    def find(self, name: str, message_id: str) -> list[int]:
        """Return the UIDs of the messages with exactly this Message-ID in a mailbox.

        The mailbox is opened to read, unless it is open.
        """
        ...

    def create(self, name: str) -> None:
        """Make a mailbox and subscribe to it; one that is there already is no error."""
        ...

    def close(self) -> None:
        """Log out; never raises."""
        ...
