"""Content-Transfer-Encodings (RFC 2045 6) and uuencode, decoded leniently and in linear time."""

import binascii
import re

_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")
_UU_BEGIN = re.compile(r"^begin(?:-base64)? [0-7]{3,4} ([^\n]{1,255})\n", re.MULTILINE)


def decode_base64(data: bytes) -> tuple[bytes, bool]:
    """Return the bytes, and whether the base64 was broken; what can be read is read."""
    try:
        return binascii.a2b_base64(data), False
    except binascii.Error:
        pass
    letters = _NOT_BASE64.sub(b"", data)
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4)), True


def decode_transfer(data: bytes, encoding: str) -> tuple[bytes, bool]:
    """Return the bytes that `data` stands for, and whether the encoding was broken or unknown."""
    match encoding:
        case "" | "7bit" | "8bit" | "binary":
            return data, False
        case "base64":
            return decode_base64(data)
        case "quoted-printable":
            return binascii.a2b_qp(data), False
        case "x-uuencode" | "uuencode" | "x-uue" | "uue":
            files, _ = extract_uuencoded(data.decode("latin-1"))
            return (files[0][1], False) if files else (data, True)
    return data, True


def extract_uuencoded(text: str) -> tuple[list[tuple[str, bytes]], str]:
    """Return the (name, bytes) of the uuencoded files in `text`, and the text without them."""
    files: list[tuple[str, bytes]] = []
    kept: list[str] = []
    position = 0
    # A hundred beginnings at most: each that proves none costs a look at all that follows.
    for _ in range(100):
        begin = _UU_BEGIN.search(text, position)
        if begin is None:
            break
        end = text.find("\nend", begin.end() - 1)
        data = _decode_uu_lines(text[begin.end() : end]) if end >= 0 else None
        if data is None:
            kept.append(text[position : begin.end()])
            position = begin.end()
            if end < 0:
                break
            continue
        kept.append(text[position : begin.start()])
        files.append((begin[1].strip(), data))
        position = end + 4
    kept.append(text[position:])
    return files, "".join(kept)


def _decode_uu_lines(text: str) -> bytes | None:
    """Return the bytes of a uuencoded body, None when this is no such body."""
    pieces: list[bytes] = []
    for line in text.encode("latin-1", "replace").splitlines():
        if not line.strip() or line == b"`":
            continue
        try:
            pieces.append(binascii.a2b_uu(line))
        except binascii.Error:
            length = (((line[0] - 32) & 63) * 4 + 5) // 3
            try:  # some encoders pad the line with a checksum or stray spaces
                pieces.append(binascii.a2b_uu(line[:length]))
            except binascii.Error:
                return None
    return b"".join(pieces)
