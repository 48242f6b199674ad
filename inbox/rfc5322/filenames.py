"""Names of attachments as something safe to show and to offer for download.

The rule: of a path only the last part is kept, characters that control or hide are removed,
those that a file system refuses become `_`, dots and blanks at the ends go, a name that Windows
keeps for a device gets `_` before it, and 255 bytes are the most, the extension kept. The name
stays data: nothing on our side is ever written under it.
"""

import re

from inbox.rfc5322.text.unicode_text import clean_line

_REFUSED = re.compile('[<>:"|?*]')
_PERCENT_PATH = re.compile(r"%(?:2e|2f|5c|00|c0%a[ef])", re.IGNORECASE)
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)", re.IGNORECASE
)
MAX_BYTES = 255


def safe_filename(name: str) -> str:
    """Return `name` by the rule above; "" when nothing is left of it."""
    line, _ = clean_line(name)
    line = _PERCENT_PATH.sub("_", line)
    line = line.replace("\\", "/").rpartition("/")[2]
    line = _REFUSED.sub("_", line).strip(". ")
    if _DEVICE.match(line):
        line = f"_{line}"
    return _shorten(line)


def _shorten(name: str) -> str:
    """Cut `name` to what file systems take, in its middle."""
    if len(name.encode()) <= MAX_BYTES:
        return name
    stem, dot, extension = name.rpartition(".")
    if not stem or len(extension.encode()) > 20:
        stem, dot, extension = name, "", ""
    room = MAX_BYTES - len((dot + extension).encode())
    return stem.encode()[:room].decode(errors="ignore").rstrip(". ") + dot + extension
