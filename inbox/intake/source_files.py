"""Files that mail is brought in from: what they are, and how they are named to people."""

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

from inbox.reasons import ReasonText
from inbox.reasons import phrase as _


def shown(path: Path) -> str:
    """Return a path as text for people: bytes that are no UTF-8, and controls, as escapes."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def why_unreadable(root: Path, file: Path) -> ReasonText:
    """Return why a name in a folder is nothing to read, in words; "" for a file.

    A link must stay inside: who unpacks a folder that somebody else packed gives away no file.
    """
    try:
        mode = file.lstat().st_mode
        if stat.S_ISLNK(mode):
            if not file.resolve(strict=True).is_relative_to(root.resolve()):
                return _("is a link that leads outside the folder and was not followed")
            mode = file.stat().st_mode
    except (OSError, RuntimeError) as error:
        if isinstance(error, OSError) and error.strerror:
            return not_read(error)
        return _("cannot be read: %(why)s", why=_("a link that leads to itself"))
    return ReasonText() if stat.S_ISREG(mode) else _("is not a file that could contain mail")


def not_read(error: OSError) -> ReasonText:
    """Return that something cannot be read, around the system's own words."""
    return _("cannot be read: %(why)s", why=error.strerror or error)


def modified_at(status: os.stat_result) -> datetime | None:
    """Return when a file was last written; None for a time that no calendar has."""
    try:
        return datetime.fromtimestamp(status.st_mtime, UTC)
    except (ValueError, OverflowError, OSError):
        return None
