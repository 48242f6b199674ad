"""What rules did not find in a message, found by a model: each value with the words that say it.

The rules' own values stay. A value of the model's is taken only where its quote stands in the
message and says the value: its words, its number, its day.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from agents.consulting.passages import origins_of
from agents.consulting.remembering import Question
from agents.consulting.stating import stated_entry, states
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
_MOST_ROWS = 200
_MOST_ENTRIES = 100
# As much of a text as a place of extraction shows.
_LONGEST_QUOTE = 200
_INSTRUCTIONS = (
    "`fields` are values that a program looks for in the texts, each with what its JSON Schema "
    "says of it. Give each that the texts state, and leave out all others: nothing is worked out, "
    "guessed or put together. What a quoted or forwarded message says counts only where the rest "
    "says nothing. Each entry of a list is given by itself, with the path of the list; the quote "
    "is the whole line or sentence that states the entry.\nAnswer: "
    '{"fields": [{"path": the path of the field, "value": its value as the schema wants it (dates '
    'as 2026-12-31, numbers as numbers), "source": the name of the text, "quote": the words of '
    "the text that state it}]}."
)


class Wanted(NamedTuple):
    """A field that has no value yet, or a list without entries: its steps, and its schema."""

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
    """Return the fields that have no value yet, those of objects inside too.

    Of lists these are the empty ones whose entries are values, or objects of values.
    """
    return list(_wanted(fields_of(schema), data, ()))[:_MOST_FIELDS]


def _wanted(
    fields: Sequence[Field], data: Mapping[str, Any], above: tuple[str, ...]
) -> Iterator[Wanted]:
    for one in fields:
        steps, value = (*above, one.name), data.get(one.name)
        if one.kind == "object":
            yield from _wanted(one.children, value if isinstance(value, Mapping) else {}, steps)
        elif _is_open(one, value):
            yield Wanted(steps, one)


def _is_open(one: Field, value: Any) -> bool:
    if one.kind == "array":
        return not value and _is_readable(one)
    return one.kind != "const" and value is None


def _is_readable(one: Field) -> bool:
    """Return True for a list of values, or of objects whose fields are values."""
    item = one.item
    nested = {"object", "array"}
    return item is not None and (
        item.kind not in nested
        or (item.kind == "object" and not nested & {it.kind for it in item.children})
    )


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
    prompt = Prompt(ModelTask.EXTRACT, 2, _INSTRUCTIONS, passages, given)
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
    rows = rows_of(answer, "fields", _MOST_ROWS)
    by_path = {it.path: it for it in wanted}
    reading = _Reading(deepcopy(base.data), dict(base.places), schema)
    for row in rows:
        one, span = by_path.get(str(row.get("path"))), _span(row, document)
        if one is not None and span is not None:
            reading.take(one, row.get("value"), span)
    reading.leave_out_bad_lists(wanted)
    data, filled = reading.data, reading.filled
    missing = tuple(it for it in base.missing_fields if it not in filled)
    share = len(filled) / max(len(wanted), 1)
    confidence = round(base.confidence + (1 - base.confidence) * SURE * share, 3)
    errors = tuple(validation_errors(schema, data))
    added = len(reading.places) - len(base.places)
    found = Extraction(data, confidence, missing, errors, reading.places)
    return Found(found, added, len(rows) - added)


@dataclass
class _Reading:
    """The data while the rows of an answer are read: what is filled in, and where it stands."""

    data: dict[str, Any]
    places: dict[str, Place]
    schema: Schema
    filled: set[str] = field(default_factory=set)

    def take(self, wanted: Wanted, value: Any, span: Span) -> None:
        """Add a value that its words say, and that the schema takes."""
        item = wanted.field.item if wanted.field.kind == "array" else None
        if item is not None:
            self._take_entry(wanted, stated_entry(value, span.excerpt, item), span)
        elif wanted.name not in self.filled and states(value, span.excerpt, wanted.field):
            self._put(wanted, value, f"{wanted.path}:", wanted.name, span)

    def _take_entry(self, wanted: Wanted, entry: Any, span: Span) -> None:
        entries = self._entries(wanted)
        most = min(_MOST_ENTRIES, wanted.field.schema.get("maxItems", _MOST_ENTRIES))
        if entry is not None and len(entries) < most:
            number = len(entries)
            pointer, place = f"{wanted.path}/{number}", f"{wanted.name}/{number}"
            self._put(wanted, [*entries, entry], pointer, place, span)

    def _entries(self, wanted: Wanted) -> list[Any]:
        if wanted.name not in self.filled:
            return []
        value: Any = self.data
        for step in wanted.steps:
            value = value[step]
        return list(value)

    def _put(self, wanted: Wanted, value: Any, pointer: str, place: str, span: Span) -> None:
        """Set a value if the data is as right with it as it was, at its pointer."""
        tried = deepcopy(self.data)
        _set(tried, wanted.steps, value)
        if not any(it.startswith(pointer) for it in validation_errors(self.schema, tried)):
            self.data, self.places[place] = tried, Place(SURE, span)
            self.filled.add(wanted.name)

    def leave_out_bad_lists(self, wanted: Sequence[Wanted]) -> None:
        """Leave out lists that the schema does not take as a whole, as one that is too short."""
        errors = validation_errors(self.schema, self.data)
        for one in wanted:
            is_list = one.field.kind == "array" and one.name in self.filled
            if is_list and any(it.startswith(f"{one.path}:") for it in errors):
                _remove(self.data, one.steps)
                self.filled.discard(one.name)
                self.places = {
                    name: it
                    for name, it in self.places.items()
                    if not name.startswith(f"{one.name}/")
                }


def _span(row: Mapping[str, Any], document: Document) -> Span | None:
    """Return where the words stand that a row quotes; None where they do not."""
    layers = zip(SOURCES, document.layers, strict=True)
    named = {f"S{number}": layer for number, layer in enumerate(layers, 1)}
    source, text = named.get(str(row.get("source")), ("", ""))
    place = find_quote(text, text_in(row, "quote", _LONGEST_QUOTE))
    return Span(source, *place, text[slice(*place)]) if place else None


def _set(data: dict[str, Any], steps: Sequence[str], value: Any) -> None:
    for step in steps[:-1]:
        data = data.setdefault(step, {})
    data[steps[-1]] = value


def _remove(data: dict[str, Any], steps: Sequence[str]) -> None:
    for step in steps[:-1]:
        data = data[step]
    del data[steps[-1]]
