"""What a property of a schema asks for, read from its name, title, description and constraints."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import regex

from inbox.extract import roles
from inbox.extract.schemas import Schema, properties_of, resolve
from inbox.languages import any_of, lazy_regex
from inbox.languages import words_of as words_in_languages
from inbox.languages.model import Language

_FORMATS = {
    "date": "date",
    "date-time": "datetime",
    "time": "time",
    "email": "email",
    "idn-email": "email",
    "uri": "url",
    "uri-reference": "url",
    "iri": "url",
    "iri-reference": "url",
    "duration": "length",
    "hostname": "host",
}


@cache
def _named_kinds() -> dict[str, regex.Pattern[str]]:
    """Return the patterns of names by kind; the first that a name, a title or else has decides."""
    table: Callable[[Language], Mapping[str, str]] = lambda it: it.schemas.kinds  # noqa: E731
    return {
        kind: regex.compile(rf"(?<![a-zäöü]){roles.named(table, kind)}(?![a-zäöü])")
        for kind in roles.names(table)
    }


_NUMBERED_THINGS = (
    "invoice",
    "order",
    "purchase",
    "tracking",
    "ticket",
    "contract",
    "quote",
    "booking",
    "reference",
)
# Names of things, which no rule knows; a label in the text may.
_NAME_OF_A_THING = lazy_regex(lambda: rf"{any_of(lambda it: it.schemas.things)}\w*")
_COUNTS = lazy_regex(lambda: rf"(?<![a-z]){any_of(lambda it: it.schemas.counts)}")
_PERCENTS = lazy_regex(lambda: any_of(lambda it: it.schemas.percents))


_NOWHERE = cast("regex.Match[str]", regex.match("", ""))


@dataclass(frozen=True)
class Choice:
    """A value that a field may take, and the words by which a text may mean it."""

    value: Any
    words: tuple[str, ...]


@dataclass(frozen=True)
class Field:
    """A property to fill in. `words` is its name in words; `hints` its title and description."""

    name: str
    schema: Schema
    kind: str
    words: str = ""
    hints: str = ""
    required: bool = False
    choices: tuple[Choice, ...] = ()
    children: "tuple[Field, ...]" = ()
    item: "Field | None" = None
    types: frozenset[str] = field(default_factory=frozenset)

    def role(self, known: Mapping[str, regex.Pattern[str]]) -> str:
        """Return which of the roles is asked for; "" where none is named."""
        for text in (self.words, self.hints):
            found, first = "", _NOWHERE
            for role, pattern in known.items():
                hit = pattern.search(text)
                if hit is None or (text is self.hints and role in {"start", "end"}):
                    continue
                if not found or (hit.start() < first.start() and first.end() <= hit.end()):
                    found, first = role, hit
            if found:
                return found
        return ""


def words_of(name: str) -> str:
    """Return a property's name as words: `invoiceDate`, `invoice_date` → `invoice date`."""
    name = regex.sub(r"([\p{Ll}\d])(\p{Lu})", r"\1 \2", name)
    name = regex.sub(r"(\p{Lu}+)(\p{Lu}\p{Ll})", r"\1 \2", name)
    return " ".join(regex.sub(r"[_\-./#]+", " ", name).lower().split())


def telling_words(field: Field) -> list[str]:
    """Return the words of the field's name that tell it from others of its kind."""
    known = words_in_languages(lambda it: it.schemas.kind_words)
    return [word for word in field.words.split() if word not in known and len(word) > 2]


def fields_of(root: Schema, part: Schema | None = None, depth: int = 0) -> tuple[Field, ...]:
    """Return the fields that the schema's properties ask for, and those of the objects inside."""
    part = resolve(root, root if part is None else part)
    required = set(part.get("required") or ())
    return tuple(
        _field(root, name, schema, name in required, depth)
        for name, schema in properties_of(root, part).items()
    )


def _field(root: Schema, name: str, schema: Schema, required: bool, depth: int) -> Field:
    types = _types(schema)
    words = words_of(name)
    hints = " ".join(str(schema.get(key, ""))[:300] for key in ("title", "description"))
    hints = hints.strip().lower()
    kind = _kind(schema, types, words, hints)
    children: tuple[Field, ...] = ()
    item = None
    if kind == "object":
        children = fields_of(root, schema, depth + 1) if depth < 2 else ()
    elif kind == "array":
        inner = resolve(root, schema.get("items") or {})
        inner = {"description": schema.get("description", ""), **inner}
        item = _field(root, _singular(name), inner, False, depth + 1)
    choices = _choices(schema) if kind == "choice" else ()
    return Field(name, schema, kind, words, hints, required, choices, children, item, types)


def _types(schema: Schema) -> frozenset[str]:
    types = schema.get("type", ())
    return frozenset({types} if isinstance(types, str) else types)


def _singular(name: str) -> str:
    return name[:-1] if len(name) > 3 and name.endswith("s") and not name.endswith("ss") else name


def _kind(schema: Schema, types: frozenset[str], words: str, hints: str) -> str:
    if "const" in schema:
        return "const"
    if "boolean" in types:
        return "boolean"
    if _choices(schema):
        return "choice"
    if "object" in types or "properties" in schema:
        return "object"
    if "array" in types or "items" in schema:
        return "array"
    if types & {"number", "integer"} and "string" not in types:
        return _numeric_kind(words, hints)
    return _FORMATS.get(schema.get("format", "")) or _named_kind(words, hints)


def _named_kind(words: str, hints: str) -> str:
    for text in (words, hints):
        for kind, pattern in _named_kinds().items():
            if pattern.search(text) and not (kind == "person" and _NAME_OF_A_THING.search(text)):
                return kind
        # A string called just `order` or `ticket` is its number.
        if any(roles.numbers()[role].fullmatch(text) for role in _NUMBERED_THINGS):
            return "id"
    return "text"


def _numeric_kind(words: str, hints: str) -> str:
    for text in (words, hints):
        if _COUNTS.search(text):
            return "count"
        for kind in ("length", "money", "id"):
            if _named_kinds()[kind].search(text):
                percent = _PERCENTS.search(f"{words} {hints}")
                return "count" if kind == "money" and percent else kind
        if any(pattern.search(text) for pattern in roles.counts().values()):
            return "count"
    return "count"


def _choices(schema: Schema) -> tuple[Choice, ...]:
    if isinstance(schema.get("enum"), list):
        values = [it for it in schema["enum"] if it is not None]
        return tuple(Choice(value, (words_of(str(value)),)) for value in values)
    for name in ("oneOf", "anyOf"):
        options = [it for it in schema.get(name) or () if isinstance(it, dict) and "const" in it]
        if options:
            return tuple(
                Choice(
                    it["const"],
                    tuple(
                        words_of(str(text)) if key == "const" else str(text).lower()
                        for key in ("const", "title")
                        if (text := it.get(key)) is not None
                    ),
                )
                for it in options
                if it["const"] is not None
            )
    return ()
