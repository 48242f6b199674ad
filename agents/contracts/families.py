"""How each family of tools answers, and how it says no; the same on every surface."""

from typing import Any

from django.utils import timezone
from pydantic import BaseModel

from agents.contracts.plain import Plain
from agents.contracts.records import Tool
from agents.contracts.registry import Declared
from agents.errors import ToolError

# The mesh contract's words for our codes; what is not here is our code in capitals.
_MESH_CODES = {
    "invalid_input": "INVALID_PARAMETERS",
    "unauthenticated": "ACCESS_DENIED",
    "permission_denied": "ACCESS_DENIED",
    "approval_required": "ACCESS_DENIED",
    "policy_blocked": "ACCESS_DENIED",
    "not_found": "KEY_NOT_FOUND",
}


def render_answer(tool: Tool, answer: BaseModel | Plain[Any]) -> str:
    """Return a tool's answer as the JSON of its family."""
    if isinstance(answer, Plain):
        text = answer.as_json()
    else:
        text = answer.model_dump_json(by_alias=True, exclude_none=tool.has_absent_fields)
    if tool.family == "services":
        return f'{{"status":"success","data":{text},"message":null}}'
    return text


def render_error(error: ToolError, declared: Declared | None = None) -> dict[str, Any]:
    """Return an error in the shape of the family of what was called; the house's where None."""
    family = declared.family if declared else ""
    if family == "services":
        said = {name: value for name, value in error.as_json().items() if name != "message"}
        return {"status": "error", "data": said, "message": error.message}
    if family == "mesh" and declared:
        return _mesh_error(error, declared.name)
    return error.as_json()


def _mesh_error(error: ToolError, tool: str) -> dict[str, Any]:
    return {
        "error": _with_details(error),
        "error_code": mesh_code(error),
        "tool": tool,
        "timestamp": timezone.now().isoformat().replace("+00:00", "Z"),
    }


def mesh_code(error: ToolError) -> str:
    """Return the mesh contract's word for an error."""
    return error.mesh_code or _MESH_CODES.get(error.code, error.code.upper())


def _with_details(error: ToolError) -> str:
    """Return an error in words alone: the shape has no room for more."""
    problems = error.details.get("errors", [])
    accepted = [problem["accepted"] for problem in problems if problem.get("accepted")]
    waits = error.details.get("review_url")
    available = [row["name"] for row in error.details.get("available", []) if "name" in row]
    words = error.message
    if accepted:
        words += f"; accepted: {accepted[0]}"
    if available:
        words += f"; there are: {', '.join(available)}"
    if "more" in error.details:
        words += f"; {error.details['more']}"
    return f"{words}: {waits}" if waits else words
