"""Pictures that are safe to look at: which bytes are one, and how large they are. No Django."""

import struct
from typing import NamedTuple

LARGEST = 3 * 2**20
_WIDEST = 6000


class Picture(NamedTuple):
    """A picture of a kind that every browser shows; sizes in pixels."""

    content_type: str
    width: int
    height: int


def read_picture(content: bytes) -> Picture | None:
    """Return what picture these bytes are by their own header; None for all that is not shown.

    PNG, JPEG and GIF of at most 3 MB and 6,000 pixels a side: a few bytes can claim to be a picture
    that fills the memory. What a sender says of the type counts for nothing.
    """
    if len(content) > LARGEST:
        return None
    found = _png(content) or _gif(content) or _jpeg(content)
    if found is None or not (0 < found.width <= _WIDEST and 0 < found.height <= _WIDEST):
        return None
    return found


def _png(content: bytes) -> Picture | None:
    if not content.startswith(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR") or len(content) < 24:
        return None
    return Picture("image/png", *struct.unpack(">II", content[16:24]))


def _gif(content: bytes) -> Picture | None:
    if content[:6] not in (b"GIF87a", b"GIF89a") or len(content) < 10:
        return None
    return Picture("image/gif", *struct.unpack("<HH", content[6:10]))


def _jpeg(content: bytes) -> Picture | None:
    """Walk the segments to the frame header (ITU-T T.81 B.2.2)."""
    if not content.startswith(b"\xff\xd8\xff"):
        return None
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:
        marker, length = content[at + 1], int.from_bytes(content[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return Picture("image/jpeg", width, height)
        if length < 2:
            return None
        at += 2 + length
    return None
