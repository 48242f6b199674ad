"""What a field is, where its declaration says no more: by its name, said once for all tools."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import yaml

Schema: TypeAlias = dict[str, Any]
_VALUES = frozenset({"default", "enum", "const", "required", "examples"})


def with_words(schema: Schema, name: str) -> Schema:
    """Return a schema whose every field is described, in its own words where it has some.

    `name` is that of its document, like `email_list.input.json`: what is taken is described in
    other words than what is answered.
    """
    kind = "arguments" if name.endswith(".input.json") else "answers"
    return _Words(_words()[kind]).within(schema, _stem(name))


def short_words(verb: str, field: str) -> str:
    """Return the few words of a field in the list of the verbs; empty where its name says it."""
    said = _words()["verbs"]
    return said.get(f"{verb}.{field}") or said.get(field, "")


def _stem(name: str) -> str:
    """Return the tool or resource of a document: `operations/email_list.input.json`, email_list."""
    last = name.rpartition("/")[2].removesuffix(".json")
    return last.removesuffix(".input").removesuffix(".output")


@lru_cache(maxsize=1)
def _words() -> Mapping[str, Mapping[str, str]]:
    loaded: Mapping[str, Mapping[str, str]] = yaml.safe_load(
        Path(__file__).with_name("words.yaml").read_text(encoding="utf-8")
    )
    return loaded


class _Words:
    """Words by name, or by the name of what a field stands in, a dot, and its own."""

    def __init__(self, by_name: Mapping[str, str]) -> None:
        self._by_name = by_name

    def within(self, schema: Schema, parent: str) -> Schema:
        """Return a schema that stands in the field, tool or resource of this name, described."""
        return {key: self._part(key, part, parent) for key, part in schema.items()}

    def _part(self, key: str, part: object, parent: str) -> object:
        if key == "properties" and isinstance(part, dict):
            return {field: self._field(field, one, parent) for field, one in part.items()}
        if key == "$defs" and isinstance(part, dict):
            return {name: self.within(one, _stem(name)) for name, one in part.items()}
        if key in _VALUES:
            return part
        if isinstance(part, dict):
            return self.within(part, parent)
        if isinstance(part, list):
            return [self.within(one, parent) if isinstance(one, dict) else one for one in part]
        return part

    def _field(self, field: str, schema: Schema, parent: str) -> Schema:
        if schema.get("description") == "":
            # Its name says it all.
            return self.within({k: one for k, one in schema.items() if k != "description"}, field)
        said = schema.get("description") or self._by_name.get(f"{parent}.{field}")
        said = said or self._by_name.get(field)
        words = {"description": said} if said else {}
        return {**words, **self.within(schema, field)}
