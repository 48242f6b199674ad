"""What a person writes in an editor, read: its content, or what is wrong with it and where."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inbox.extract import SchemaError, check_schema
from inbox.formats.refusals import of_json
from inbox.formats.yaml_source import SourceError
from inbox.reasons import ReasonText, of_error
from inbox.reasons import phrase as _


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a text cannot be read; `line` counts from 1, and is 0 where none is to blame."""

    message: ReasonText
    line: int = 0
    field: str = ""


def find_problem(text: str, read: Callable[[str], Any]) -> Problem | None:
    """Return what is wrong with a text that `read` takes or refuses with ValueError."""
    try:
        read(text)
    except SourceError as error:
        return Problem(error.message, error.line, error.field)
    except SchemaError as error:
        pointer = error.pointer
        return Problem(error.message, _line_of(pointer, text), pointer.strip("/"))
    except json.JSONDecodeError as error:
        return Problem(_("not JSON: %(why)s", why=of_json(error)), error.lineno)
    except RecursionError:
        return Problem(_("nested too deeply"))
    except ValueError as error:
        return Problem(of_error(error))
    return None


def read_schema(text: str) -> dict[str, Any]:
    """Return the JSON Schema that a text is; raises ValueError."""
    schema = json.loads(text)
    if not isinstance(schema, dict):
        raise SchemaError(_("a schema must be an object"))
    check_schema(schema)
    return schema


def _line_of(pointer: str, text: str) -> int:
    """Return about where a JSON pointer leads in a text: the line of the last name found."""
    place, line = 0, 0
    for step in pointer.split("/")[1:]:
        found = text.find(json.dumps(step.replace("~1", "/").replace("~0", "~")), place)
        if found >= 0:
            place, line = found + 1, text.count("\n", 0, found) + 1
    return line
