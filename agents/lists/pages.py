"""Keyset pages: opaque cursors that belong to one query and hold under writes."""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias

from django.db.models import F, Q, QuerySet

from agents.dispatching.canonical import canonical, digest
from agents.errors import invalid

Kind: TypeAlias = Literal["moment", "text", "number"]
# No cursor of ours comes near it: what rows are ordered by is short.
LONGEST_CURSOR = 2000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LARGEST = 2**63


@dataclass(frozen=True, slots=True)
class Order:
    """A column to order by, equals by their key; what it does not know (nullable) stands last."""

    column: str
    kind: Kind = "moment"
    descending: bool = False
    nullable: bool = False

    @property
    def _step(self) -> str:
        return "lt" if self.descending else "gt"

    def arrange(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Order the rows."""
        sign = "-" if self.descending else ""
        if self.column == "id":
            return rows.order_by(f"{sign}id")
        if not self.nullable:
            return rows.order_by(f"{sign}{self.column}", f"{sign}id")
        column = F(self.column)
        last = column.desc(nulls_last=True) if self.descending else column.asc(nulls_last=True)
        return rows.order_by(last, f"{sign}id")

    def skip(self, rows: QuerySet[Any], value: Any, key: int) -> QuerySet[Any]:
        """Keep the rows that come after the one of this value and key."""
        if self.column == "id":
            return rows.filter(**{f"id__{self._step}": key})
        further = {f"id__{self._step}": key}
        if value is None:
            return rows.filter(**{f"{self.column}__isnull": True}, **further)
        beyond = Q(**{f"{self.column}__{self._step}": value}) | Q(**{self.column: value}, **further)
        if self.nullable:
            return rows.filter(beyond | Q(**{f"{self.column}__isnull": True}))
        # The second condition says nothing new, and lets the database begin at the right place.
        return rows.filter(beyond, **{f"{self.column}__{self._step}e": value})

    def pack(self, row: Any) -> int | str | None:
        """Return the row's value as a cursor holds it."""
        if self.column == "id":
            return None
        value = getattr(row, self.column)
        if self.kind == "moment" and value is not None:
            # As SQLite stores it, it has no zone, and may be a text.
            value = datetime.fromisoformat(value) if isinstance(value, str) else value
            value = value if value.tzinfo else value.replace(tzinfo=UTC)
            micros: int = (value - _EPOCH) // _MICROSECOND
            return micros
        packed: int | str | None = value
        return packed

    def unpack(self, packed: Any) -> Any:
        """Return the value that a cursor holds; raises ValueError where it is none of this kind."""
        if packed is None and (self.nullable or self.column == "id"):
            return None
        if self.kind == "text":
            return _as_text(packed)
        if type(packed) is not int or abs(packed) >= _LARGEST:
            raise ValueError(packed)
        return _EPOCH + packed * _MICROSECOND if self.kind == "moment" else packed


def _as_text(packed: Any) -> str:
    # Neither NUL nor half a character comes from a database, or may go into a query.
    if not isinstance(packed, str) or "\0" in packed:
        raise ValueError(packed)
    packed.encode()
    return packed


def newest_after(rows: QuerySet[Any], field: str, cursor: str | None, query: Any) -> QuerySet[Any]:
    """Order rows by a time, newest first, and keep those after the cursor.

    `query` is whatever else chose the rows; a cursor of another query is refused (ToolError).
    """
    return rows_after(rows, Order(field, descending=True), cursor, query)


def rows_after(rows: QuerySet[Any], order: Order, cursor: str | None, query: Any) -> QuerySet[Any]:
    """Order rows and keep those after the cursor; `query` is as in `newest_after`."""
    ordered = order.arrange(rows)
    if cursor is None:
        return ordered
    value, key = place_of(cursor, order, query)
    return order.skip(ordered, value, key)


def take_page(
    rows: Sequence[Any], limit: int, field: str, query: Any
) -> tuple[Sequence[Any], str | None]:
    """Split `limit` rows and the cursor, None on the last page, from up to `limit + 1` rows."""
    return take_ordered(rows, limit, Order(field, descending=True), query)


def take_ordered(
    rows: Sequence[Any], limit: int, order: Order, query: Any
) -> tuple[Sequence[Any], str | None]:
    """Do as `take_page` does, for rows of any order."""
    page = rows[:limit]
    return page, cursor_after(page[-1], order, query) if len(rows) > limit else None


def cursor_after(row: Any, order: Order, query: Any) -> str:
    """Return the cursor that leads on from a row; `query` is as in `newest_after`."""
    text = json.dumps([order.pack(row), row.pk, _mark(query)], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def place_of(cursor: str, order: Order, query: Any) -> tuple[Any, int]:
    """Return the value and the key of the row after which a page begins.

    Raises ToolError for what is no cursor, or another query's.
    """
    try:
        if len(cursor) > LONGEST_CURSOR:
            raise ValueError(len(cursor))
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        packed, key, mark = json.loads(base64.b64decode(padded, b"-_", validate=True))
        if type(key) is not int or not 0 <= key < _LARGEST:
            raise ValueError(cursor)
        value = order.unpack(packed)
    except (ValueError, TypeError, OverflowError, RecursionError, binascii.Error):
        raise invalid("/cursor", "is no cursor", "a next_cursor, as it was given") from None
    if mark != _mark(query):
        raise invalid("/cursor", "belongs to another query", "a next_cursor of this very query")
    return value, key


def _mark(query: Any) -> str:
    return digest(canonical(query))[:16]
