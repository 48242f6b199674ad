"""What rules did not find in a message, found by a model: each value with the words that say it.

The rules' own values stay. A value of the model's is taken only where its quote stands in the
message and says the value: its words, its number, its day.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple

import regex

from agents.consulting.passages import origins_of
from agents.consulting.remembering import Question
from agents.models import Origin
from inbox.extract import Extraction
from inbox.extract.document import Document
from inbox.extract.fields import Field, fields_of
from inbox.extract.found import Place, Span
from inbox.extract.readers.spans import SOURCES
from inbox.extract.schemas import Schema, escape
from inbox.extract.validation import validation_errors
from inbox.language_model.answers import find_quote, rows_of, text_in
from inbox.language_model.prompts import Passage, Prompt, bounded
from inbox.models import Message, ModelTask

# How sure a value is that its quote says.
SURE: Final = 0.7
_MOST_FIELDS = 60
# As much of a text as a place of extraction shows.
_LONGEST_QUOTE = 200
_NUMBER = regex.compile(r"\d[\d.,'’\u00a0\u202f ]*")
_MARKS = regex.compile(r"[.,'’\u00a0\u202f ]")
_INSTRUCTIONS = (
    "`fields` are values that a program looks for in the texts, each with what its JSON Schema "
    "says of it. Give each that the texts state, and leave out all others: nothing is worked out, "
    "guessed or put together. What a quoted or forwarded message says counts only where the rest "
    "says nothing.\nAnswer: "
    '{"fields": [{"path": the path of the field, "value": its value as the schema wants it (dates '
    'as 2026-12-31, numbers as numbers), "source": the name of the text, "quote": the words of '
    "the text that state it}]}."
)


class Wanted(NamedTuple):
    """A field that has no value yet: its steps, and what its schema says."""

    steps: tuple[str, ...]
    field: Field

    @property
    def name(self) -> str:
        """What extraction calls it."""
        return "/".join(self.steps)

    @property
    def path(self) -> str:
        """Where it stands (RFC 6901)."""
        return "".join(f"/{escape(step)}" for step in self.steps)


class Found(NamedTuple):
    """The data with what was added, how many values that are, and how many were dropped."""

    extraction: Extraction
    added: int
    dropped: int


def wanted_fields(schema: Schema, data: Mapping[str, Any]) -> list[Wanted]:
    """Return the fields that have no value yet, those of objects inside too; lists are left out."""
    return list(_wanted(fields_of(schema), data, ()))[:_MOST_FIELDS]


def _wanted(
    fields: Sequence[Field], data: Mapping[str, Any], above: tuple[str, ...]
) -> Iterator[Wanted]:
    for one in fields:
        steps, value = (*above, one.name), data.get(one.name)
        if one.kind == "object":
            yield from _wanted(one.children, value if isinstance(value, Mapping) else {}, steps)
        elif one.kind not in ("array", "const") and value is None:
            yield Wanted(steps, one)


def extraction_question(
    message: Message, schema: Schema, document: Document, wanted: Sequence[Wanted]
) -> Question:
    """Return what a model is asked about a message."""
    origins = origins_of(message.workspace_id, [message.public_id])
    origin = origins.get(message.public_id, Origin.STRANGER)
    passages = bounded(
        Passage(f"S{number}", text, origin, "message", message.public_id)
        for number, text in enumerate(document.layers, 1)
    )
    given = {
        "fields": [{"path": it.path, "schema": it.field.schema} for it in wanted],
        "written": document.sent_on.isoformat(),
    }
    prompt = Prompt(ModelTask.EXTRACT, 1, _INSTRUCTIONS, passages, given)
    refs = {"message": message.pk, "schema": schema}
    return Question(message.inbox.account, prompt, message.public_id, refs)


def read_extraction(
    answer: Mapping[str, Any],
    base: Extraction,
    schema: Schema,
    wanted: Sequence[Wanted],
    document: Document,
) -> Found:
    """Return the rules' data with the values that their quotes say; raises ModelError."""
    rows = rows_of(answer, "fields", _MOST_FIELDS)
    by_path = {it.path: it for it in wanted}
    data, places = deepcopy(base.data), dict(base.places)
    for row in rows:
        field, span = by_path.get(str(row.get("path"))), _span(row, document)
        if field is None or field.name in places or span is None:
            continue
        if not states(row.get("value"), span.excerpt, field.field) or not _fits(
            data, schema, field, row["value"]
        ):
            continue
        _put(data, field.steps, row["value"])
        places[field.name] = Place(SURE, span)
    added = len(places) - len(base.places)
    missing = tuple(it for it in base.missing_fields if it not in places)
    share = added / max(len(wanted), 1)
    confidence = round(base.confidence + (1 - base.confidence) * SURE * share, 3)
    errors = tuple(validation_errors(schema, data))
    return Found(Extraction(data, confidence, missing, errors, places), added, len(rows) - added)


def _span(row: Mapping[str, Any], document: Document) -> Span | None:
    """Return where the words stand that a row quotes; None where they do not."""
    layers = zip(SOURCES, document.layers, strict=True)
    named = {f"S{number}": layer for number, layer in enumerate(layers, 1)}
    source, text = named.get(str(row.get("source")), ("", ""))
    place = find_quote(text, text_in(row, "quote", _LONGEST_QUOTE))
    return Span(source, *place, text[slice(*place)]) if place else None


def _fits(data: dict[str, Any], schema: Schema, wanted: Wanted, value: Any) -> bool:
    """Return True if the data is as right with a value as it was, at its place."""
    tried = deepcopy(data)
    _put(tried, wanted.steps, value)
    return not any(it.startswith(f"{wanted.path}:") for it in validation_errors(schema, tried))


def _put(data: dict[str, Any], steps: Sequence[str], value: Any) -> None:
    for step in steps[:-1]:
        data = data.setdefault(step, {})
    data[steps[-1]] = value


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
