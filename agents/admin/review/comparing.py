"""How a message differs from another: recipients, subject and files by line, the text by words."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from agents.admin.evidence.differences import TextPiece, difference
from inbox.models import Draft, DraftVersion, Submission
from inbox.rfc5322.parse import parse_outgoing


@dataclass(frozen=True, slots=True)
class MessageContent:
    """A message as somebody wrote it; addresses and file names in order."""

    to: tuple[str, ...]
    cc: tuple[str, ...]
    bcc: tuple[str, ...]
    subject: str
    text: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A line of the head that is another one now; empty: there was, or is, nothing."""

    label: Any
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Difference:
    """What leads from one message to the other; `pieces` is empty where the texts are the same."""

    fields: tuple[FieldChange, ...]
    pieces: tuple[TextPiece, ...]

    @property
    def is_none(self) -> bool:
        """Whether the two say the same to the same people."""
        return not self.fields and not self.pieces


_FIELDS: dict[str, Any] = {
    "to": _("To"), "cc": _("Cc"), "bcc": _("Bcc"), "subject": _("Subject"), "files": _("Files"),
}  # fmt: skip


def compare(old: MessageContent, new: MessageContent) -> Difference:
    """Return what leads from the old message to the new one."""
    changes = [
        FieldChange(label, _line(getattr(old, name)), _line(getattr(new, name)))
        for name, label in _FIELDS.items()
        if getattr(old, name) != getattr(new, name)
    ]
    before, after = old.text.strip(), new.text.strip()
    return Difference(tuple(changes), tuple(difference(before, after)) if before != after else ())


def read_sealed(submission: Submission) -> MessageContent:
    """Return the message that is sealed, whom it reaches unseen among them."""
    parsed = parse_outgoing(submission.mime_bytes)
    named = {one.email.lower() for one in (*parsed.to, *parsed.cc)}
    return MessageContent(
        to=_emails(one.email for one in parsed.to),
        cc=_emails(one.email for one in parsed.cc),
        bcc=_emails(one for one in submission.envelope_to if one.lower() not in named),
        subject=parsed.subject, text=parsed.text,
        files=tuple(file.filename for file in parsed.attachments),
    )  # fmt: skip


def read_draft(draft: Draft | DraftVersion) -> MessageContent:
    """Return the message that a draft, or a version of it, says; without its files."""
    return read_fields(
        to=draft.to, cc=draft.cc, bcc=draft.bcc, subject=draft.subject, body=draft.body
    )


def read_fields(
    *,
    to: list[dict[str, str]],
    cc: list[dict[str, str]],
    bcc: list[dict[str, str]],
    subject: str,
    body: str,
    files: tuple[str, ...] = (),
) -> MessageContent:
    """Return the message of these fields, the addresses as Address objects."""
    return MessageContent(
        to=_emails(one["email"] for one in to),
        cc=_emails(one["email"] for one in cc),
        bcc=_emails(one["email"] for one in bcc),
        subject=subject, text=body, files=files,
    )  # fmt: skip


def _emails(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(str(email).lower() for email in found)


def _line(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)
