"""A second reading of a message that is to leave. It shares no code with `parse`, nor `email`.

It reads nothing leniently: what RFC 5322, 2045 to 2047 and 2231 let be read in one way only is
read, and anything else raises `AmbiguousError`. What it reads is all there is in the message.
"""

import binascii
from collections.abc import Iterator
from dataclasses import dataclass, field

import regex

from inbox.rfc5322.strict_fields import (
    AmbiguousError,
    Fields,
    Mailbox,
    Parameterised,
    read_mailboxes,
    read_parameters,
    read_unstructured,
    split_fields,
)

_BOUNDARY = regex.compile(
    r"[0-9A-Za-z'()+_,./:=?-](?:[0-9A-Za-z'()+_,./:=? -]{0,68}[0-9A-Za-z'()+_,./:=?-])?"
)
# Of regex: a group that is repeated without going back is read wrongly by re until Python 3.11.5.
_QUOTED_PRINTABLE = regex.compile(rb"(?:[\t !-<>-~]|=[0-9A-F]{2}|=\r\n|(?<![\t ])\r\n)*+")
_ESCAPE = regex.compile(rb"=(?:([0-9A-F]{2})|\r\n)")
_MULTIPARTS = frozenset({"mixed", "alternative", "related"})
_BODIES = frozenset({"text/plain", "text/html"})
_CHARSETS = {"": "ascii", "us-ascii": "ascii", "utf-8": "utf-8"}
# Of a message, and of a part: all that a reviewer is shown, or that only finds threads.
_SHOWN = frozenset({"from", "to", "cc", "bcc", "subject", "date", "message-id", "in-reply-to",
                    "references", "mime-version"})  # fmt: skip
_OF_PARTS = frozenset(
    {"content-type", "content-transfer-encoding", "content-disposition", "content-id"}
)
_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A part that is no text of the message; its name is "" where it has none."""

    filename: str
    content_type: str
    content: bytes


@dataclass(slots=True)
class SecondReading:
    """What a message says by the letter of the standards, its parts in order."""

    sender: Mailbox
    to: tuple[Mailbox, ...]
    cc: tuple[Mailbox, ...]
    bcc: tuple[Mailbox, ...]
    subject: str
    texts: list[str] = field(default_factory=list)
    files: list[ReadFile] = field(default_factory=list)
    # Pages are not read: that there is one is told as such.
    has_html: bool = False

    @property
    def text(self) -> str:
        """All its text, with an empty line between parts."""
        return "\n\n".join(self.texts)


def read_strictly(raw: bytes) -> SecondReading:
    """Return what the message says; raises AmbiguousError where others may read it otherwise."""
    if b"\0" in raw or not raw.count(b"\r\n") == raw.count(b"\r") == raw.count(b"\n"):
        raise AmbiguousError("structure")
    fields, body = split_fields(raw, _SHOWN | _OF_PARTS)
    senders = read_mailboxes("sender", fields.get("from", ""))
    if len(senders) != 1:
        raise AmbiguousError("sender")
    reading = SecondReading(
        sender=senders[0],
        to=read_mailboxes("recipients", fields["to"]) if "to" in fields else (),
        cc=read_mailboxes("recipients", fields["cc"]) if "cc" in fields else (),
        bcc=read_mailboxes("recipients", fields["bcc"]) if "bcc" in fields else (),
        subject=read_unstructured(fields.get("subject", "")),
    )
    if fields.get("mime-version", "1.0") != "1.0":
        raise AmbiguousError("structure")
    _read_entity(fields, body, reading, 0)
    return reading


def _read_entity(fields: Fields, body: bytes, reading: SecondReading, depth: int) -> None:
    kind = read_parameters(fields.get("content-type", "text/plain"))
    main, slash, sub = kind.value.partition("/")
    if not (main and slash and sub) or depth > _DEEPEST:
        raise AmbiguousError("structure")
    if main != "multipart":
        _read_leaf(kind, fields, body, reading)
        return
    if sub not in _MULTIPARTS or not _is_identity(fields) or "content-disposition" in fields:
        raise AmbiguousError("structure")
    for part in _split(kind.parameters.get("boundary", ""), body):
        _read_entity(*split_fields(part, _OF_PARTS), reading, depth + 1)


def _is_identity(fields: Fields) -> bool:
    return fields.get("content-transfer-encoding", "7bit").lower() in {"7bit", "8bit"}


def _split(boundary: str, body: bytes) -> Iterator[bytes]:
    """Yield the parts: nothing may stand before, after or beside the lines that part them."""
    if not _BOUNDARY.fullmatch(boundary):
        raise AmbiguousError("structure")
    delimiter = b"--" + boundary.encode("ascii")
    whole = b"\r\n" + body
    pieces = whole.split(b"\r\n" + delimiter)
    # Not at the beginning of a line, it would be a delimiter to some.
    if pieces[0] or len(pieces) < 3 or whole.count(delimiter) != len(pieces) - 1:
        raise AmbiguousError("structure")
    if pieces[-1] not in (b"--", b"--\r\n"):
        raise AmbiguousError("structure")
    for piece in pieces[1:-1]:
        if not piece.startswith(b"\r\n"):
            raise AmbiguousError("structure")
        yield piece[2:]


def _read_leaf(kind: Parameterised, fields: Fields, body: bytes, reading: SecondReading) -> None:
    content = _decode(fields, body)
    disposition = read_parameters(fields.get("content-disposition", "inline"))
    name = disposition.parameters.get("filename", kind.parameters.get("name", ""))
    if kind.parameters.get("name", name) != name or disposition.value not in {
        "inline",
        "attachment",
    }:
        raise AmbiguousError("files")
    is_body = kind.value in _BODIES and disposition.value == "inline"
    if kind.value == "message/external-body" or (is_body and name):
        raise AmbiguousError("files")
    if is_body and kind.value == "text/html":
        reading.has_html = True
    elif is_body:
        reading.texts.append(_text(content, kind))
    else:
        reading.files.append(ReadFile(name, kind.value, content))


def _text(content: bytes, kind: Parameterised) -> str:
    charset = _CHARSETS.get(kind.parameters.get("charset", "").lower())
    if charset is None or "format" in kind.parameters:
        raise AmbiguousError("text")
    try:
        return content.decode(charset).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise AmbiguousError("text") from error


def _decode(fields: Fields, body: bytes) -> bytes:
    encoding = fields.get("content-transfer-encoding", "7bit").lower()
    if encoding in {"7bit", "8bit"} and (encoding == "8bit" or body.isascii()):
        return body
    if encoding == "base64":
        return _from_base64(body)
    is_printable = encoding == "quoted-printable" and _QUOTED_PRINTABLE.fullmatch(body)
    if is_printable and not body.endswith((b" ", b"\t")):
        return _ESCAPE.sub(lambda it: bytes.fromhex(it[1].decode()) if it[1] else b"", body)
    raise AmbiguousError("encoding")


def _from_base64(body: bytes) -> bytes:
    letters = body.replace(b"\r\n", b"")
    try:
        content = binascii.a2b_base64(letters, strict_mode=True)
    except binascii.Error as error:
        raise AmbiguousError("encoding") from error
    # Bits beyond the last byte would be lost.
    if binascii.b2a_base64(content, newline=False) != letters:
        raise AmbiguousError("encoding")
    return content
