"""Whether words of a message say a value that a model says they do."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

import regex

from inbox.extract.fields import Field

_NUMBER = regex.compile(r"\d[\d.,'’\u00a0\u202f ]*")
_MARKS = regex.compile(r"[.,'’\u00a0\u202f ]")


def stated_entry(value: Any, said: str, item: Field) -> Any:
    """Return what of an entry of a list words say; None where that is nothing.

    Of an object these are its fields that they say.
    """
    if item.kind != "object":
        return value if states(value, said, item) else None
    if not isinstance(value, dict):
        return None
    known = {it.name: it for it in item.children}
    stated = {
        name: one
        for name, one in value.items()
        if name in known and known[name].kind != "boolean" and states(one, said, known[name])
    }
    return stated or None


def states(value: Any, said: str, field: Field) -> bool:
    """Return True if words say a value: its words, its number, its day, or one of its choices."""
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return Decimal(str(value)) in set(_numbers(said))
    if not isinstance(value, str) or not value.strip():
        return False
    if field.schema.get("enum"):
        return value in field.schema["enum"]
    if field.schema.get("format") in ("date", "date-time"):
        return _states_day(value, said)
    return " ".join(value.split()).casefold() in " ".join(said.split()).casefold()


def _states_day(value: str, said: str) -> bool:
    """Return True if words have the day of the month, and the year where they name one."""
    try:
        day = date.fromisoformat(value[:10])
    except ValueError:
        return False
    numbers = [int(it) for it in regex.findall(r"\d+", said)]
    years = [it for it in numbers if it > 31]
    return day.day in numbers and all(it in (day.year, day.year % 100) for it in years[:1])


def _numbers(said: str) -> Iterator[Decimal]:
    """Yield each number of a text, and where its last mark may be of decimals, that one too."""
    for found in _NUMBER.findall(said):
        parts = [it for it in _MARKS.split(found) if it]
        for whole, rest in ((parts, ""), (parts[:-1], parts[-1])):
            try:
                yield Decimal("".join(whole) + (f".{rest}" if rest else ""))
            except InvalidOperation:
                continue
        yield from (Decimal(it) for it in parts)
