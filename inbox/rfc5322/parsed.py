"""What a message says, in plain values."""

from dataclasses import dataclass, field
from datetime import datetime

from inbox.rfc5322.addresses.parsing import Address


@dataclass(frozen=True, slots=True)
class ParsedAttachment:
    """A part that is not the message's text; `content` is exactly what its sender encoded."""

    position: int
    filename: str
    content_type: str
    content_id: str
    inline: bool
    content: bytes


@dataclass(frozen=True, slots=True)
class UninspectablePart:
    """A part that is not shown as whoever receives it may read it, and why.

    `reason` is `encrypted`, `charset`, `encoding`, `partial`, `external`, `cut` or `html`. `name`
    is that of a file, or else the media type.
    """

    reason: str
    name: str


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """A message that was read. Every string is NFC, without NUL, surrogates or unseen characters.

    `sender` is the first mailbox of the first From field; `anomalies` says when that was a choice.
    `trace` has the Received and Authentication-Results fields from the top: name, value.
    """

    message_id: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    sent_at: datetime | None = None
    received_at: datetime | None = None
    sender: Address = field(default_factory=lambda: Address(""))
    from_all: tuple[Address, ...] = ()
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    bcc: tuple[Address, ...] = ()
    reply_to: tuple[Address, ...] = ()
    subject: str = ""
    text: str = ""
    new_text: str = ""
    snippet: str = ""
    html: str = ""
    attachments: tuple[ParsedAttachment, ...] = ()
    uninspectable: tuple[UninspectablePart, ...] = ()
    list_id: str = ""
    signals: dict[str, str] = field(default_factory=dict)
    authentication_headers: tuple[str, ...] = ()
    trace: tuple[tuple[str, str], ...] = ()
    anomalies: tuple[str, ...] = ()
    language: str = ""
    search_extra: str = ""
