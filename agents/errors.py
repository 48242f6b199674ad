"""The one error of tools; each family's shape is made from it at the edge."""

import logging
from typing import Any

from inbox.errors import DomainError

log = logging.getLogger(__name__)

STATUSES = {
    "invalid_input": 400,
    "unauthenticated": 401,
    "permission_denied": 403,
    "fresh_login_required": 403,
    "approval_required": 403,
    "policy_blocked": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "conflict": 409,
    "idempotency_in_progress": 409,
    "precondition_failed": 412,
    "too_large": 413,
    "unsupported_media_type": 415,
    "idempotency_conflict": 422,
    "precondition_required": 428,
    "rate_limited": 429,
    "internal": 500,
    "provider_error": 502,
}


class ToolError(Exception):
    """What went wrong with a call: a code of `STATUSES`, words, and the fields concerned.

    `mesh_code` is the mesh contract's own word for it, where the usual one would not do.
    """

    def __init__(
        self,
        code: str,
        message: str,
        details: dict[str, Any] | None = None,
        mesh_code: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details or {}
        self.mesh_code = mesh_code

    @property
    def status(self) -> int:
        """The HTTP status."""
        return STATUSES[self.code]

    def as_json(self) -> dict[str, Any]:
        """Return the house form `{code, message, details}` (neuralmail/errors.json)."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        return {**body, "details": self.details} if self.details else body

    def inside(self, pointer: str) -> "ToolError":
        """Return the same error of arguments that stand below this JSON pointer."""
        details = dict(self.details)
        if "pointer" in details:
            details["pointer"] = pointer + details["pointer"]
        message = self.message
        if "errors" in details:
            details["errors"] = [_below(pointer, problem) for problem in details["errors"]]
            if message.startswith("/"):
                message = pointer + message
        return ToolError(self.code, message, details, self.mesh_code)


def _below(pointer: str, problem: dict[str, Any]) -> dict[str, Any]:
    named = problem.get("pointer")
    return problem if named is None else {**problem, "pointer": pointer + named}


def invalid(pointer: str, message: str, accepted: str = "") -> ToolError:
    """Return the error for one bad field, by its JSON pointer."""
    problem = {"pointer": pointer, "message": message}
    if accepted:
        problem["accepted"] = accepted
    return ToolError("invalid_input", f"{pointer or 'The body'} {message}", {"errors": [problem]})


def not_found(kind: str, pointer: str) -> ToolError:
    """Return the error for a row that does not exist, or that the caller may not see."""
    return ToolError("not_found", f"There is no such {kind}", {"pointer": pointer})


def from_domain(error: DomainError) -> ToolError:
    """Return an error of the domain as one of tools, its field as a JSON pointer."""
    pointer = f"/{error.field}" if error.field else ""
    if error.code == "not_found":
        return ToolError("not_found", error.message, {"pointer": pointer} if pointer else {})
    problem = {"pointer": pointer, "message": error.message, "accepted": error.accepted}
    known = {name: words for name, words in problem.items() if words}
    return ToolError(error.code, error.message, {"errors": [known]} if pointer else {})


def as_tool_error(tool: str, error: Exception) -> ToolError:
    """Return what the caller of a tool is told of an error; one that nobody foresaw is logged."""
    if isinstance(error, ToolError):
        return error
    if isinstance(error, DomainError):
        return from_domain(error)
    log.error("the tool %s failed", tool, exc_info=error)
    return ToolError("internal", "Something went wrong on our side; it has been logged")
