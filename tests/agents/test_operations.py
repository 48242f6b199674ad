"""The 39 operations take exactly the fields of their contract: type, limits, required, default."""

import csv
import json
import re
from pathlib import Path

from agents.contracts import REGISTRY
from tests.cases import in_one_test

ROWS = list(csv.DictReader((Path(__file__).parent / "contracts" / "operations.csv").open()))
NAMES = list(dict.fromkeys(row["operation"] for row in ROWS))
LIMITS = ("minimum", "maximum", "minLength", "maxLength", "minProperties", "pattern")


def limits(schema):
    """`[minLength=1, maxLength=512]`, as the contract writes it."""
    found = [f"{name}={schema[name]}" for name in LIMITS if name in schema]
    return f" [{', '.join(found)}]" if found else ""


def count(schema):
    low = f" min {schema['minItems']}" if "minItems" in schema else ""
    return low + (f" max {schema['maxItems']}" if "maxItems" in schema else "")


def notation(schema):
    """A schema in the contract's notation, such as `array<string [minLength=1]> min 1`."""
    if "anyOf" in schema:
        return " or ".join(notation(form) for form in schema["anyOf"])
    if "const" in schema:
        return f"const {json.dumps(schema['const'])}"
    if "enum" in schema:
        return f"{schema['type']} enum {'|'.join(schema['enum'])}"
    if schema["type"] == "array":
        return f"array<{notation(schema['items'])}>{count(schema)}"
    format_ = f"({schema['format']})" if "format" in schema else ""
    return schema["type"] + format_ + limits(schema)


def fields(schema, prefix=""):
    """Yield (path, type, required, default) of every field, those of inner objects after theirs."""
    for name, field in schema.get("properties", {}).items():
        default = json.dumps(field["default"]) if "default" in field else ""
        needed = "yes" if name in schema.get("required", []) else "no"
        yield f"{prefix}{name}", notation(field), needed, default
        for form in field.get("anyOf", [field]):
            yield from fields(form, f"{prefix}{name}.")
            for item in form.get("items", {}).get("anyOf", [form.get("items", {})]):
                yield from fields(item, f"{prefix}{name}[].")


_TEXT = ("string [minLength=1]", "no", "")
_WRITTEN = {"draft_id": _TEXT, "forward_of": _TEXT, "identity_id": ("string", "no", "")}
_SKIP = {"skip": ("integer [minimum=0, maximum=500]", "no", "0")}
# What an operation takes beyond the fields that its contract has.
OURS = {
    "email_create_draft": _WRITTEN,
    "email_send": _WRITTEN,
    "search_unified": _SKIP,
    "search_files": _SKIP,
    "calendar_list_events": {
        "start": ("string(date-time)", "no", ""),
        "end": ("string(date-time)", "no", ""),
    },
}


def agreed(name):
    rows = [row for row in ROWS if row["operation"] == name and row["type"]]
    return {
        row["field"]: (normal(row["type"]), row["required"], row["default"] or "") for row in rows
    }


def normal(words):
    """The contract's spelling without the spaces within limits."""
    return re.sub(r"\s+", " ", words)


def test_there_are_39_operations():
    assert len(NAMES) == 39
    assert {tool.name for tool in REGISTRY.tools if tool.family == "operations"} == set(NAMES)


@in_one_test("name", NAMES)
def test_an_operation_takes_the_fields_that_were_agreed(name):
    ours = {path: tuple(rest) for path, *rest in fields(REGISTRY.schemas_of(name)[0])}
    assert ours == {**agreed(name), **OURS.get(name, {})}
