"""What YAML, JSON, JSON Schema and pydantic refuse, in sentences of ours.

Of what has no sentence here, the library's own words are quoted. Each is the end of a text that
begins with the line and the field.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from jsonschema.exceptions import SchemaError as NotASchema
from pydantic_core import ErrorDetails

from inbox.reasons import ReasonText, of_error
from inbox.reasons import phrase as _

LONGEST_WORDS = 300
_LONGEST_VALUE = 80
_JSON_TYPES = "array, boolean, integer, null, number, object, string"

# By how PyYAML names the problem; what it says of a character is the parameter.
_YAML: Final[tuple[tuple[re.Pattern[str], ReasonText], ...]] = (
    (
        re.compile(r"mapping values are not allowed"),
        _("a colon and a space start another field here; put a text with both in quotes"),
    ),
    (
        re.compile(r"found character '\\t'"),
        _("a tab is used where only spaces are allowed; indent with spaces"),
    ),
    (
        re.compile(r"cannot start any token"),
        _("no value starts with this character; put the text in quotes"),
    ),
    (re.compile(r"found unexpected end of stream"), _("a text in quotes does not end")),
    (re.compile(r"could not find expected ':'"), _("a field has no colon after its name")),
    (
        re.compile(r"expected <block end>"),
        _("this line is not indented like the ones it belongs to"),
    ),
    (re.compile(r"expected ',' or '\]'"), _("a list in brackets lacks a comma or its end")),
    (re.compile(r"expected ',' or '\}'"), _("a mapping in braces lacks a comma or its end")),
    (re.compile(r"expected the node content"), _("a value is missing")),
    (
        re.compile(r"found unknown escape character"),
        _("a backslash in double quotes starts something YAML does not know; use single quotes"),
    ),
    (re.compile(r"found another document"), _("it contains more than one document (---)")),
    (re.compile(r"could not determine a constructor"), _("tags (!name) are not allowed")),
    (re.compile(r"found unhashable key"), _("the name of a field must be text")),
    (re.compile(r"special characters are not allowed"), _("a character is not allowed")),
    (re.compile(r"expected '<document start>'"), _("there is more text after the end")),
)
_JSON: Final[Mapping[str, ReasonText]] = {
    "Expecting value": _("a value is missing"),
    "Expecting property name enclosed in double quotes": _(
        "the name of a field is missing, or has no double quotes"
    ),
    "Expecting ',' delimiter": _("a comma is missing"),
    "Expecting ':' delimiter": _("a field has no colon after its name"),
    "Extra data": _("there is more text after the end"),
    "Unterminated string starting at": _("a text in quotes does not end"),
    "Invalid control character at": _("a text contains a line break or control character"),
    "Invalid \\escape": _("a backslash starts something JSON does not know"),
    "Illegal trailing comma before end of object": _("there is a comma before the end"),
    "Illegal trailing comma before end of array": _("there is a comma before the end"),
}
_MUST_BE: Final[Mapping[str, ReasonText]] = {
    "string_type": _("must be a text"),
    "int_type": _("must be an integer"),
    "int_from_float": _("must be an integer"),
    "float_type": _("must be a number"),
    "finite_number": _("must be a finite number"),
    "bool_type": _("must be true or false"),
    "list_type": _("must be a list"),
    "dict_type": _("must be a mapping of fields"),
    "model_type": _("must be a mapping of fields"),
}


def quote(words: object) -> ReasonText:
    """Return a library's own words as what they are."""
    return _("as the library puts it: “%(words)s”", words=str(words)[:LONGEST_WORDS])


def of_yaml(error: Exception) -> ReasonText:
    """Return what YAML does not take; the words of other errors are quoted."""
    words = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    found = (reason for pattern, reason in _YAML if pattern.search(str(words)[:LONGEST_WORDS]))
    return next(found, None) or quote(words)


def of_json(error: json.JSONDecodeError) -> ReasonText:
    """Return what is no JSON."""
    return _JSON.get(error.msg) or quote(error.msg)


# -- pydantic --------------------------------------------------------------------------------------
def of_pydantic(problem: ErrorDetails) -> ReasonText:
    """Return what a field does not take, by the code of the problem."""
    kind, context = problem["type"], problem.get("ctx", {})
    if kind in _MUST_BE:
        return _MUST_BE[kind]
    if kind == "value_error":
        return of_error(context["error"])
    if kind == "missing":
        return _("the field %(name)s is required", name=problem["loc"][-1])
    if kind == "literal_error":
        return _("must be one of %(values)s", values=context["expected"].replace(" or ", ", "))
    if kind in _LIMITS:
        return _LIMITS[kind](context)
    return quote(problem["msg"])


_LIMITS: Final[Mapping[str, Callable[[Mapping[str, Any]], ReasonText]]] = {
    "too_short": lambda it: _least_entries(it["min_length"]),
    "too_long": lambda it: _("must have at most %(most)s entries", most=it["max_length"]),
    "string_too_short": lambda it: _(
        "must have at least %(least)s characters", least=it["min_length"]
    ),
    "string_too_long": lambda it: _("must have at most %(most)s characters", most=it["max_length"]),
    "string_pattern_mismatch": lambda it: _must_match(it["pattern"]),
    "greater_than": lambda it: _more_than(it["gt"]),
    "greater_than_equal": lambda it: _no_less_than(it["ge"]),
    "less_than": lambda it: _("must be less than %(limit)s", limit=_plain(it["lt"])),
    "less_than_equal": lambda it: _(
        "must be less than or equal to %(limit)s", limit=_plain(it["le"])
    ),
}


def _plain(limit: Any) -> str:
    """Return a number without the point that says only that it may have one."""
    return str(int(limit)) if limit == int(limit) else str(limit)


def _least_entries(least: object) -> ReasonText:
    return _("must have at least %(least)s entries", least=least)


def _more_than(limit: object) -> ReasonText:
    return _("must be greater than %(limit)s", limit=_plain(limit))


def _no_less_than(limit: object) -> ReasonText:
    return _("must be greater than or equal to %(limit)s", limit=_plain(limit))


def _must_match(pattern: object) -> ReasonText:
    return _("must match %(pattern)s", pattern=str(pattern)[:LONGEST_WORDS])


# -- JSON Schema -----------------------------------------------------------------------------------
def of_json_schema(error: NotASchema) -> ReasonText:
    """Return what of a schema is none, by the keyword of the metaschema that refuses it."""
    keyword, wanted = str(error.validator), cast("Any", error.validator_value)
    value = repr(error.instance)[:_LONGEST_VALUE]
    if keyword == "anyOf" and list(error.absolute_path)[-1:] == ["type"]:
        return _("%(value)s is not a type; use one of %(types)s", value=value, types=_JSON_TYPES)
    if keyword == "type":
        types = [wanted] if isinstance(wanted, str) else list(wanted)
        return _("%(value)s is not of type %(types)s", value=value, types=types)
    if keyword == "format":
        return _("%(value)s is not in the format %(format)s", value=value, format=wanted)
    if keyword == "uniqueItems":
        return _("%(value)s contains an entry twice", value=value)
    known = _KEYWORDS.get(keyword)
    return known(wanted) if known else quote(error.message)


_KEYWORDS: Final[Mapping[str, Callable[[object], ReasonText]]] = {
    "minimum": _no_less_than,
    "exclusiveMinimum": _more_than,
    "minItems": _least_entries,
    "pattern": _must_match,
}
