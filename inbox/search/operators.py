"""The operators of a query: `from:`, `is:` and so on, and what each takes. No database here."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import TypeAlias

from django.utils import timezone

from inbox.errors import DomainError, invalid
from inbox.reasons.text import phrase as _

# What `is:` and `has:` take; the conditions are in `conditions`.
STATES = (
    "unread", "read", "flagged", "answered", "sent", "received", "important", "list",
)  # fmt: skip
BELONGINGS = ("attachment", "pdf", "image", "invitation")
_DAY = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")
_AGO = re.compile(r"(\d{1,4})([dwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_DATES = "2026-03-31, 2026-03, 2026, today, yesterday, or so long ago: 7d, 2w, 6m, 1y"
_LONGEST_VALUE = 200

# Of a label that is known, the mailboxes by key.
Value: TypeAlias = str | datetime | tuple[int, ...]
# What reads the value of each operator, given its name and text.
Operators: TypeAlias = Mapping[str, Callable[[str, str], Value]]


@dataclass(frozen=True, slots=True)
class Test:
    """One condition: an operator, or "" for words in any field; what it is compared with."""

    operator: str
    value: Value
    is_negated: bool = False


def read_operator(operators: Operators, name: str, text: str, *, negated: bool = False) -> Test:
    """Return the condition that `name:text` sets; DomainError where it takes no such value."""
    return Test(name, operators[name](name, text[:_LONGEST_VALUE].strip()), negated)


def refuse(name: str, text: str, accepted: str) -> DomainError:
    """Return the error for a value that an operator does not take; it names both."""
    words = _(
        "The operator %(operator)s does not take %(value)s.", operator=f"{name}:", value=repr(text)
    )
    return invalid("query", words, accepted)


def read_text(name: str, text: str) -> Value:
    """Return a value that has a word; DomainError where it has none."""
    if not re.search(r"[^\W_]", text):
        raise refuse(name, text, f'{name}: and a word, or {name}:"words that stand together"')
    return text


def one_of(values: tuple[str, ...]) -> Callable[[str, str], Value]:
    """Make what reads one of these words, in whatever case."""

    def read(name: str, text: str) -> Value:
        if text.lower() not in values:
            raise refuse(name, text, ", ".join(f"{name}:{value}" for value in values))
        return text.lower()

    return read


def read_moment(name: str, text: str) -> Value:
    """Return the beginning of a day, month or year in the reader's zone, or so long ago."""
    zone, now = timezone.get_current_timezone(), timezone.now()
    if text.lower() in {"today", "yesterday"}:
        back = timedelta(days=int(text.lower() == "yesterday"))
        return _begin(now.astimezone(zone).date() - back, zone)
    try:
        if found := _AGO.fullmatch(text.lower()):
            return now - timedelta(days=int(found[1]) * _DAYS[found[2]])
        year, month, day = (int(part or 1) for part in _DAY.fullmatch(text).groups())  # type: ignore[union-attr]
        return _begin(date(year, month, day), zone)
    except (AttributeError, ValueError, OverflowError):
        raise refuse(name, text, _DATES) from None


def _begin(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


# Those of mail; other kinds of rows have their own (`inbox.search.rows.kinds`).
OPERATORS: Operators = {
    "from": read_text,
    "to": read_text,
    "subject": read_text,
    "filename": read_text,
    "label": read_text,
    "has": one_of(BELONGINGS),
    "is": one_of(STATES),
    "after": read_moment,
    "before": read_moment,
}
