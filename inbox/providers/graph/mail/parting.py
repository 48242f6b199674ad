"""A message taken apart: what one request makes of it, and the files that follow it. Pure.

Only files of a `multipart/mixed` are taken out; texts, pictures within a page, attached messages
and what somebody signed stay as they are.
"""

from dataclasses import dataclass

from inbox.rfc5322.headers import read_headers
from inbox.rfc5322.mime import MAX_PARTS, content_type_of, find_parts
from inbox.rfc5322.parameters import parse_parameters
from inbox.rfc5322.transfer import decode_transfer

_STAYS = ("multipart/", "message/")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a message: its name, its media type, and its bytes as they were encoded."""

    name: str
    content_type: str
    content: bytes
    content_id: str = ""
    is_inline: bool = False


@dataclass(frozen=True, slots=True)
class TakenApart:
    """The message without some of its files, and these in their order."""

    mime: bytes
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    start: int
    end: int
    attachment: Attachment


def take_apart(mime: bytes, most: int) -> TakenApart:
    """Take files out, the largest first, until the rest has `most` bytes or no file is left."""
    if len(mime) <= most:
        return TakenApart(mime)
    spans = _parts(mime)
    files = {span: found for span in spans if (found := _file(mime, *span))}
    left, taken = len(mime), set[tuple[int, int]]()
    for span in sorted(files, key=lambda it: it[0] - it[1]):
        if left <= most or len(taken) + 1 == len(spans):
            break
        taken.add(span)
        left -= span[1] - span[0]
    if not taken:
        return TakenApart(mime)
    between = mime[spans[0][1] : spans[1][0]]
    kept = between.join(mime[slice(*it)] for it in spans if it not in taken)
    rest = mime[: spans[0][0]] + kept + mime[spans[-1][1] :]
    return TakenApart(rest, tuple(files[it] for it in spans if it in taken))


def _parts(mime: bytes) -> list[tuple[int, int]]:
    """Return where the parts of a multipart/mixed lie, headers included; none in all else."""
    headers, start = read_headers(mime, 0, len(mime))
    content_type, parameters = content_type_of(headers, "")
    boundary = parameters.get("boundary", "").encode("utf-8", "surrogateescape")
    if content_type != "multipart/mixed" or not boundary:
        return []
    spans, is_closed = find_parts(mime, b"--" + boundary, start, len(mime), MAX_PARTS)
    return spans if is_closed else []


def _file(mime: bytes, start: int, end: int) -> Attachment | None:
    headers, body = read_headers(mime, start, end)
    content_type, parameters = content_type_of(headers, "mixed")
    kind, disposition = parse_parameters(headers.raw("content-disposition"))
    is_file = kind == "attachment" or not content_type.startswith("text/")
    if headers.broken or content_type.startswith(_STAYS) or not is_file:
        return None
    content, is_broken = decode_transfer(
        mime[body:end], headers.line("content-transfer-encoding").lower()
    )
    if is_broken:
        return None
    return Attachment(
        disposition.get("filename") or parameters.get("name") or "attachment", content_type,
        content, headers.line("content-id").strip("<> "), kind == "inline",
    )  # fmt: skip
