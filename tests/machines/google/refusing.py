"""How Google words what it does not do: the older interfaces (Calendar, Drive) and the newer."""

from typing import Any

_STATES = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    409: "ALREADY_EXISTS", 412: "FAILED_PRECONDITION", 429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL", 503: "UNAVAILABLE",
}  # fmt: skip
_ON_ORDER = {403: "rateLimitExceeded", 429: "rateLimitExceeded", 401: "authError"}


class Refused(Exception):  # noqa: N818
    """An answer that is an error; `reason` is Google's word for it."""

    def __init__(self, status: int, reason: str, words: str = "") -> None:
        super().__init__(reason)
        self.status, self.reason, self.words = status, reason, words or reason


def wording(status: int, reason: str, words: str, *, newer: bool) -> dict[str, Any]:
    """Return the JSON of an error."""
    if reason == "ordered":
        reason = _ON_ORDER.get(status, "backendError")
    error: dict[str, Any] = {"code": status, "message": words}
    if newer:
        error["status"] = _STATES.get(status, "UNKNOWN")
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        error["details"] = [{"@type": kind, "reason": reason, "domain": "googleapis.com"}]
    else:
        error["errors"] = [{"domain": "global", "reason": reason, "message": words}]
    return {"error": error}
