"""An outgoing message as the exact bytes that a person approves and a server receives."""

import binascii
import re
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from hashlib import sha256

from inbox.reasons import phrase as _
from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.field_text import (
    encode_parameter,
    encode_phrase,
    encode_unstructured,
    fold,
    require_header_text,
)
from inbox.rfc5322.filenames import safe_filename

CRLF = b"\r\n"
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,250}@[!-;=?-~]{1,250}>")
_MEDIA_TYPE = re.compile(r"([a-z0-9][a-z0-9!#$&^_.+-]{0,126})/([a-z0-9][a-z0-9!#$&^_.+-]{0,126})")
_ADDRESS = re.compile(r"[^\s<>()\[\]:;,\\\"@]{1,64}@[A-Za-z0-9.-]{1,253}")
_NEWLINE = re.compile("\r\n|\r|\n")
_METHOD = re.compile(r"^METHOD:([A-Z]{3,20})\r?$", re.MULTILINE)
MAX_LINE = 998


@dataclass(frozen=True, slots=True)
class OutgoingAttachment:
    """A file to send; its bytes arrive as they are."""

    filename: str
    content_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """What is to be said. `message_id` and the references carry their angle brackets."""

    from_: Address
    to: tuple[Address, ...]
    subject: str
    body: str
    message_id: str
    date: datetime
    cc: tuple[Address, ...] = ()
    # Goes into the envelope only, never into a header.
    bcc: tuple[Address, ...] = ()
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    attachments: tuple[OutgoingAttachment, ...] = ()
    # A whole VCALENDAR with its METHOD (RFC 5546); empty: none.
    calendar: str = ""


def build_message(out: OutgoingMessage) -> bytes:
    """Return the message in wire form: CRLF, no line over 998 bytes, 7-bit bodies.

    The same input gives the same bytes. Headers are ASCII (RFC 2047, RFC 2231) unless an address
    itself is not (RFC 6532). Raises ValueError that begins with the field's name where a header
    holds a line break, a control or a hidden character, or an address or id is malformed.

    With a calendar, text and calendar are alternatives (RFC 6047 2.4), and the calendar is a file
    `invite.ics` besides, for readers that take no notice of the other.
    """
    headers = [*_headers(out), b"MIME-Version: 1.0"]
    attachments = [_attachment_part(one) for one in out.attachments]
    body = _text_part(out.body)
    if out.calendar:
        body = _invitation(out, body)
        invite = OutgoingAttachment("invite.ics", "application/ics", out.calendar.encode())
        attachments.append(_attachment_part(invite))
    if not attachments:
        return CRLF.join([*headers, *body])
    parts = [CRLF.join(body), *attachments]
    return CRLF.join([*headers, *_multipart("mixed", out.message_id, parts)])


def _multipart(kind: str, seed: str, parts: list[bytes]) -> list[bytes]:
    """Return the lines of a multipart: its header, an empty line, its parts."""
    boundary = _boundary(f"{kind} {seed}", parts)
    delimiter = f"--{boundary}".encode("ascii")
    lines = [f'Content-Type: multipart/{kind}; boundary="{boundary}"'.encode("ascii"), b""]
    for part in parts:
        lines += [delimiter, part]
    return [*lines, delimiter + b"--", b""]


def _invitation(out: OutgoingMessage, text: list[bytes]) -> list[bytes]:
    """Return the lines of text and calendar as alternatives; the method stands at the type too."""
    found = _METHOD.search(out.calendar)
    if found is None:
        raise ValueError(_("calendar: METHOD is missing"))
    _type, encoding, _id, content = _text_part(out.calendar)
    content_type = f"Content-Type: text/calendar; charset=utf-8; method={found[1]}"
    part = CRLF.join([content_type.encode("ascii"), encoding, b"", content])
    return _multipart("alternative", out.message_id, [CRLF.join(text), part])


def _headers(out: OutgoingMessage) -> list[bytes]:
    if out.date.tzinfo is None:
        raise ValueError(_("date: it needs an offset"))
    if not out.to and not out.cc and not out.bcc:
        raise ValueError(_("to: at least one recipient is needed"))
    fields = [
        ("From", _addresses("from", (out.from_,))),
        ("To", _addresses("to", out.to)),
        ("Cc", _addresses("cc", out.cc)),
        ("Subject", encode_unstructured("subject", out.subject, len("Subject: "))),
        ("Date", [format_datetime(out.date)]),
        ("Message-ID", [_message_id("message_id", out.message_id)]),
        ("In-Reply-To", [_message_id("in_reply_to", out.in_reply_to)] if out.in_reply_to else []),
        ("References", [_message_id("references", one) for one in out.references]),
    ]
    _addresses("bcc", out.bcc)  # checked, and not written
    return [fold(name, tokens) for name, tokens in fields if tokens]


def _addresses(field: str, addresses: tuple[Address, ...]) -> list[str]:
    """Return the tokens of an address list, a comma after each but the last."""
    tokens: list[str] = []
    for index, address in enumerate(addresses):
        require_header_text(field, address.email)
        if not _ADDRESS.fullmatch(address.email):
            raise ValueError(
                _(
                    "%(field)s: %(email)s is not one address name@host.example",
                    field=field,
                    email=repr(address.email),
                )
            )
        phrase = encode_phrase(field, address.name)
        comma = "," if index + 1 < len(addresses) else ""
        tokens += [*phrase, f"<{address.email}>{comma}"] if phrase else [f"{address.email}{comma}"]
    return tokens


def _message_id(field: str, message_id: str) -> str:
    if not _MESSAGE_ID.fullmatch(message_id):
        raise ValueError(
            _(
                "%(field)s: %(message_id)s is not an id such as <name@host.example>",
                field=field,
                message_id=repr(message_id[:100]),
            )
        )
    return message_id


def _text_part(body: str) -> list[bytes]:
    """Return the lines of the text part: its headers, an empty line, its content."""
    if "\x00" in body:
        raise ValueError(_("body: it contains a NUL character"))
    try:
        data = _NEWLINE.sub("\r\n", body).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(_("body: it contains half of a surrogate pair")) from error
    if data and not data.endswith(CRLF):
        data += CRLF
    charset = "us-ascii" if data.isascii() else "utf-8"
    encoding, content = _encode_text(data)
    return [
        f"Content-Type: text/plain; charset={charset}".encode("ascii"),
        f"Content-Transfer-Encoding: {encoding}".encode("ascii"),
        b"",
        content,
    ]


def _encode_text(data: bytes) -> tuple[str, bytes]:
    """Choose the encoding that leaves text readable: 7bit, quoted-printable, then base64."""
    lines = data.split(CRLF)
    if data.isascii() and all(_is_plain(line) for line in lines):
        return "7bit", data
    high = sum(1 for byte in data if byte >= 0x80)
    if high * 4 <= len(data):
        return "quoted-printable", CRLF.join(_quoted_printable(line) for line in lines)
    return "base64", _base64_lines(data)


def _is_plain(line: bytes) -> bool:
    """Return True if a line passes every relay unchanged: no `From ` escape, nothing to trim."""
    return (
        len(line) <= MAX_LINE
        and not line.startswith(b"From ")
        and not line.endswith((b" ", b"\t"))
        and line.isascii()
        and all(byte >= 0x20 or byte == 0x09 for byte in line)
        and b"\x7f" not in line
    ) or line == b"-- "


def _quoted_printable(line: bytes) -> bytes:
    """Encode one line (RFC 2045 6.7), a lone dot and `From ` included, with soft breaks."""
    encoded = binascii.b2a_qp(line, quotetabs=False, istext=False).replace(b"=\n", b"=\r\n")
    if encoded.startswith(b"From "):
        encoded = b"=46rom " + encoded[5:]
    if encoded.endswith((b" ", b"\t")):
        encoded = encoded[:-1] + f"={encoded[-1]:02X}".encode("ascii")
    return encoded


def _base64_lines(data: bytes) -> bytes:
    return (
        CRLF.join(
            binascii.b2a_base64(data[start : start + 57], newline=False)
            for start in range(0, len(data), 57)
        )
        + CRLF
    )


def _attachment_part(attachment: OutgoingAttachment) -> bytes:
    require_header_text("filename", attachment.filename)
    filename = safe_filename(attachment.filename)
    media_type = attachment.content_type.strip().lower()
    if not _MEDIA_TYPE.fullmatch(media_type):
        raise ValueError(
            _(
                "content_type: %(media_type)s is not a type such as text/csv",
                media_type=repr(media_type[:100]),
            )
        )
    if media_type.startswith(("multipart/", "message/")):
        # Base64 is forbidden for these (RFC 2046 5.2.1), and the bytes must arrive as they are.
        media_type = "application/octet-stream"
    name = encode_parameter("filename", filename) if filename else []
    return CRLF.join(
        [
            f"Content-Type: {media_type}".encode("ascii"),
            b"Content-Transfer-Encoding: base64",
            fold("Content-Disposition", ["attachment;", *name] if name else ["attachment"]),
            b"",
            _base64_lines(attachment.content),
        ]
    )


def _boundary(message_id: str, parts: list[bytes]) -> str:
    """Return a boundary that no part holds, the same for the same message."""
    seed = message_id.encode("utf-8", "replace")
    while True:
        seed = sha256(seed).digest()
        boundary = f"=_{seed.hex()[:32]}"
        if not any(boundary.encode("ascii") in part for part in parts):
            return boundary
