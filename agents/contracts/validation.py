"""Arguments against a contract: every failing field is named, with what it would accept."""

from typing import Any

from pydantic import BaseModel, ValidationError

from agents.contracts.fields import refuses_null
from agents.contracts.schemas import Schema
from agents.errors import ToolError

_MOST_ERRORS = 50
_DEEPEST = 64


def validate(model: type[BaseModel], arguments: object, schema: Schema) -> BaseModel:
    """Return the arguments as the model; raise ToolError `invalid_input` with all that is wrong.

    `schema` is the model's own, with nothing left outside it; the errors quote it.
    """
    if not isinstance(arguments, dict):
        raise _refused([_problem("", "is no JSON object", "an object")])
    unclean = _find_unclean(arguments)
    if unclean:
        raise _refused(unclean)
    try:
        # A field has the name that the contract writes, never also the one that Python needs.
        return model.model_validate(arguments, by_alias=True, by_name=False)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        raise _refused([_explain(item, schema) for item in found[:_MOST_ERRORS]]) from None


def pointer_to(path: tuple[int | str, ...]) -> str:
    """Return the JSON pointer (RFC 6901) of a path."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)


def describe(schema: Schema, root: Schema) -> str:
    """Return in words what a schema accepts: `an integer from 1 to 200`."""
    schema = _follow(schema, root)
    if "anyOf" in schema:
        return " or ".join(describe(option, root) for option in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(str(value) for value in schema["enum"])
    if "const" in schema:
        return str(schema["const"])
    if schema.get("type") == "object":
        return "an object with " + (", ".join(schema.get("properties", {})) or "no fields")
    return _describe_value(schema, root)


def _describe_value(schema: Schema, root: Schema) -> str:
    match schema.get("type"):
        case "integer":
            return "an integer" + _between(schema)
        case "number":
            return "a number" + _between(schema)
        case "string" if schema.get("format") == "date-time":
            return "an RFC 3339 time with an offset, such as 2026-03-02T12:00:00Z"
        case "string":
            return "a text" + (" that is not empty" if schema.get("minLength") else "")
        case "array":
            return f"a list, each item {describe(schema.get('items', {}), root)}"
        case "boolean":
            return "true or false"
        case "null":
            return "null"
    return "any JSON value"


def _between(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None and high is None:
        return ""
    if high is None:
        return f" from {low}"
    return f" up to {high}" if low is None else f" from {low} to {high}"


def _explain(item: Any, root: Schema) -> dict[str, str]:
    path = tuple(step for step in item["loc"] if not _is_branch(step))
    if item["type"] == "extra_forbidden":
        fields = _at(path[:-1], root).get("properties", {})
        return _problem(pointer_to(path), "is no field of this", "the fields " + ", ".join(fields))
    accepted = describe(_at(path, root), root)
    if item["type"] == "missing":
        return _problem(pointer_to(path), "is required", accepted)
    message = item["msg"] if item["type"] in {"timestamp", "value_error"} else "is not accepted"
    return _problem(pointer_to(path), message.removeprefix("Value error, "), accepted)


def _is_branch(step: int | str) -> bool:
    """Return True if this is pydantic's own name for a branch of a union, not that of a field."""
    return isinstance(step, str) and (step == "str" or "[" in step or "-" in step)


def _at(path: tuple[int | str, ...], root: Schema) -> Schema:
    """Return the part of the schema that the path leads to; empty where it knows none."""
    schema = _follow(root, root)
    for step in path:
        key = "items" if isinstance(step, int) else "properties"
        inner = _object_branch(schema, key, root).get(key, {})
        schema = _follow(inner if key == "items" else inner.get(step, {}), root)
    return schema


def _object_branch(schema: Schema, key: str, root: Schema) -> Schema:
    options = [_follow(option, root) for option in schema.get("anyOf", [schema])]
    return next((option for option in options if key in option), {})


def _follow(schema: Schema, root: Schema) -> Schema:
    ref = schema.get("$ref", "")
    return root["$defs"][ref.rpartition("/")[2]] if ref else schema


def _problem(pointer: str, message: str, accepted: str) -> dict[str, str]:
    return {"pointer": pointer, "message": message, "accepted": accepted}


def _refused(problems: list[dict[str, str]]) -> ToolError:
    first = problems[0]
    message = f"{first['pointer'] or 'The body'} {first['message']}"
    if len(problems) > 1:
        message += f" (and {len(problems) - 1} more)"
    return ToolError("invalid_input", message, {"errors": problems})


def _find_unclean(arguments: dict[str, Any]) -> list[dict[str, str]]:
    """Find texts that no database or mail can hold: NUL characters and halves of characters."""
    problems: list[dict[str, str]] = []
    waiting: list[tuple[tuple[int | str, ...], Any]] = [((), arguments)]
    while waiting and len(problems) < _MOST_ERRORS:
        path, value = waiting.pop()
        if len(path) > _DEEPEST:
            return [_problem(pointer_to(path[:3]), "is nested too deeply", f"{_DEEPEST} levels")]
        if isinstance(value, str) and _is_unclean(value):
            problems.append(_problem(pointer_to(path), _UNCLEAN, "whole Unicode text"))
        elif isinstance(value, dict):
            unclean_keys = [key for key in value if _is_unclean(key)]
            if unclean_keys:
                problems.append(_problem(pointer_to(path), "has a field name that " + _UNCLEAN, ""))
            waiting += [((*path, k), v) for k, v in value.items() if not _is_unclean(k)]
        elif isinstance(value, list):
            waiting += [((*path, index), item) for index, item in enumerate(value)]
    return problems


_UNCLEAN = "holds a NUL or half of a surrogate pair"


def _is_unclean(text: str) -> bool:
    if text.isascii():
        return "\0" in text
    return "\0" in text or any("\ud800" <= character <= "\udfff" for character in text)


def as_given(args: BaseModel) -> dict[str, Any]:
    """Return arguments as JSON with their defaults; what was left out and has none stays out.

    Its null would be refused where the stored call is read again.
    """
    dumped = args.model_dump(mode="json", by_alias=True)
    for name, field in type(args).model_fields.items():
        value, key = getattr(args, name), field.serialization_alias or field.alias or name
        if value is None and refuses_null(field.metadata):
            dumped.pop(key, None)
        elif isinstance(value, BaseModel):
            dumped[key] = as_given(value)
        elif isinstance(value, list):
            pairs = zip(value, dumped[key], strict=True)
            dumped[key] = [as_given(it) if isinstance(it, BaseModel) else raw for it, raw in pairs]
    return dumped
