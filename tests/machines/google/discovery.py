"""What Google publishes of its interfaces: which calls there are, and what fits into them.

The documents come with Google's own client library (google-api-python-client).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import googleapiclient.discovery_cache

_FOLDER = Path(googleapiclient.discovery_cache.__file__).parent / "documents"
NAMES = ("calendar.v3", "tasks.v1", "people.v1", "drive.v3", "gmail.v1")
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?")
_FORMATS = {
    "date-time": _RFC3339,
    "google-datetime": _RFC3339,
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
    "int64": re.compile(r"-?\d+"),
    "uint64": re.compile(r"\d+"),
    "byte": re.compile(r"[A-Za-z0-9+/_-]*={0,2}"),
}
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float),
    "object": (dict,), "array": (list,),
}  # fmt: skip


@dataclass(frozen=True)
class Method:
    """One call: its verb, where it lies, and what it takes and gives."""

    id: str
    verb: str
    pattern: re.Pattern[str]
    names: tuple[str, ...]
    described: dict[str, Any]
    document: dict[str, Any]
    is_upload: bool = False

    @property
    def scopes(self) -> frozenset[str]:
        return frozenset(self.described.get("scopes", ()))

    @property
    def is_newer(self) -> bool:
        """Whether its errors are worded as Google's newer interfaces do."""
        return not self.id.startswith(("calendar.", "drive.", "gmail."))

    def path_parameters(self, raw_path: str) -> dict[str, str] | None:
        found = self.pattern.fullmatch(raw_path)
        if found is None:
            return None
        given = {name: unquote(text) for name, text in zip(self.names, found.groups(), strict=True)}
        rules = self.described.get("parameters", {})
        fits = all(re.search(rules[name].get("pattern", ""), it) for name, it in given.items())
        return given if fits else None

    def query_problems(self, query: list[tuple[str, str]]) -> Iterator[str]:
        rules = {**self.document["parameters"], **self.described.get("parameters", {})}
        if self.is_upload:
            rules["upload_id"] = {"type": "string", "location": "query"}
        names = [name for name, _text in query]
        for name, text in query:
            rule = rules.get(name)
            if rule is None or rule["location"] != "query":
                yield f"there is no parameter {name}"
            elif names.count(name) > 1 and not rule.get("repeated"):
                yield f"{name} stands twice"
            else:
                yield from parameter_problems(name, text, rule)
        for name, rule in rules.items():
            if rule.get("required") and rule["location"] == "query" and name not in names:
                yield f"{name} is missing"

    def body_problems(self, body: Any) -> Iterator[str]:
        reference = self.described.get("request")
        if reference is None:
            if body is not None:
                yield "it takes no body"
        elif body is None:
            yield "the body is missing"
        else:
            nulls = self.verb in ("PATCH", "PUT")
            yield from problems(body, reference, self.document, "", nulls=nulls)

    def answer_problems(self, answer: Any) -> Iterator[str]:
        reference = self.described.get("response")
        if reference is None:
            if answer is not None:
                yield "it gives no body"
        else:
            yield from problems(answer, reference, self.document, "")


def parameter_problems(name: str, text: str, rule: dict[str, Any]) -> Iterator[str]:
    if "enum" in rule and text not in rule["enum"]:
        yield f"{name} may not be {text}"
    elif rule["type"] == "boolean" and text not in ("true", "false"):
        yield f"{name} is neither true nor false"
    elif rule["type"] == "integer":
        number = int(text) if re.fullmatch(r"-?\d+", text) else None
        if number is None or number < int(rule.get("minimum", number)):
            yield f"{name} is no such number"
    elif rule.get("format") in _FORMATS and not _FORMATS[rule["format"]].fullmatch(text):
        yield f"{name} is no {rule['format']}"


def problems(
    value: Any, schema: dict[str, Any], document: dict[str, Any], where: str, *, nulls: bool = False
) -> Iterator[str]:
    """Yield what does not fit a schema, fields that it does not know above all."""
    if "$ref" in schema:
        schema = document["schemas"][schema["$ref"]]
    kind = schema.get("type", "any")
    if kind == "any" or (value is None and nulls):
        return
    if not isinstance(value, _TYPES[kind]) or (kind != "boolean" and isinstance(value, bool)):
        yield f"{where or 'it'} is no {kind}"
    elif kind == "object":
        yield from _object_problems(value, schema, document, where, nulls=nulls)
    elif kind == "array":
        for number, each in enumerate(value):
            yield from problems(each, schema["items"], document, f"{where}[{number}]", nulls=nulls)
    elif kind == "string":
        yield from _string_problems(value, schema, where)


def _object_problems(
    value: dict[str, Any], schema: dict[str, Any], document: dict[str, Any], where: str, *,
    nulls: bool,
) -> Iterator[str]:  # fmt: skip
    known, others = schema.get("properties", {}), schema.get("additionalProperties")
    for name, each in value.items():
        own = known.get(name, others)
        if own is None:
            yield f"{where}.{name} is not known"
        else:
            yield from problems(each, own, document, f"{where}.{name}", nulls=nulls)


def _string_problems(value: str, schema: dict[str, Any], where: str) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} may not be {value}"
    pattern = _FORMATS.get(schema.get("format", ""))
    if pattern is not None and not pattern.fullmatch(value):
        yield f"{where} is no {schema['format']}"


@lru_cache(maxsize=1)
def methods() -> tuple[Method, ...]:
    """Return every call of every interface."""
    documents = [json.loads((_FOLDER / f"{name}.json").read_text()) for name in NAMES]
    return tuple(each for document in documents for each in _methods_of(document, document))


def _methods_of(part: dict[str, Any], document: dict[str, Any]) -> Iterator[Method]:
    for described in part.get("methods", {}).values():
        uploads = described.get("mediaUpload", {}).get("protocols", {})
        paths = ["/" + document["servicePath"] + described["path"]]
        paths += [uploads["simple"]["path"]] if uploads else []
        yield from (_method(described, path, document) for path in paths)
    for inner in part.get("resources", {}).values():
        yield from _methods_of(inner, document)


def _method(described: dict[str, Any], path: str, document: dict[str, Any]) -> Method:
    pattern, names = "", []
    for text, name in re.findall(r"([^{]+)|\{\+?([^}]+)\}", path):
        pattern += re.escape(text) if text else ("(.+)" if f"{{+{name}}}" in path else "([^/]+)")
        names += [name] if name else []
    return Method(
        described["id"], described["httpMethod"], re.compile(pattern), tuple(names), described,
        document, is_upload=path.startswith("/upload/"),
    )  # fmt: skip
