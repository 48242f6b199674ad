"""Deciding whether a message came back for one that we sent, and what it says: `read_returned`."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import cast

from inbox.returned.facts import MOST_RECIPIENTS, Kind, RecipientReport, Returned, one_line
from inbox.returned.plain_bounces import read_plain_bounce
from inbox.rfc5322.charsets import decode
from inbox.rfc5322.headers import Headers, read_headers
from inbox.rfc5322.mime import Part, PartReader
from inbox.rfc5322.transfer import decode_transfer

LARGEST = 1_000_000
_KINDS = frozenset({"failed", "delayed", "delivered", "relayed", "expanded"})
_BLANK_LINES = re.compile(rb"\n(?:[ \t]*\r?\n)+")
_STATUS = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")
_ESCAPE = re.compile(r"\+([0-9A-F]{2})|\\x\{([0-9A-F]{1,6})\}")
_ADDRESS = re.compile(r"[^\s<>@]{1,64}@[^\s<>@]{1,253}")


def read_delivery_status(content: bytes) -> tuple[str, list[RecipientReport]]:
    """Return the envelope id that we gave, and what is said of each recipient; bounded."""
    groups = _BLANK_LINES.split(content[:LARGEST].lstrip(), MOST_RECIPIENTS + 1)
    fields = [read_headers(group + b"\r\n\r\n", 0, len(group) + 4)[0] for group in groups]
    envelope_id = fields[0].line("original-envelope-id")[:250]
    # Some leave out the fields of the message, and begin with those of a recipient.
    reports = [_report(group) for group in fields[: MOST_RECIPIENTS + 1]]
    return envelope_id, [report for report in reports if report is not None]


def _report(group: Headers) -> RecipientReport | None:
    kind = group.line("action").split("(")[0].strip().lower()
    if kind not in _KINDS:
        return None
    status = _STATUS.search(group.line("status"))
    said = group.line("diagnostic-code")
    words = said.partition(";")[2] if ";" in said else said
    return RecipientReport(
        kind=cast("Kind", kind),
        address=_address(group),
        status=status[0] if status else "",
        words=one_line(words),
    )


def _address(group: Headers) -> str:
    """Return the address as we gave it, else the one where it ended (RFC 3464 2.3.1, 2.3.2)."""
    for name in ("original-recipient", "final-recipient"):
        kind, _, written = group.raw(name).partition(";")
        text = _ESCAPE.sub(_unescaped, written) if name.startswith("original") else written
        found = _ADDRESS.search(text if kind else "")
        if found:
            return found[0]
    return ""


def _unescaped(found: re.Match[str]) -> str:
    """Return what an escape of RFC 3461 4 or RFC 6533 3 stands for."""
    code = int(found[1] or found[2], 16)
    return chr(code) if 0x20 < code < 0x110000 and not 0xD800 <= code <= 0xDFFF else ""


MOST_IDS = 20
# The returned message is read as far as its headers go.
LONGEST_HEADERS = 200_000
LONGEST_TEXT = 200_000
LONGEST_ADDRESS = 320
_SIGNALS = (
    "auto-submitted", "precedence", "return-path", "x-autoreply", "x-autorespond",
    "x-failed-recipients",
)  # fmt: skip
_STATUS_TYPES = frozenset({"message/delivery-status", "message/global-delivery-status"})
_ORIGINAL_TYPES = frozenset(
    {
        "message/rfc822", "text/rfc822-headers", "message/rfc822-headers", "message/global",
        "message/global-headers",
    }
)  # fmt: skip
_ID = re.compile(r"<[^<>\s@]{1,250}@[^<>\s]{1,250}>")
_ID_LINE = re.compile(rb"(?im)^[ \t>]{0,8}message-id:[ \t\r\n]*(<[^<>\s@]{1,250}@[^<>\s]{1,250}>)")
_MAIL_SYSTEM = re.compile(r"(?i)^(?:mailer-daemon|postmaster|mail-?delivery|mdaemon|mmdf)\b")
_AUTOMATIC_PRECEDENCE = frozenset({"auto_reply", "auto-reply"})


def may_be_returned(sender: str, signals: Mapping[str, str]) -> bool:
    """Tell from a sender and headers by lower-case name whether a message is worth reading for it.

    Whoever calls goes on with `read_returned`, which needs the bytes.
    """
    return (
        "x-failed-recipients" in signals
        or _is_by_mail_system(sender, signals)
        or _is_automatic(signals)
    )


def _is_by_mail_system(sender: str, signals: Mapping[str, str]) -> bool:
    """Return True if a mail server wrote it, as far as it says of itself (RFC 5321 4.5.5)."""
    empty_path = signals.get("return-path", "").strip() == "<>"
    return empty_path or not sender or bool(_MAIL_SYSTEM.match(sender))


def _is_automatic(signals: Mapping[str, str]) -> bool:
    """Return True if no person wrote it (RFC 3834 5), or an older mark says so."""
    automatic = signals.get("auto-submitted", "").strip().lower()
    return (
        automatic.startswith(("auto-replied", "auto-generated"))
        or "x-autoreply" in signals
        or "x-autorespond" in signals
        or signals.get("precedence", "").strip().lower() in _AUTOMATIC_PRECEDENCE
    )


def read_returned(raw: bytes, sender: str) -> Returned | None:
    """Return what a message says of mail that it names; None where it is no report and no answer.

    In turn: the standard's form, a bounce in words, an automatic answer (RFC 3834). `sender` is the
    bare address in its From. Linear in the bytes, and bounded in what it returns.
    """
    headers, start = read_headers(raw, 0, len(raw))
    parts = PartReader(raw).read(headers, start, len(raw))
    signals = {name: headers.line(name) for name in _SIGNALS if name in headers.fields}
    envelope_ids, reports = _standard(raw, parts)
    if not reports:
        reports = read_plain_bounce(
            headers.line("subject"), signals.get("x-failed-recipients", ""), _text(raw, parts),
            by_mail_system=_is_by_mail_system(sender, signals),
        )  # fmt: skip
    answered = _named(headers, ("in-reply-to", "references"))
    if reports:
        ids = [*envelope_ids, *_originals(raw, parts, start), *answered]
    elif answered and _is_automatic(signals):
        ids = answered
        words = one_line(_text(raw, parts))
        reports = [RecipientReport("away", sender[:LONGEST_ADDRESS], "", words)]
    else:
        return None
    return Returned(tuple(dict.fromkeys(ids))[:MOST_IDS], tuple(reports))


def _standard(raw: bytes, parts: list[Part]) -> tuple[list[str], list[RecipientReport]]:
    for part in parts:
        if part.content_type in _STATUS_TYPES:
            envelope_id, reports = read_delivery_status(_content(raw, part))
            return ([f"<{envelope_id}>"] if envelope_id else []), reports
    return [], []


def _originals(raw: bytes, parts: list[Part], start: int) -> list[str]:
    """Return the Message-IDs of what was returned, whole or in the midst of the text."""
    found: list[str] = []
    for part in parts:
        if part.content_type in _ORIGINAL_TYPES:
            content = _content(raw, part)[:LONGEST_HEADERS]
            found += _named(read_headers(content, 0, len(content))[0], ("message-id",))
    if not found:
        lines = _ID_LINE.finditer(raw, start, start + LONGEST_HEADERS)
        found = [line[1].decode("utf-8", "replace") for line in islice(lines, MOST_IDS)]
    return found


def _named(headers: Headers, names: tuple[str, ...]) -> list[str]:
    return [
        message_id for name in names for message_id in _ID.findall(headers.raw(name))[:MOST_IDS]
    ]


def _text(raw: bytes, parts: list[Part]) -> str:
    """Return the first text of the message, cut."""
    for part in parts:
        if part.content_type == "text/plain":
            content = _content(raw, part)[:LONGEST_TEXT]
            return decode(content, part.parameters.get("charset", ""))[0]
    return ""


def _content(raw: bytes, part: Part) -> bytes:
    encoding = part.headers.raw("content-transfer-encoding").partition(";")[0].strip(" \t\"'")
    return decode_transfer(raw[part.start : part.end], encoding.lower())[0]
