"""The conditions of a query as SQL on the message `m`: who, what, where and when."""

# ruff: noqa: S608 (all that is put into SQL here are our own names)

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from django.db import connection

from inbox.database_rules import plain_words
from inbox.search.operators import Test

Condition: TypeAlias = tuple[str, list[Any]]
TEXT_COLUMNS = "{subject from_name from_email search_extra text}"
# A word of these is looked for in the index; its column there, and its SQL.
_INDEXED = {
    "from": ("{from_name from_email}", "m.from_name || ' ' || m.from_email"),
    "subject": ("{subject}", "m.subject"),
}
_KEYWORDS = {"unread": "$seen", "read": "$seen", "flagged": "$flagged", "answered": "$answered"}
_COLUMNS: dict[str, Condition] = {
    "sent": ("m.direction = %s", ["outbound"]),
    "received": ("m.direction = %s", ["inbound"]),
    "important": ("m.importance = %s", ["high"]),
    "list": ("m.list_id <> %s", [""]),
}
_TYPES = {"pdf": "application/pdf", "image": "image/%", "invitation": "text/calendar%"}
_WILD = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})


def condition_of(tests: Sequence[Test]) -> Condition:
    """Return the SQL for at least one of the tests, and its parameters."""
    parts, values = [], []
    for test in tests:
        sql, given = _READERS[test.operator](test.value)
        parts.append(f"NOT ({sql})" if test.is_negated else f"({sql})")
        values += given
    return f"({' OR '.join(parts)})", values


def quoted(text: str, *, is_open: bool = False) -> str:
    """Return a text as a string of FTS5, in which no character has a meaning."""
    return f'"{text.replace(chr(34), " ")}"{" *" if is_open else ""}'


def _on_sqlite() -> bool:
    return connection.vendor == "sqlite"


def _words(value: Any) -> Condition:
    """Words in any field, next to each other."""
    if _on_sqlite():
        found = "m.id IN (SELECT rowid FROM inbox_search WHERE inbox_search MATCH %s)"
        return found, [f"{TEXT_COLUMNS} : {quoted(value)}"]
    return f"m.search @@ phraseto_tsquery('english', {plain_words('%s')})", [value]


def _in_field(operator: str) -> Callable[[Any], Condition]:
    """Make the condition that words stand in one field, the last one perhaps as a beginning."""
    columns, text = _INDEXED[operator]

    def read(value: Any) -> Condition:
        if _on_sqlite():
            found = "m.id IN (SELECT rowid FROM inbox_search WHERE inbox_search MATCH %s)"
            return found, [f"{columns} : {quoted(value, is_open=True)}"]
        return _begins_in(text, value)

    return read


def _begins_in(text: str, value: str) -> Condition:
    """Return the condition that a text has the words in order, the last as a beginning."""
    *whole, last = "".join(c if c.isalnum() else " " for c in value).lower().split()
    query = " <-> ".join([*whole, f"{last}:*"])
    return f"to_tsvector('simple', {plain_words(text)}) @@ to_tsquery('simple', %s)", [query]


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
    "from": _in_field("from"),
    "to": _to,
    "subject": _in_field("subject"),
    "filename": _filename,
    "label": _label,
    "has": _has,
    "is": _is,
    "after": _when(">="),
    "before": _when("<"),
}
