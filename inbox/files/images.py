"""Pictures that are safe to look at: which bytes are one, and how large they are. No Django."""

import struct
from typing import NamedTuple

LARGEST = 3 * 2**20
_WIDEST = 6000
# Of JPEG: what begins a frame, and what has no length behind it or comes after every frame header.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_WITHOUT_LENGTH = frozenset({0x00, 0x01, *range(0xD0, 0xDB)})


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
    """Walk the frames (GIF89a, 20): browsers make room for one that is larger than the screen."""
    if content[:6] not in (b"GIF87a", b"GIF89a") or len(content) < 10:
        return None
    width, height = struct.unpack("<HH", content[6:10])
    at = 13 + _colours(content, 10)
    while at + 10 <= len(content) and content[at] in b"!,":
        if content[at] == ord("!"):
            at = _after_blocks(content, at + 2)
            continue
        left, top, wide, high = struct.unpack("<4H", content[at + 1 : at + 9])
        width, height = max(width, left + wide), max(height, top + high)
        at = _after_blocks(content, at + 11 + _colours(content, at + 9))
    return Picture("image/gif", width, height)


def _colours(content: bytes, at: int) -> int:
    """Return the length of the table of colours that a packed field at this place announces."""
    packed = content[at] if at < len(content) else 0
    return 3 << (packed & 7) + 1 if packed & 0x80 else 0


def _after_blocks(content: bytes, at: int) -> int:
    """Return the place after the blocks that begin here, each with its length before it."""
    while at < len(content) and content[at]:
        at += 1 + content[at]
    return at + 1


def _jpeg(content: bytes) -> Picture | None:
    """Walk the segments to the frame header (ITU-T T.81 B.2.2), as decoders do."""
    if not content.startswith(b"\xff\xd8\xff"):
        return None
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:
        marker, length = content[at + 1], int.from_bytes(content[at + 2 : at + 4], "big")
        if marker == 0xFF:
            # Before a marker there may be any number of them (B.1.1.2).
            at += 1
            continue
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return Picture("image/jpeg", width, height)
        if marker in _WITHOUT_LENGTH or length < 2:
            return None
        at += 2 + length
    return None
