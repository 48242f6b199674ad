"""What differs between two forms of one message: fields of its header, and what its parts hold."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from inbox.formats.field_meanings import meaning
from inbox.rfc5322.charsets import decode
from inbox.rfc5322.headers import read_headers
from inbox.rfc5322.mime import Part, PartReader
from inbox.rfc5322.parameters import parse_parameters
from inbox.rfc5322.transfer import decode_transfer

# `layout`: folds, order of fields, line ends, boundaries, transfer encodings, encoded words;
# nothing is said otherwise by them. `parts`: there are others; `order`: the same stand in another.
Difference: TypeAlias = Literal[
    "field_added", "field_changed", "field_missing", "text", "html", "attachment", "parts", "order",
    "layout",
]  # fmt: skip
_MOST_NAMES, _LONGEST_NAME = 20, 60
# Of many fields that differ these are named.
_FIRST = frozenset({"bcc", "cc", "from", "reply-to", "sender", "subject", "to"})
# How a part is written, which its content is compared without.
_OF_LAYOUT = frozenset({"content-transfer-encoding", "content-type", "mime-version"})
_TEXTS: dict[str, Difference] = {"text/plain": "text", "text/html": "html"}


@dataclass(frozen=True, slots=True)
class Differing:
    """One kind of difference, with the names of the fields that it is about, in lower case."""

    kind: Difference
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Held:
    """What a part holds: a text as it reads, or bytes; the name of a file; a calendar's method."""

    content_type: str
    content: str | bytes
    name: str = ""
    method: str = ""


@dataclass(frozen=True, slots=True)
class _Read:
    fields: dict[str, list[bytes]]
    parts: list[_Held]


def differences(sealed: bytes, copy: bytes) -> list[Differing]:
    """Return what a copy has otherwise than what was sealed; nothing where it is the same bytes."""
    if sealed == copy:
        return []
    before, after = _read(sealed), _read(copy)
    found = [*_of_fields(before.fields, after.fields), *_of_parts(before.parts, after.parts)]
    return found or [Differing("layout")]


def _read(raw: bytes) -> _Read:
    headers, start = read_headers(raw, 0, len(raw))
    fields = {name: values for name, values in headers.fields.items() if name not in _OF_LAYOUT}
    parts = PartReader(raw).read(headers, start, len(raw))
    return _Read(fields, [_held(raw, part) for part in parts])


def _held(raw: bytes, part: Part) -> _Held:
    encoding = part.headers.line("content-transfer-encoding").lower()
    content: str | bytes
    content, _broken = decode_transfer(raw[part.start : part.end], encoding)
    if part.content_type in _TEXTS:
        text, _bad = decode(content, part.parameters.get("charset", ""))
        content = text.replace("\r\n", "\n").strip()
    _kind, disposition = parse_parameters(part.headers.raw("content-disposition"))
    name = disposition.get("filename") or part.parameters.get("name", "")
    method = part.parameters.get("method", "") if part.content_type == "text/calendar" else ""
    return _Held(part.content_type, content, name, method.upper())


def _of_fields(
    before: dict[str, list[bytes]], after: dict[str, list[bytes]]
) -> list[Differing]:  # fmt: skip
    common = before.keys() & after.keys()
    named: dict[Difference, list[str]] = {
        "field_added": list(after.keys() - before.keys()),
        "field_changed": [it for it in common if _differs(it, before[it], after[it])],
        "field_missing": list(before.keys() - after.keys()),
    }
    return [Differing(kind, _cut(names)) for kind, names in named.items() if names]


def _differs(name: str, before: Sequence[bytes], after: Sequence[bytes]) -> bool:
    """Return True if values say something else, however they are encoded and folded."""
    if before == after:
        return False
    return [meaning(name, it) for it in before] != [meaning(name, it) for it in after]


def _cut(names: Sequence[str]) -> tuple[str, ...]:
    first = sorted(names, key=lambda name: (name not in _FIRST, name))
    return tuple(name[:_LONGEST_NAME] for name in first[:_MOST_NAMES])


def _of_parts(before: Sequence[_Held], after: Sequence[_Held]) -> list[Differing]:
    if before == after:
        return []
    if Counter(before) == Counter(after):
        return [Differing("order")]
    if [it.content_type for it in before] != [it.content_type for it in after]:
        return [Differing("parts")]
    kinds = {_kind(old, new) for old, new in zip(before, after, strict=True) if old != new}
    return [Differing(kind) for kind in sorted(kinds)]


def _kind(old: _Held, new: _Held) -> Difference:
    """Return which difference it is that two parts of one type have."""
    if old.name or new.name:
        return "attachment"
    return _TEXTS.get(old.content_type, "attachment")
