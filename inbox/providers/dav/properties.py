"""What properties mean: of a collection, and the etag that names the state of an item."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from inbox.providers.dav import names
from inbox.providers.dav.multistatus import Response

LONGEST_ETAG = 200
_COLOR = re.compile(r"#[0-9A-Fa-f]{6}(?:[0-9A-Fa-f]{2})?")
_WRITES = frozenset(f"{names.DAV}{name}" for name in ("all", "write", "write-content", "bind"))


def components(told: Response) -> frozenset[str]:
    """Return the components that a calendar takes; where it does not say, it takes all."""
    found = told.props.get(names.COMPONENTS)
    if found is None:
        return frozenset({"VEVENT", "VTODO"})
    return frozenset(str(each.get("name", "")).upper() for each in found)


def is_writable(told: Response) -> bool:
    """Return True if we may write there, or the server does not say."""
    found = told.props.get(names.PRIVILEGES)
    if found is None or not len(found):
        return True
    return any(inner.tag in _WRITES for privilege in found for inner in privilege)


def color(text: str) -> str:
    """Return a color as CSS has it, empty for none; what stands for its opacity is left out."""
    return text[:7].lower() if _COLOR.fullmatch(text) else ""


def plain_etag(text: str) -> str:
    """Return an etag in one spelling: quoted, and without the mark of a weak one."""
    bare = text.strip().removeprefix("W/")
    if not bare or len(bare) > LONGEST_ETAG or not (bare.isprintable() and bare.isascii()):
        return ""
    return bare if bare.startswith('"') else f'"{bare}"'


def strong_etag(text: str) -> str:
    """Return an etag as a header has it, where it says that not one byte is different."""
    return "" if text.strip().startswith("W/") else plain_etag(text)


def etag_of_file(etag: str, size: int | None, modified: str) -> str:
    """Return a file's etag; where its server has none, its size and its time stand in."""
    if etag:
        return etag
    at = moment(modified)
    return f'"{size or 0}-{int(at.timestamp()) if at else 0}"'


def moment(text: str) -> datetime | None:
    """Return a time as HTTP writes it."""
    try:
        found = parsedate_to_datetime(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
