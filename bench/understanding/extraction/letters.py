"""A letter with what it says: as bytes, read by us as any mail is, and the values to be found."""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime, formataddr
from typing import Any

from inbox.extract import Extraction, extract_from
from inbox.extract.attached import text_of
from inbox.extract.document import document_of
from inbox.rfc5322.parse import parse_message

SENT_AT = datetime(2026, 9, 14, 9, 30, tzinfo=UTC)
_OURS = "ada.byron@lantern.example"


@dataclass(frozen=True)
class Labelled:
    """A message and what a schema should get of it: nothing else, whatever else it asks for."""

    name: str
    schema: dict[str, Any]
    raw: bytes
    truth: dict[str, Any]
    # Where the same may be said in more than one way, what else is right.
    also: dict[str, tuple[Any, ...]]


def mail(
    subject: str,
    text: str = "",
    html: str = "",
    *,
    files: tuple[tuple[str, str, bytes], ...] = (),
    sender: tuple[str, str] = ("Accounts", "accounts@supplier.example"),
    to: str = f"Ada Byron <{_OURS}>",
    sent_at: datetime = SENT_AT,
) -> bytes:
    """Return a message as somebody's program sends it; files are names, types and bytes."""
    message = EmailMessage()
    message["From"] = formataddr(sender) if sender[0] else sender[1]
    message["To"] = to
    message["Subject"] = subject
    message["Date"] = format_datetime(sent_at)
    if text or not html:
        message.set_content(text or " ")
    if html and text:
        message.add_alternative(html, subtype="html")
    elif html:
        message.set_content(html, subtype="html")
    for name, kind, content in files:
        main, _, sub = kind.partition("/")
        message.add_attachment(content, maintype=main, subtype=sub, filename=name)
    return message.as_bytes()


def read(letter: Labelled) -> Extraction:
    """Return what is found in a letter."""
    parsed = parse_message(letter.raw)
    files = [it for it in parsed.attachments if it.content_type != "text/html"]
    texts = [text_of(it.content, it.filename, it.content_type).text for it in files]
    to = parsed.to[0]
    document = document_of(
        subject=parsed.subject, new_text=parsed.new_text, text=parsed.text,
        attached=[it for it in texts if it.strip()], sender=(parsed.sender.name, parsed.sender.email),
        recipient=(to.name, to.email), own_emails=frozenset({to.email}), sent_at=parsed.sent_at or SENT_AT,
        language=parsed.language, attachment_names=tuple(it.filename for it in files),
    )  # fmt: skip
    return extract_from(document, letter.schema)
