"""Why a call was refused or failed: one class for each code that Chancery answers with."""

from typing import Any


class ChanceryError(Exception):
    """A call that was refused or failed; nothing was done, unless it says `internal`.

    `code`, `message` and `details` are as Chancery gives them; `details["errors"]` names each
    wrong argument by JSON pointer, and says what would be accepted. `status` is that of HTTP.
    """

    def __init__(self, code: str, message: str, details: dict[str, Any], status: int) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.details = details
        self.status = status


class InvalidInputError(ChanceryError):
    """An argument is not as the contract wants it."""


class UnauthenticatedError(ChanceryError):
    """There is no token, or it is unknown, expired or revoked."""


class PermissionDeniedError(ChanceryError):
    """The token lacks the scope, or the agent is paused."""


class NotFoundError(ChanceryError):
    """There is no such thing, or the token may not see it."""


class ConflictError(ChanceryError):
    """It does not go with how things stand now, or the key was used for another call."""


class PolicyBlockedError(ChanceryError):
    """The workspace's policy forbids it; nothing was proposed."""


class RateLimitedError(ChanceryError):
    """Too many calls; `retry_after` is in seconds."""

    @property
    def retry_after(self) -> float:
        """Return after how many seconds it may go on."""
        return float(self.details.get("retry_after", 1))


class ProviderError(ChanceryError):
    """A server behind Chancery could not be reached, or refused."""


class NotDecidedError(TimeoutError):
    """Nobody has decided in time; `approval_id` still waits, and can be asked for later."""

    def __init__(self, approval_id: str, seconds: float) -> None:
        super().__init__(f"nobody has decided on {approval_id} within {seconds:g} seconds")
        self.approval_id = approval_id


BY_CODE: dict[str, type[ChanceryError]] = {
    "invalid_input": InvalidInputError,
    "unauthenticated": UnauthenticatedError,
    "permission_denied": PermissionDeniedError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "idempotency_conflict": ConflictError,
    "idempotency_in_progress": ConflictError,
    "policy_blocked": PolicyBlockedError,
    "rate_limited": RateLimitedError,
    "provider_error": ProviderError,
}
# Of a family that has codes of its own.
BY_STATUS: dict[int, type[ChanceryError]] = {
    400: InvalidInputError,
    401: UnauthenticatedError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: ConflictError,
    429: RateLimitedError,
    502: ProviderError,
}


def read_error(body: Any, status: int, retry_after: str | None) -> ChanceryError:
    """Return the error that an answer tells, whatever the shape of its family."""
    code, message, details = "internal", f"Chancery answered {status}", {}
    if isinstance(body, dict) and isinstance(body.get("data"), dict) and "status" in body:
        body = {**body["data"], "message": body.get("message")}
    if isinstance(body, dict) and "error_code" in body:
        code, message = str(body["error_code"]), str(body.get("error"))
    elif isinstance(body, dict) and "code" in body:
        code, message = str(body["code"]), str(body.get("message"))
        details = dict(body.get("details") or {})
    if retry_after is not None:
        details.setdefault("retry_after", retry_after)
    kind = BY_CODE.get(code) or BY_STATUS.get(status, ChanceryError)
    return kind(code, message, details, status)
