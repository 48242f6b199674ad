"""What is promised of a message that waits: it is shown as others read it, or says that it is not.

`try_message` reads the message as a review page does, has a reader that is not ours read the same
bytes, and returns what was found only there without a word about it on the page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from unicodedata import normalize

from agents.approval.checks.inspection import find_ambiguous, find_uninspectable
from inbox.flags import Finding
from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.filenames import safe_filename
from inbox.rfc5322.parse import ParsedMessage, parse_outgoing
from inbox.rfc5322.text.unicode_text import clean
from tests.mime.generating import Generator
from tests.mime.outside_reader import OutsideReading, leaves_outside, read_outside


@dataclass(slots=True)
class Tried:
    """What became of one message; `broken` is what the page keeps silent about."""

    kind: str
    raw: bytes
    flags: frozenset[str]
    reasons: frozenset[str]
    differs: tuple[str, ...]
    broken: list[str]


def try_generated(seed: int) -> Tried:
    """Try the message of this seed."""
    return try_message(*Generator(seed).message())


def try_message(kind: str, raw: bytes) -> Tried:
    """Return what the two readers make of a message, and what is promised and does not hold."""
    parsed = parse_outgoing(raw)
    findings = [*find_uninspectable(parsed), *find_ambiguous(raw, parsed)]
    return Tried(
        kind, raw, frozenset(one.flag for one in findings),
        frozenset(f"{one.flag}/{one.reason}" for one in findings),
        tuple(find_differing(parsed, read_outside(raw))), find_silent(raw, parsed, findings),
    )  # fmt: skip


def find_silent(raw: bytes, parsed: ParsedMessage, findings: Sequence[Finding]) -> list[str]:
    """Return in what others read another message than is shown, without a word of it."""
    if any(one.flag == "read_differently" for one in findings):
        return []
    differs = find_differing(parsed, read_outside(raw))
    return [
        *(f"{what} is read differently" for what in differs),
        *_silently_absent(raw, parsed, findings),
    ]


def find_differing(parsed: ParsedMessage, outside: OutsideReading | None) -> list[str]:
    """Return what the other reader finds otherwise; `refused` where it reads nothing."""
    return _differences(parsed, outside) if outside else ["refused"]


def _differences(parsed: ParsedMessage, outside: OutsideReading) -> list[str]:
    shown = {
        "sender": ([_pair(one) for one in parsed.from_all], outside.sender),
        "to": ([_pair(one) for one in parsed.to], outside.to),
        "cc": ([_pair(one) for one in parsed.cc], outside.cc),
        "bcc": ([_pair(one) for one in parsed.bcc], outside.bcc),
    }
    found = [
        what for what, (ours, theirs) in shown.items() if ours != [_plain(one) for one in theirs]
    ]
    if " ".join(parsed.subject.split()) != _line(outside.subject):
        found.append("subject")
    if _text(parsed.text) != _text("\n\n".join(outside.texts)) and not parsed.html:
        found.append("text")
    files = [(one.filename, one.content_type, _hash(one.content)) for one in parsed.attachments]
    theirs = [(name, kind.lower(), _hash(content)) for name, kind, content in outside.files]
    if not _same_files(files, theirs):
        found.append("files")
    return found


def _same_files(ours: list[tuple[str, str, str]], theirs: list[tuple[str, str, str]]) -> bool:
    """Return True if they are the same; of one without a name we may make one up."""
    named = [
        (one[0] if other[0] else "", *one[1:]) for one, other in zip(ours, theirs, strict=False)
    ]
    return len(ours) == len(theirs) and named == [
        (safe_filename(name), kind, content) for name, kind, content in theirs
    ]


def _silently_absent(raw: bytes, parsed: ParsedMessage, findings: Sequence[Finding]) -> list[str]:
    """Return each part of which the page has neither the text nor the file, nor a word."""
    spoken_of = {dict(one.params).get("part", "") for one in findings}
    files = {_hash(one.content) for one in parsed.attachments}
    text = _text(parsed.text)
    return [
        f"{part.content_type} {part.filename!r} is absent"
        for part in leaves_outside(raw)
        if not spoken_of & {part.content_type.lower(), safe_filename(part.filename)} - {""}
        and _hash(part.content or b"") not in files
        and _text((part.content or b"").decode("utf-8", "replace")) not in text
    ]


def _pair(one: Address) -> tuple[str, str]:
    return _plain((one.name, one.email))


def _plain(pair: tuple[str, str]) -> tuple[str, str]:
    """Return a name and an address in the form in which two are compared."""
    name, (local, _, domain) = _line(pair[0]).strip("'").strip(), pair[1].rpartition("@")
    email = f"{local}@{domain.lower()}"
    return ("" if name.lower() == email.lower() else name), email


def _line(text: str) -> str:
    return " ".join(normalize("NFC", text).split())


def _text(text: str) -> str:
    return clean(text.replace("\r\n", "\n"))[0].strip()


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()
