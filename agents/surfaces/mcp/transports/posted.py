"""What is posted to `/mcp`: where it comes from, what it is, and how it is refused."""

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS, InboundLadderRejection
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
)
from pydantic import ValidationError
from starlette.datastructures import Headers

from agents.errors import ToolError
from agents.surfaces.body_limit import Send
from agents.surfaces.request_body import parse_json

# Errors of our own, in the range that JSON-RPC leaves to servers.
_REFUSED = -32000


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer over HTTP: JSON, or nothing."""

    status: int
    body: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    # The body where it is written already.
    content: bytes = b""

    async def send(self, send: Send, more: dict[str, str]) -> None:
        """Send it, with more headers."""
        # Half of a character, which JSON can name, is not to break what names it back.
        content = self.content if self.body is None else json.dumps(self.body).encode()
        given = {**self.headers, **more, "content-length": str(len(content))}
        if content:
            given["content-type"] = "application/json"
        pairs = [(name.lower().encode(), text.encode()) for name, text in given.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": pairs})
        await send({"type": "http.response.body", "body": content})


class Refused(Exception):  # noqa: N818
    """A message that is not taken, with the reply that says why."""

    def __init__(
        self,
        status: int,
        code: int,
        message: str,
        *,
        data: Any = None,
        id: RequestId | None = None,  # noqa: A002
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        error: dict[str, Any] = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        self.reply = Reply(status, {"jsonrpc": "2.0", "id": id, "error": error}, headers or {})

    @classmethod
    def by_error(cls, error: ToolError, headers: dict[str, str] | None = None) -> "Refused":
        """Return the refusal that REST would give, as the data of the protocol's error."""
        more = dict(headers or {})
        if "retry_after" in error.details:
            more["retry-after"] = str(error.details["retry_after"])
        data = error.as_json()
        return cls(error.status, _REFUSED, error.message, data=data, headers=more)

    @classmethod
    def by_token(cls, error: ToolError, challenge: str) -> "Refused":
        """Return the refusal of a bearer (RFC 6750, section 3), or of one that calls too often."""
        if "retry_after" in error.details:
            return cls.by_error(error, {"retry-after": str(error.details["retry_after"])})
        return cls.by_error(error, {"www-authenticate": challenge})

    @classmethod
    def by_method(cls, method: str) -> "Refused":
        """Return the refusal of a method of HTTP: there are no streams, and no sessions to end."""
        error = ToolError(
            "method_not_allowed", "This address takes another method",
            {"method": method[:40], "accepted": "POST"},
        )  # fmt: skip
        return cls.by_error(error, {"allow": "POST"})

    @classmethod
    def by_ladder(cls, rejection: InboundLadderRejection, id: RequestId | None) -> "Refused":  # noqa: A002
        """Return the refusal of a request whose revision or headers do not fit."""
        status = ERROR_CODE_HTTP_STATUS.get(rejection.code, 400)
        return cls(status, rejection.code, rejection.message, data=rejection.data, id=id)


def check_source(headers: Headers) -> None:
    """Refuse what a page of another site may have sent, under a name that it had lead here."""
    host = headers.get("host", "")
    domain, _ = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        raise Refused(421, _REFUSED, "The Host is none of ours", data={"host": host[:200]})
    origin = headers.get("origin")
    if origin is None or origin in settings.MCP_ORIGINS:
        return
    if urlsplit(origin).netloc.lower() != host.lower():
        data = {"origin": origin[:200], "accepted": "the origins of CHANCERY_MCP_ORIGINS"}
        raise Refused(403, _REFUSED, "The Origin is none of ours", data=data)


def cross_origin(headers: Headers) -> dict[str, str]:
    """Return what lets a page of the settings' origins read an answer (Fetch, section 3.2)."""
    origin = headers.get("origin")
    if origin not in settings.MCP_ORIGINS:
        return {}
    return {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": _SENT_HEADERS,
        "access-control-expose-headers": "mcp-session-id, www-authenticate, retry-after",
        "vary": "origin",
    }


def check_media(headers: Headers) -> None:
    """Refuse what is no JSON, and who takes none."""
    given = headers.get("content-type", "")
    kind, _, parameters = given.partition(";")
    charset = parameters.strip().lower()
    if kind.strip().lower() != "application/json" or charset not in _CHARSETS:
        raise Refused.by_error(_unsupported("Content-Type", given, "application/json"))
    coding = headers.get("content-encoding", "identity")
    if coding.strip().lower() not in {"", "identity"}:
        raise Refused.by_error(_unsupported("Content-Encoding", coding, "identity"))
    if not _takes_json(headers.getlist("accept")):
        raise Refused(
            406, _REFUSED, "The answer is JSON",
            data={"header": "Accept", "accepted": "application/json, text/event-stream"},
        )  # fmt: skip


# What a page may send with a message.
_SENT_HEADERS = (
    "authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name"
)
_CHARSETS = frozenset({"", "charset=utf-8", "charset=utf8", 'charset="utf-8"'})
_JSON_RANGES = frozenset({"application/json", "application/*", "*/*"})


def _takes_json(accepted: list[str]) -> bool:
    ranges = [each.split(";") for given in accepted for each in given.split(",")]
    taken = (
        kind.strip().lower() in _JSON_RANGES and "q=0" not in {one.strip() for one in parameters}
        for kind, *parameters in ranges
    )
    return not accepted or any(taken)


def _unsupported(header: str, given: str, accepted: str) -> ToolError:
    words = f"The body is {given[:80] or 'of no media type'}"
    return ToolError("unsupported_media_type", words, {"header": header, "accepted": accepted})


def read_message(body: bytes) -> JSONRPCRequest | JSONRPCNotification:
    """Return a request or notification; raises Refused for all else, batches among it."""
    try:
        message = parse_json(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise Refused(400, PARSE_ERROR, "The body is no UTF-8") from None
    except ToolError as error:
        raise Refused(400, PARSE_ERROR, error.message, data=error.as_json()) from None
    if not isinstance(message, dict) or "method" not in message:
        raise Refused(400, INVALID_REQUEST, "The body is no single request or notification")
    kind = JSONRPCRequest if "id" in message else JSONRPCNotification
    try:
        return kind.model_validate(message)
    except ValidationError:
        raise Refused(
            400, INVALID_REQUEST, "The body is no JSON-RPC 2.0", id=_id_of(message)
        ) from None


def _id_of(message: dict[str, Any]) -> RequestId | None:
    known = message.get("id")
    return known if isinstance(known, str) or type(known) is int else None
