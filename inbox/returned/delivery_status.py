"""Reports in the standard's form: message/delivery-status (RFC 3464, 6533)."""

import re
from typing import cast

from inbox.returned.facts import MOST_RECIPIENTS, Kind, RecipientReport, one_line
from inbox.rfc5322.headers import Headers, read_headers

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
