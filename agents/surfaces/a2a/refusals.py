"""Errors of the protocol, as JSON-RPC has them (A2A 1.0, sections 5.4 and 9.5)."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.errors import ToolError

_DOMAIN = "a2a-protocol.org"
_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_FIELDS = "type.googleapis.com/google.rpc.BadRequest"
# What each is called, and its code.
CODES = {
    "JSON_PARSE": -32700,
    "INVALID_REQUEST": -32600,
    "METHOD_NOT_FOUND": -32601,
    "INVALID_PARAMS": -32602,
    "INTERNAL_ERROR": -32603,
    "TASK_NOT_FOUND": -32001,
    "TASK_NOT_CANCELABLE": -32002,
    "PUSH_NOTIFICATION_NOT_SUPPORTED": -32003,
    "UNSUPPORTED_OPERATION": -32004,
    "CONTENT_TYPE_NOT_SUPPORTED": -32005,
    "VERSION_NOT_SUPPORTED": -32009,
    # What the protocol leaves to HTTP; its status says it as well.
    "UNAUTHENTICATED": -32050,
    "RATE_LIMITED": -32051,
    "REFUSED": -32052,
}


class RpcError(Exception):
    """A refusal of a request: a name of `CODES`, words, and what it is about."""

    def __init__(
        self,
        reason: str,
        message: str,
        about: Mapping[str, str] | None = None,
        fields: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.about = dict(about or {})
        self.fields = fields

    def as_json(self) -> dict[str, Any]:
        """Return the error object of JSON-RPC."""
        data: list[dict[str, Any]] = [
            {"@type": _INFO, "reason": self.reason, "domain": _DOMAIN, "metadata": self.about}
        ]
        if self.fields:
            named = [{"field": field, "description": words} for field, words in self.fields]
            data.append({"@type": _FIELDS, "fieldViolations": named})
        return {"code": CODES[self.reason], "message": self.message, "data": data}


def bad_field(field: str, words: str) -> RpcError:
    """Return the refusal of one field, `message.parts.0.text`, by what would be accepted."""
    return RpcError("INVALID_PARAMS", f"{field} {words}", fields=[(field, words)])


def no_task(task_id: str) -> RpcError:
    """Return the refusal of a task that is not there, or not the caller's."""
    return RpcError("TASK_NOT_FOUND", "There is no such task", {"taskId": task_id[:100]})


def by_tool_error(error: ToolError) -> RpcError:
    """Return a refusal of ours as one of the protocol's."""
    about = {"code": error.code, **_plain(error.details)}
    reason = {"unauthenticated": "UNAUTHENTICATED", "rate_limited": "RATE_LIMITED",
              "invalid_input": "INVALID_PARAMS", "internal": "INTERNAL_ERROR"}  # fmt: skip
    fields = [
        (problem["pointer"].strip("/").replace("/", "."), f"{problem['message']}; "
         f"accepted: {problem.get('accepted', '')}")
        for problem in error.details.get("errors", ())
    ]  # fmt: skip
    return RpcError(reason.get(error.code, "REFUSED"), error.message, about, fields)


def _plain(details: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(one) for name, one in details.items() if isinstance(one, str | int)}
