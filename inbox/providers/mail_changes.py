"""Mail that lies at a provider and is followed by change tokens: as data and as one protocol.

As RFC 8621 has it: a message has an opaque id that stays, lies in one mailbox or in several, and
the provider says what changed since a position. A position is text that only its own store reads: a
state, a history id, delta links. Keywords are JMAP's (RFC 8621 4.1.1), in lower case. Nothing here
touches the database.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, Self

from inbox.providers.mail_store import StoreError
from inbox.reasons import ReasonText

# Characters of an id of a message or a mailbox; RFC 8620 1.2 has 255 octets at most.
LONGEST_ID = 500
# Mailboxes that are followed; messages that one page of changes may name.
MOST_MAILBOXES = 5_000
MOST_ON_A_PAGE = 5_000
# The one position of a store that has one for the whole account.
WHOLE_ACCOUNT = ""
# An atom (RFC 9051 9); Dovecot takes 50 characters at most, and what it refuses stays here.
_ATOM = re.compile(r"[!#$&'+,\-./0-9:;<=>?@A-Z\[^_`a-z|}~]{1,50}")


def is_keyword(word: str) -> bool:
    """Return True if it can be a keyword at an IMAP or JMAP server (RFC 8621 4.1.1)."""
    return _ATOM.fullmatch(word) is not None


@dataclass(frozen=True, slots=True)
class MailboxEntry:
    """A mailbox at the provider: its path for people, parts joined by slashes.

    `role` as in RFC 8621 2 (inbox, sent, drafts, archive, junk, trash; empty: none); no two
    mailboxes have the same.
    """

    id: str
    name: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class SenderIdentity:
    """An address, in lower case, as which an account may send, and the name that goes with it."""

    email: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class MailState:
    """What may change of a message: the mailboxes (their ids) in which it lies, and its keywords.

    It lies in one mailbox at least. Where the provider has mail that lies nowhere (archived, at
    Gmail), its store lists a mailbox for that.
    """

    mailboxes: frozenset[str]
    keywords: frozenset[str]


@dataclass(frozen=True, slots=True)
class MailChanges:
    """A page of what is different since a position.

    `changed` has the state, as of now, of what came or was changed, by the message's id; `gone` has
    what is not there any more, or left the mailbox whose position it is. `position` goes with the
    page: whoever noted it asks on from there, and `more` says that there is something to ask for.

    Where there is no position yet, or the provider does not know it any more, the pages are a
    listing of all there is (`is_whole`), the newest first; `begins` marks its first page, and a
    page without `more` its last. What no page of it named is gone. The position after the last page
    is as of before the first, so that what changed meanwhile is told afterwards; a listing that
    cannot be continued begins anew.
    """

    changed: Mapping[str, MailState]
    gone: frozenset[str]
    position: str
    more: bool = False
    is_whole: bool = False
    begins: bool = False


@dataclass(frozen=True, slots=True)
class MailItem:
    """A message as it lies there: its exact bytes (RFC 5322), or why they cannot be had."""

    id: str
    raw: bytes
    received_at: datetime | None
    problem: ReasonText = field(default_factory=ReasonText)


@dataclass(frozen=True, slots=True)
class MailChange:
    """What is to be changed of a message; what others changed of it stays."""

    add_keywords: frozenset[str] = frozenset()
    remove_keywords: frozenset[str] = frozenset()
    add_mailboxes: frozenset[str] = frozenset()
    remove_mailboxes: frozenset[str] = frozenset()


class MailChangeStore(Protocol):
    """A signed-in way to the mail of an account; a context manager.

    Nothing it does marks a message as read. Every method may raise StoreError, whose kind says what
    is done next: `transient` and `throttled` are tried again, `login`, `locked` and `permanent`
    wait for a person.
    """

    @property
    def features(self) -> frozenset[str]:
        """Of: push (`wait` can be asked)."""
        ...

    @property
    def calls(self) -> int:
        """How many requests were made."""
        ...

    @property
    def by_mailbox(self) -> bool:
        """Whether there is a position for each mailbox; otherwise one for the whole account."""
        ...

    @property
    def lies_in_many(self) -> bool:
        """Whether a message may lie in several mailboxes at once."""
        ...

    def takes_keyword(self, keyword: str) -> bool:
        """Return True if the provider can be told of a keyword: store it, and take it away."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def mailboxes(self) -> list[MailboxEntry]:
        """Return every mailbox in which messages can lie; one of them has the role inbox."""
        ...

    def changes(self, scope: str, position: str) -> MailChanges:
        """Return a page of what changed since `position`; empty is the beginning.

        `scope` is the id of a mailbox where the store has positions `by_mailbox`, and else
        `WHOLE_ACCOUNT`. With nothing new this and `mailboxes` are two requests at the most.
        """
        ...

    def states(self, ids: Sequence[str]) -> dict[str, MailState]:
        """Return the states of the messages that are still there, by id."""
        ...

    def fetch(self, ids: Sequence[str]) -> Iterator[MailItem]:
        """Yield the messages that are still there, in the order of `ids`; bounded in memory.

        One that cannot be had, because it is too large or the provider refuses it for good, comes
        with a `problem` in place of its bytes.
        """
        ...

    def apply(self, changes: Mapping[str, MailChange]) -> dict[str, StoreError]:
        """Change messages, each wholly or not at all; return what was refused, by id.

        A change that is made twice is made once. `gone`: there is no such message any more. What is
        not refused for good raises.
        """
        ...

    def destroy(self, ids: Sequence[str]) -> dict[str, StoreError]:
        """Remove messages for good; return what was refused. What is gone already is removed."""
        ...

    def create(self, name: str, role: str) -> str:
        """Make a mailbox and return its id; of one that is there by this name, that one's."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait for a change; False: none within `seconds`. `permanent` where it cannot wait."""
        ...

    def close(self) -> None:
        """Let go of the connection; never raises."""
        ...
