"""What of a message is read: its text in layers, the surest first."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

import regex

# The rest of a longer text is not read.
LONGEST_LAYER = 20_000

_HISTORY = regex.compile(
    r"^(?:>|-{2,}\s?(?:original|ursprüngliche|forwarded|weitergeleitete)|_{10,}|"
    r"(?:from|von|de|差出人|من)\s?:"
    r"|.{0,120}\b(?:wrote|schrieb|a écrit|escribió)\b.{0,80}:\s*$|.{0,80}(?:のメール|"
    r"さん.{0,20}書き|كتب).{0,20}[::]\s*$)",
    regex.IGNORECASE | regex.MULTILINE,
)


@dataclass(frozen=True)
class Document:
    """A message as extraction reads it.

    `layers`: the subject with the sender's own words and plain attachments, then the signature,
    then what is quoted.
    """

    layers: tuple[str, ...]
    sent_at: datetime
    subject: str = ""
    own_text: str = ""
    sender_name: str = ""
    sender_email: str = ""
    recipient_name: str = ""
    language: str = ""
    attachment_names: tuple[str, ...] = ()
    own_emails: frozenset[str] = field(default_factory=frozenset)

    @property
    def sent_on(self) -> date:
        """The day against which "tomorrow" is read."""
        return self.sent_at.date()

    @property
    def everything(self) -> str:
        """All layers as one text."""
        return "\n".join(self.layers)


def layers_of(subject: str, new_text: str, text: str, attached: Sequence[str]) -> tuple[str, ...]:
    """Return the layers of a message's text."""
    place = text.find(new_text) if new_text else -1
    rest = text[place + len(new_text) :] if place >= 0 else text
    history = _HISTORY.search(rest)
    signature, quoted = (
        (rest[: history.start()], rest[history.start() :]) if history else (rest, "")
    )
    quoted = regex.sub(r"^[> ]+", "", quoted[:LONGEST_LAYER], flags=regex.MULTILINE)
    first = "\n".join([f"{subject}\n", new_text or "", *attached])
    return first[:LONGEST_LAYER], signature[:LONGEST_LAYER], quoted[:LONGEST_LAYER]
