"""Checking what was found against the schema: nothing is fetched, no pattern runs long."""

from collections.abc import Iterator
from typing import Any

import regex
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing import Registry

from inbox.extract.schemas import Schema, escape

PATTERN_TIMEOUT = 0.05
MOST_ERRORS = 50


def matches_pattern(pattern: str, text: str) -> bool:
    """Return True if the pattern is found in the text; one that takes too long is not."""
    try:
        return regex.search(pattern, text, timeout=PATTERN_TIMEOUT) is not None
    except (TimeoutError, regex.error):
        return False


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not matches_pattern(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: dict[str, Any], value: Any, _: Any
) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for pattern, schema in patterns.items():
            for name, child in value.items():
                if matches_pattern(pattern, name):
                    yield from validator.descend(child, schema, path=name, schema_path=pattern)


_Validator = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {"pattern": _pattern, "patternProperties": _pattern_properties}
)
_REGISTRY: Registry[Any] = Registry()


def validation_errors(schema: Schema, value: Any) -> list[str]:
    """Return what is wrong with the value, as `/pointer: words`, in the order of the pointers."""
    validator = _Validator(
        schema, format_checker=Draft202012Validator.FORMAT_CHECKER, registry=_REGISTRY
    )
    errors = [
        (
            f"{''.join(f'/{escape(step)}' for step in error.absolute_path) or '/'}: "
            f"{error.message[:300]}"
        )
        for _, error in zip(range(MOST_ERRORS), validator.iter_errors(value), strict=False)
    ]
    return sorted(dict.fromkeys(errors))


def is_valid(schema: Schema, value: Any) -> bool:
    """Return True if the value is what the schema asks for."""
    return not validation_errors(schema, value)
