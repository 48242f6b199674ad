"""What a returned message says, in plain values."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["failed", "delayed", "delivered", "relayed", "expanded", "away"]
# More recipients than a submission can have are not read of one report.
MOST_RECIPIENTS = 500
LONGEST_WORDS = 1000


@dataclass(frozen=True, slots=True)
class RecipientReport:
    """What became of one recipient.

    `address` is bare and may be empty; `status` is a code of RFC 3463 or empty; `words` are what
    the other server said, on one line of at most 1,000 characters.
    """

    kind: Kind
    address: str = ""
    status: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Returned:
    """Of which messages a message tells, by Message-IDs that it names, and what it says of them."""

    message_ids: tuple[str, ...]
    recipients: tuple[RecipientReport, ...]


def one_line(text: str) -> str:
    """Return a server's words on one line without anything unseen, cut."""
    seen = "".join(char if char.isprintable() else " " for char in text[: 4 * LONGEST_WORDS])
    return " ".join(seen.split())[:LONGEST_WORDS]
