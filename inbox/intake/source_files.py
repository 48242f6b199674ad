"""Files that mail is brought in from: what they are, and how they are named to people."""

import os
import stat
from datetime import UTC, datetime
from pathlib import Path


def shown(path: Path) -> str:
    """Return a path as text for people: bytes that are no UTF-8, and controls, as escapes."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def why_unreadable(root: Path, file: Path) -> str:
    """Return why a name in a folder is nothing to read, in words; "" for a file.

    A link must stay inside: who unpacks a folder that somebody else packed gives away no file.
    """
    try:
        mode = file.lstat().st_mode
        if stat.S_ISLNK(mode):
            if not file.resolve(strict=True).is_relative_to(root.resolve()):
                return "is a link that leads outside the folder, and was not followed"
            mode = file.stat().st_mode
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or "a link that leads to itself"
        return f"cannot be read: {why}"
    return "" if stat.S_ISREG(mode) else "is no file that could hold mail"


def modified_at(status: os.stat_result) -> datetime | None:
    """Return when a file was last written; None for a time that no calendar has."""
    try:
        return datetime.fromtimestamp(status.st_mtime, UTC)
    except (ValueError, OverflowError, OSError):
        return None
