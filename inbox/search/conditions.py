"""The conditions of a query as SQL on the message `m`: who, what, where and when."""

# ruff: noqa: S608 (all that is put into SQL here are our own names)

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from inbox.index_rules import plain_words
from inbox.search.field_words import TEXT_COLUMNS, Condition, in_field, match, quoted
from inbox.search.operators import Test

_KEYWORDS = {"unread": "$seen", "read": "$seen", "flagged": "$flagged", "answered": "$answered"}
_COLUMNS: dict[str, Condition] = {
    "sent": ("m.direction = %s", ["outbound"]),
    "received": ("m.direction = %s", ["inbound"]),
    "important": ("m.importance = %s", ["high"]),
    "list": ("m.list_id <> %s", [""]),
}
_TYPES = {"pdf": "application/pdf", "image": "image/%", "invitation": "text/calendar%"}
_BY_INDEX = {"", "from", "subject", "label", "after", "before"}
_WILD = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})


def condition_of(tests: Sequence[Test]) -> Condition:
    """Return the SQL for at least one of the tests, and its parameters."""
    parts, values = [], []
    for test in tests:
        sql, given = _READERS[test.operator](test.value)
        parts.append(f"NOT ({sql})" if test.is_negated else f"({sql})")
        values += given
    return f"({' OR '.join(parts)})", values


def are_indexed(tests: Sequence[Test]) -> bool:
    """Return True if an index tells which messages fulfil one of the tests."""
    return all(it.operator in _BY_INDEX and not it.is_negated for it in tests)


def _on_sqlite() -> bool:
    return connection.vendor == "sqlite"


def _words(value: Any) -> Condition:
    """Words in any field, next to each other."""
    if _on_sqlite():
        return match(f"{TEXT_COLUMNS} : {quoted(value)}")
    return f"m.search @@ phraseto_tsquery('english', {plain_words('%s')})", [value]


def _filename(value: Any) -> Condition:
    like, given = _like("a.filename", value)
    exists = f"EXISTS (SELECT 1 FROM inbox_attachment a WHERE a.message_id = m.id AND {like})"
    return f"m.has_attachments AND {exists}", given


def _like(column: str, value: str) -> Condition:
    """Return the condition that a column has a text in it, in whatever case."""
    if _on_sqlite() and not value.isascii():
        # Its LIKE knows the two cases of ASCII alone.
        return f"{column} REGEXP %s", [f"(?i){re.escape(value)}"]
    pattern = f"%{value.translate(_WILD)}%"
    operator = "LIKE" if _on_sqlite() else "ILIKE"
    return f"{column} {operator} %s ESCAPE '\\'", [pattern]


def _to(value: Any) -> Condition:
    """One of those it went to, by name or address."""
    parts, values = [], []
    for column in ('m."to"', "m.cc", "m.bcc"):
        if _on_sqlite():
            rows, email, name = (
                f"json_each({column}) a",
                "json_extract(a.value, '$.email')",
                "json_extract(a.value, '$.name')",
            )
        else:
            rows, email, name = (
                f"jsonb_array_elements({column}) a",
                "a.value->>'email'",
                "a.value->>'name'",
            )
        for field in (email, name):
            like, given = _like(field, value)
            parts.append(f"EXISTS (SELECT 1 FROM {rows} WHERE {like})")
            values += given
    return " OR ".join(parts), values


def _label(value: Any) -> Condition:
    """In a mailbox of this name or role; or in one of these, by key."""
    if isinstance(value, tuple):
        marks = ", ".join(["%s"] * len(value))
        sql = f"SELECT x.message_id FROM inbox_message_mailboxes x WHERE x.mailbox_id IN ({marks})"
        return f"m.id IN ({sql})", [*value]
    sql = (
        "EXISTS (SELECT 1 FROM inbox_message_mailboxes x JOIN inbox_mailbox b "
        "ON b.id = x.mailbox_id WHERE x.message_id = m.id "
        "AND (lower(b.name) IN (%s, %s) OR b.name = %s OR b.role = %s))"
    )
    return sql, [value.lower(), value, value, value.lower()]


def _has(value: Any) -> Condition:
    if value == "attachment":
        return "m.has_attachments", []
    like = "a.content_type LIKE %s"
    exists = f"EXISTS (SELECT 1 FROM inbox_attachment a WHERE a.message_id = m.id AND {like})"
    return exists, [_TYPES[value]]


def _is(value: Any) -> Condition:
    if value in _COLUMNS:
        return _COLUMNS[value]
    if _on_sqlite():
        sql, given = "m.keywords LIKE %s", f'%"{_KEYWORDS[value]}"%'
    else:
        sql, given = "m.keywords @> %s::jsonb", f'["{_KEYWORDS[value]}"]'
    return (f"NOT ({sql})" if value == "unread" else sql), [given]


def _when(comparison: str) -> Callable[[Any], Condition]:
    def read(value: datetime) -> Condition:
        adapt = connection.ops.adapt_datetimefield_value
        return f"m.received_at {comparison} %s", [adapt(value)]

    return read


_READERS: dict[str, Callable[[Any], Condition]] = {
    "": _words,
    "from": in_field("from"),
    "to": _to,
    "subject": in_field("subject"),
    "filename": _filename,
    "label": _label,
    "has": _has,
    "is": _is,
    "after": _when(">="),
    "before": _when("<"),
}
