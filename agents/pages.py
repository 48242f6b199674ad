"""Keyset pages: opaque cursors that belong to one query and hold under writes."""

import base64
import binascii
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from agents.canonical import canonical, digest
from agents.errors import invalid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def newest_after(rows: QuerySet[Any], field: str, cursor: str | None, query: Any) -> QuerySet[Any]:
    """Order rows by a time, newest first, and keep those after the cursor.

    `query` is whatever else chose the rows; a cursor of another query is refused (ToolError).
    """
    ordered = rows.order_by(f"-{field}", "-id")
    if cursor is None:
        return ordered
    moment, key = _read(cursor, query)
    return ordered.filter(
        Q(**{f"{field}__lt": moment}) | Q(**{field: moment, "id__lt": key}),
        **{f"{field}__lte": moment},
    )


def cursor_after(row: Any, field: str, query: Any) -> str:
    """Return the cursor of what comes after this row."""
    micros = (getattr(row, field) - _EPOCH) // _MICROSECOND
    text = json.dumps([micros, row.pk, _mark(query)], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def take_page(
    rows: Sequence[Any], limit: int, field: str, query: Any
) -> tuple[Sequence[Any], str | None]:
    """Split `limit` rows and the cursor, None on the last page, from up to `limit + 1` rows."""
    page = rows[:limit]
    return page, cursor_after(page[-1], field, query) if len(rows) > limit else None


def _read(cursor: str, query: Any) -> tuple[datetime, int]:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        micros, key, mark = json.loads(base64.b64decode(padded, b"-_", validate=True))
        if type(micros) is not int or type(key) is not int or not 0 <= key < 2**63:
            raise ValueError(cursor)
        moment = _EPOCH + micros * _MICROSECOND
    except (ValueError, TypeError, OverflowError, RecursionError, binascii.Error):
        raise invalid("/cursor", "is no cursor", "a next_cursor, as it was given") from None
    if mark != _mark(query):
        raise invalid("/cursor", "belongs to another query", "a next_cursor of this very query")
    return moment, key


def _mark(query: Any) -> str:
    return digest(canonical(query))[:16]
