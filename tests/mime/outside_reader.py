"""What a reader that is not ours finds in a message: `fast-mail-parser`, which is in Rust."""

from dataclasses import dataclass

import fast_mail_parser
from fast_mail_parser import ParseError, PyAddress, PyMimePart


@dataclass(frozen=True, slots=True)
class OutsideReading:
    """The message as the other reader has it; the files are name, type and bytes, in order."""

    sender: tuple[tuple[str, str], ...]
    to: tuple[tuple[str, str], ...]
    cc: tuple[tuple[str, str], ...]
    bcc: tuple[tuple[str, str], ...]
    subject: str
    texts: tuple[str, ...]
    files: tuple[tuple[str, str, bytes], ...]


def read_outside(raw: bytes) -> OutsideReading | None:
    """Return what the other reader finds; None where it refuses the message."""
    try:
        mail = fast_mail_parser.parse_email(raw)
    except ParseError:
        return None
    return OutsideReading(
        sender=_pairs([mail.from_] if mail.from_ else []),
        to=_pairs(mail.to), cc=_pairs(mail.cc), bcc=_pairs(mail.bcc), subject=mail.subject,
        texts=tuple(mail.text_plain),
        files=tuple((one.filename, one.mimetype, one.content) for one in mail.attachments),
    )  # fmt: skip


def leaves_outside(raw: bytes) -> list[PyMimePart]:
    """Return the parts that hold content, as the other reader finds them.

    An empty list where it refuses the message. A mail inside is read into.
    """
    try:
        found, waiting = [], [fast_mail_parser.parse_email_tree(raw)]
    except ParseError:
        return []
    while waiting:
        part = waiting.pop()
        if part.content is not None:
            found.append(part)
        else:
            waiting += part.children
    return found


def _pairs(addresses: list[PyAddress]) -> tuple[tuple[str, str], ...]:
    return tuple((one.display_name or "", one.address) for one in addresses)
