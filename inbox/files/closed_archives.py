"""Files that whoever reviews them could not look into: encrypted, damaged, or a bomb. No Django."""

import io
import zipfile

_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_PART_MARK = b"PK\x01\x02"
# An office document that is encrypted is one of these, with this stream in it (MS-OFFCRYPTO).
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_IS_ENCRYPTED = 0x1
MOST_FILES = 5000
# Bytes that an archive may unpack to.
MOST_UNPACKED = 2**30


def why_closed(content: bytes, name: str) -> str:
    """Return `encrypted`, `archive` (too much in it), `damaged`, or "" for any other file.

    Only the list of what is in a zip is read; nothing is unpacked. Other archives are left alone.
    """
    if content.startswith(_COMPOUND):
        return "encrypted" if _ENCRYPTED_STREAM in content else ""
    if content.startswith(_ZIP) or name.lower().endswith(".zip"):
        return _look_into(content)
    return ""


def _look_into(content: bytes) -> str:
    if content.count(_PART_MARK) > MOST_FILES:
        return "archive"
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = archive.infolist()
    except Exception:  # noqa: BLE001 (whatever is wrong with it, it cannot be opened)
        return "damaged"
    if any(file.flag_bits & _IS_ENCRYPTED for file in files):
        return "encrypted"
    return "archive" if sum(file.file_size for file in files) > MOST_UNPACKED else ""
