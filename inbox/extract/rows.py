"""One object a line of a list: `2 x Desk lamp  49.00 EUR`, or a row below its head; pure."""

from collections.abc import Iterator
from typing import Any

import regex

from inbox.extract import forms
from inbox.extract.fields import Field
from inbox.extract.forms import Cell, Row
from inbox.extract.readers.numbers import find_amounts, plain_digits, read_number
from inbox.languages import any_of, lazy_regex

_SUMS = lazy_regex(lambda: any_of(lambda it: it.schemas.sums))
_NUMBER = lazy_regex(r"[-+]?\d[\d.,'’ \u00a0\u202f]*")
_QUANTITY = lazy_regex(r"(?P<count>\d{1,6}(?:[.,]\d{1,3})?)\s?(?:x|×|\p{L}{1,8}\.?)?")
_TIMES = lazy_regex(r"\d\s?[x×]|[x×]\s?\d")
_LONGEST = 200


def read_rows(item: Field, text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Yield what each line of the lists says of the item's fields, and where it stands.

    Rows with one value are none.
    """
    found = False
    for head, rows in forms.lists(text):
        named = [forms.column_of(it.text) for it in head]
        places = _places(item, named)
        for row in rows:
            made = _below(row, named, places)
            if made is None:
                break
            if len(made) >= min(2, len(item.children)):
                found = True
                yield made, row[0].start, row[-1].end
    start = 0
    for line in [] if found else text.split("\n"):
        made = _line(item, line)
        if len(made) >= min(2, len(item.children)):
            yield made, start, start + len(line)
        start += len(line) + 1


def _places(item: Field, named: list[str]) -> list[tuple[Field, int]]:
    """Return in which column each of the item's fields stands."""
    places = []
    for child in item.children:
        column = _column(child)
        if column in named:
            places.append((child, named.index(column)))
        elif column in {"price", "total"} and {"price", "total"} & set(named):
            other = "total" if column == "price" else "price"
            if len([it for it in item.children if it.kind == "money"]) == 1:
                places.append((child, named.index(other)))
    return places


def _column(child: Field) -> str:
    if regex.search(r"price|rate|cost", child.words) and not _SUMS.search(child.words):
        return "price"
    if child.kind == "money" or _SUMS.search(child.words):
        return "tax" if regex.search(r"vat|tax", child.words) else "total"
    if child.kind in {"count", "length"}:
        return "quantity"
    if child.kind == "id":
        return "position"
    return "description"


def _below(row: Row, named: list[str], places: list[tuple[Field, int]]) -> dict[str, Any] | None:
    """Return what a row below the head says; None where it is no line of the list any longer."""
    if len(row) < 2:
        # A line that goes on with what stands above it.
        return {} if row and not forms.is_label(row[0].text) and not _sum(row) else None
    what = named.index("description")
    first = row[what].text if what < len(row) else ""
    if len(row) > len(named) or not regex.search(r"\p{L}", first) or _sum(row):
        return None
    made: dict[str, Any] = {}
    for child, place in places:
        if place < len(row) and (value := _value(child, row[place])) is not None:
            made[child.name] = value
    return made


def _sum(row: Row) -> bool:
    """Return True if a row is one of the sums below a list."""
    labels = [it.text for it in row if it.text and regex.search(r"\p{L}{2}", it.text)]
    first = labels[0] if labels else ""
    return any(it.fullmatch(forms.bare(first)) for it in forms.money().values())


def _value(child: Field, cell: Cell) -> Any:
    text = plain_digits(cell.text)
    if child.types & {"number", "integer"} or child.kind in {"count", "money"}:
        return _number(child, text)
    return cell.text if "string" in child.types and cell.text else None


def _number(child: Field, text: str) -> int | float | None:
    amounts = find_amounts(text)
    counted = _QUANTITY.fullmatch(text.strip())
    if child.kind == "count" and counted:
        read = read_number(counted["count"])
    elif amounts:
        read = amounts[0].value
    else:
        read = read_number(text.strip()) if _NUMBER.fullmatch(text.strip()) else None
    if read is None:
        return None
    return int(read) if read == read.to_integral_value() else float(read)


def _row_pattern() -> str:
    bullet = r"^[ \t]*(?:[-*•]|\d{1,2}[.)])?[ \t]*"
    each = rf"(?<!\p{{L}}){any_of(lambda it: it.labels.each)}(?!\p{{L}})"
    pieces = f"(?:x|×|{any_of(lambda it: it.labels.pieces)})"
    return (
        rf"{bullet}(?P<quantity>\d{{1,5}})[ \t]?{pieces}[ \t]+(?P<what>\p{{L}}.{{1,80}}?)"
        rf"(?:[ \t]*(?:@|{each}|[-–:,|\t]|  )[ \t]*(?P<rest>.{{0,80}}))?$"
        rf"|{bullet}(?P<what>\p{{L}}[^\n]{{1,60}}?)[ \t]*(?<!\d[,.])[,:x×|\t][ \t]*"
        rf"(?P<quantity>\d{{1,5}})(?![\d.,/:-]*\d)"
        rf"(?:[ \t]?{pieces})?(?:[ \t|,@à]+(?P<rest>[^\n]{{0,80}}))?$"
    )


_ROW = lazy_regex(_row_pattern)


def _line(item: Field, line: str) -> dict[str, Any]:
    """Return what a line says that stands below no head: how many of what, for how much."""
    match = _ROW.match(line[:_LONGEST], timeout=0.2)
    amounts = [it.value for it in find_amounts(line)]
    # Something and a number, as in an address, is not yet a thing and how many of it.
    if not match or not (amounts or _TIMES.search(line)) or _is_labelled(line):
        return {}
    what = match["what"].strip(" ,:-–|")
    if (found := find_amounts(what)) and found[0].start > 0:
        what = what[: found[0].start].strip(" ,:-–|@")
    row: dict[str, Any] = {}
    for child in item.children:
        column = _column(child)
        if column == "quantity" and "quantity" not in row:
            row[child.name] = int(match["quantity"])
        elif column in {"price", "total"} and amounts:
            if column == "price" and len(amounts) == 1 and _has_total(item):
                continue
            value = amounts[-1] if column == "total" else amounts[0]
            row[child.name] = int(value) if value == value.to_integral_value() else float(value)
        elif column == "description" and "string" in child.types:
            row[child.name] = what
    return row


def _is_labelled(line: str) -> bool:
    """Return True for a label and its value: `Total: 49.00 EUR`."""
    for row in forms.rows_of(line):
        first = row[0].text.partition(":")[0] if row else ""
        amounts = find_amounts(first)
        if forms.is_label(first[: amounts[0].start] if amounts else first):
            return True
    return False


def _has_total(item: Field) -> bool:
    return any(_column(it) == "total" for it in item.children)
