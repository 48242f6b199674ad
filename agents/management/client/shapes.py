"""Python's types of JSON Schemas, objects as TypedDicts with what each field means."""

import json
import keyword
import re
import textwrap
from typing import Any

from agents.contracts.schemas import Schema, inlined

WIDTH = 100
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def class_name(*words: str) -> str:
    """Return words as the name of a class: `email_list`, `from` → `EmailListFrom`."""
    parts = [part for word in words for part in re.split(r"[^A-Za-z0-9]+", word)]
    return "".join(part[:1].upper() + part[1:] for part in parts)


class Shapes:
    """The TypedDicts of a module, each written once, those first that others are made of."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self.blocks: dict[str, str] = {}

    def type_of(self, schema: Schema, name: str, root: Schema) -> str:
        """Return the type of a schema; `name` is for the object that it may be.

        `root` has the definitions that it refers to.
        """
        if "$ref" in schema:
            defined = schema["$ref"].rpartition("/")[2]
            return self.type_of(root["$defs"][defined], class_name(defined), root)
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if values:
            return f"Literal[{', '.join(_quoted(one) for one in values)}]"
        options = schema.get("anyOf") or schema.get("oneOf")
        if options:
            return self._union(options, name, root)
        kind = schema.get("type")
        if isinstance(kind, list):
            return self._union([{**schema, "type": one} for one in kind], name, root)
        if kind == "array":
            return f"list[{self.type_of(schema.get('items', {}), name, root)}]"
        if kind == "object":
            return self._object(schema, name, root)
        return _PLAIN.get(str(kind), "Any")

    def _union(self, options: list[Schema], name: str, root: Schema) -> str:
        found = list(dict.fromkeys(self.type_of(one, name, root) for one in options))
        return "Any" if "Any" in found else " | ".join(found)

    def _object(self, schema: Schema, name: str, root: Schema) -> str:
        if not schema.get("properties"):
            more = schema.get("additionalProperties")
            of = self.type_of(more, name, root) if isinstance(more, dict) and more else "Any"
            return f"dict[str, {of}]"
        key = json.dumps(inlined({**schema, "$defs": root.get("$defs", {})}))
        if key not in self._names:
            self._names[key] = name = self._free(name)
            fields = [
                (field, self.type_of(one, class_name(name, field), root), one)
                for field, one in schema["properties"].items()
            ]
            self.blocks[name] = _written(name, fields, set(schema.get("required", ())), root)
        return self._names[key]

    def _free(self, name: str) -> str:
        taken = set(self._names.values())
        return next(
            one for one in (name, *(f"{name}{n}" for n in range(2, 99))) if one not in taken
        )


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def words_of(schema: Schema, root: Schema) -> str:
    """Return what a field means."""
    if "description" in schema or "$ref" not in schema:
        return " ".join(schema.get("description", "").split())
    return words_of(root["$defs"][schema["$ref"].rpartition("/")[2]], root)


def wrapped(text: str, indent: str, width: int = WIDTH) -> list[str]:
    """Return a text as indented lines."""
    lines = textwrap.wrap(text, width - len(indent), break_long_words=False, break_on_hyphens=False)
    return [indent + line for line in lines]


def _written(
    name: str, fields: list[tuple[str, str, Schema]], required: set[str], root: Schema
) -> str:
    optional = [
        (field, kind if field in required else f"NotRequired[{kind}]", words_of(one, root))
        for field, kind, one in fields
    ]
    if any(keyword.iskeyword(field) or not field.isidentifier() for field, _, _ in optional):
        lines = [f"{name} = TypedDict(", f'    "{name}",', "    {"]
        for field, kind, words in optional:
            lines += wrapped(words, "        # ")
            lines.append(f'        "{field}": {kind},')
        return "\n".join([*lines, "    },", ")"])
    lines = [f"class {name}(TypedDict):"]
    for field, kind, words in optional:
        lines.append(f"    {field}: {kind}")
        lines += docstring(words, "    ")
    return "\n".join(lines)


def docstring(words: str, indent: str) -> list[str]:
    """Return words as the docstring of what stands before them."""
    words = words.replace("\\", "\\\\").replace('"""', "'''")
    if not words:
        return []
    if len(words) + len(indent) + 6 <= WIDTH and not words.endswith('"'):
        return [f'{indent}"""{words}"""']
    return [f'{indent}"""', *wrapped(words, indent), f'{indent}"""']
