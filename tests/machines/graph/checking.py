"""Holds what comes and what goes against the declared types; nothing else may pass."""

import base64
import binascii
import re
from datetime import date
from typing import Any

from tests.machines.graph.declared import ENUMS, OWN, READ_ONLY, properties

_OFFSET = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,7})?(?:Z|[+-]\d\d:\d\d)")
_ANNOTATIONS = re.compile(
    r"@odata\.(?:etag|context|nextLink|deltaLink|count|type)|@removed"
    r"|(?:singleValueExtendedProperties|exceptionOccurrences)@odata\.context"
)


class RefusedError(Exception):
    """What Graph answers with an error."""

    def __init__(self, status: int, code: str, words: str) -> None:
        super().__init__(f"{status} {code}: {words}")
        self.status, self.code, self.words = status, code, words


def refuse(words: str, code: str = "ErrorInvalidRequest", status: int = 400) -> RefusedError:
    return RefusedError(status, code, words)


def check_body(kind: str, body: Any) -> None:
    """Raise RefusedError for what may not be written."""
    _check(kind, body, kind, writes=True)


def check_answer(kind: str, body: Any) -> None:
    """Raise AssertionError for an answer that Graph would not give."""
    try:
        _check(kind, body, kind, writes=False)
    except RefusedError as error:
        raise AssertionError(f"the stand-in answers wrongly: {error}") from error


def _check(kind: str, value: Any, where: str, *, writes: bool) -> None:
    if value is None:
        return
    if kind.startswith("["):
        _require(isinstance(value, list), where, "a collection")
        for each in value:
            _require(each is not None, where, "no null in a collection")
            _check(kind[1:-1], each, where, writes=writes)
    elif kind in ENUMS:
        _require(isinstance(value, str) and value in ENUMS[kind], where, kind)
    elif kind in OWN:
        _check_object(kind, value, where, writes=writes)
    else:
        _require(_is_plain(kind, value), where, kind)


def _check_object(kind: str, value: Any, where: str, *, writes: bool) -> None:
    _require(isinstance(value, dict), where, kind)
    known = properties(kind)
    for name, each in value.items():
        if not writes and _ANNOTATIONS.fullmatch(name):
            continue
        if name not in known:
            raise refuse(
                f"The property '{name}' does not exist on type 'microsoft.graph.{kind}'.",
                "RequestBodyRead",
            )
        if writes and kind in READ_ONLY and name in READ_ONLY[kind]:
            raise refuse(f"{where}/{name} is read-only", "ErrorInvalidPropertySet")
        _check(known[name], each, f"{where}/{name}", writes=writes)


def _require(holds: bool, where: str, wanted: str) -> None:
    if not holds:
        raise refuse(f"{where} has to be {wanted}", "RequestBodyRead")


def _is_plain(kind: str, value: Any) -> bool:
    if kind == "Boolean":
        return isinstance(value, bool)
    if kind in ("Int32", "Int64", "Double"):
        is_number = isinstance(value, int | float if kind == "Double" else int)
        return is_number and not isinstance(value, bool)
    if not isinstance(value, str):
        return False
    match kind:
        case "String":
            return True
        case "DateTimeOffset":
            return _OFFSET.fullmatch(value) is not None
        case "Date":
            return _is_date(value)
        case "Binary":
            return _is_base64(value)
    raise AssertionError(f"{kind} is no type")


def _is_date(text: str) -> bool:
    try:
        return len(text) == 10 and date.fromisoformat(text) is not None
    except ValueError:
        return False


def _is_base64(text: str) -> bool:
    try:
        return base64.b64decode(text, validate=True) is not None
    except binascii.Error:
        return False
