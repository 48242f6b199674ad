"""`MailStore` on an IMAP server; each method is one or a few commands."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Self

from inbox.providers.base import Connection
from inbox.providers.imap import changing, fetching, listing, selecting
from inbox.providers.imap.logging_in import log_in, log_out
from inbox.providers.imap.session import Session
from inbox.providers.imap.transports import at_once
from inbox.providers.mail_store import Fetched, Folder, FolderState, Opened


class ImapStore:
    """The mail of an account over one connection; see `MailStore` for what each method does."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @classmethod
    def connect(cls, account: Connection) -> Self:
        """Connect and log in as the account's settings say; raises StoreError."""
        return cls(log_in(account))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def features(self) -> frozenset[str]:
        """Return what the server can do, of the extensions that `MailStore` names."""
        return self._session.features

    @property
    def commands(self) -> int:
        """Return how many commands were sent."""
        return self._session.connection.commands

    @property
    def alerts(self) -> list[str]:
        """Return what the server wants a person to read, its own words."""
        return list(self._session.alerts)

    def folders(self) -> list[Folder]:
        """Return every mailbox, with its state where one command gives them all."""
        return listing.list_folders(self._session)

    def folder_state(self, name: str) -> FolderState:
        """Return the state of one mailbox, without selecting it."""
        return at_once(listing.ask_state(self._session, name))

    def open(
        self, name: str, *, known: FolderState | None = None, read_only: bool = False
    ) -> Opened:
        """Select a mailbox."""
        opening = selecting.open_mailbox(self._session, name, known, read_only=read_only)
        return at_once(opening)

    def uids(self, first: int = 1, last: int | None = None) -> list[int]:
        """Return the UIDs that are there."""
        return fetching.list_uids(self._session, first, last)

    def keywords(
        self, first: int = 1, last: int | None = None, *, changed_since: int | None = None
    ) -> dict[int, frozenset[str]]:
        """Return the keywords by UID."""
        return fetching.fetch_keywords(self._session, first, last, changed_since)

    def fetch(self, uids: Sequence[int]) -> Iterator[Fetched]:
        """Yield the messages that are still there."""
        return fetching.fetch_messages(self._session, uids)

    def sizes(self, uids: Sequence[int]) -> dict[int, int]:
        """Return the size of each message in bytes."""
        return fetching.fetch_sizes(self._session, uids)

    def message_ids(self, uids: Sequence[int]) -> dict[int, str]:
        """Return the Message-ID of each message without its brackets; "" where it has none."""
        found = fetching.fetch_message_ids(self._session, uids)
        return {uid: header.decode("utf-8", "replace") for uid, header in found.items()}

    def store_keywords(
        self, uids: Sequence[int], *, add: frozenset[str], remove: frozenset[str]
    ) -> None:
        """Add and remove keywords."""
        changing.store_keywords(self._session, uids, add, remove)

    def move(self, uids: Sequence[int], to: str) -> dict[int, int] | None:
        """Move messages to a mailbox; return their new UIDs where the server tells them."""
        return changing.move(self._session, uids, to)

    def expunge(self, uids: Sequence[int]) -> None:
        """Remove exactly these messages for good."""
        changing.expunge(self._session, uids)

    def append(
        self, name: str, raw: bytes, *, keywords: frozenset[str], received_at: datetime | None
    ) -> int | None:
        """Put a message into a mailbox; return its UID where the server tells it."""
        if self._session.read_only and self._is_open(name):
            # Courier takes nothing into a mailbox that this connection has open to read.
            self.open(name)
        uid = changing.append(self._session, name, raw, keywords, received_at)
        if self._is_open(name):
            # There it does not show either, until the mailbox is opened anew.
            self._session.opened = b""
        return uid

    def find(self, name: str, message_id: str) -> list[int]:
        """Return the UIDs of the messages with exactly this Message-ID in a mailbox."""
        if not self._is_open(name):
            self.open(name, read_only=True)
        return fetching.find_message_id(self._session, message_id)

    def _is_open(self, name: str) -> bool:
        return self._session.opened == listing.wire_name(self._session, name)

    def create(self, name: str) -> None:
        """Make a mailbox and subscribe to it."""
        listing.create_folder(self._session, name)

    def close(self) -> None:
        """Log out; never raises."""
        at_once(log_out(self._session))
