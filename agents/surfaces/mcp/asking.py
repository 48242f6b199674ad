"""Approvals by URL: a client that can open a page is given the one where a person decides.

Whatever the client says afterwards, only that page decides. What it says leads nowhere but back to
the same approval: each call that may be held gets an idempotency key, so that a repetition of it
is the same call.
"""

import secrets
from dataclasses import dataclass
from typing import Any

from django.core import signing
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    URL_ELICITATION_REQUIRED,
    ElicitRequest,
    ElicitRequestURLParams,
    InputRequiredResult,
)

from agents.contracts import Effect, ToolError
from agents.dispatching.canonical import canonical, digest, shorten
from agents.models import Outcome, Receipt
from agents.surfaces.mcp.callers import STATELESS, Caller

_SALT = "chancery.mcp.asked"
# The name under which a client answers; the answer itself decides nothing.
_QUESTION = "approval"


@dataclass(frozen=True, slots=True)
class Asked:
    """A call of a tool as it came; `state` is what we gave a client to send back with it."""

    caller: Caller
    name: str
    arguments: dict[str, Any]
    revision: str
    key: str | None = None
    state: str | None = None
    opens_urls: bool = False
    shows_cards: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """With which idempotency key a call is made, and whether it may end in a question."""

    key: str | None
    may_ask: bool


def prepare(asked: Asked) -> Attempt:
    """Return how to make a call; raises MCPError for a state that is none of ours."""
    if asked.state is not None:
        return Attempt(_read_state(asked), may_ask=False)
    if not asked.opens_urls or not _may_be_held(asked):
        return Attempt(asked.key, may_ask=False)
    given = asked.key or asked.arguments.get("idempotency_key")
    if given is not None:
        return Attempt(asked.key, may_ask=not _was_held(asked, given))
    if asked.revision == STATELESS:
        return Attempt(f"mcp-{secrets.token_hex(16)}", may_ask=True)
    return _prepare_in_session(asked)


def ask(asked: Asked, attempt: Attempt, approval: dict[str, str]) -> InputRequiredResult:
    """Return or raise (2025-11-25) the question that opens the approval's page."""
    words = (
        f"{asked.caller.actor.name} asks for {asked.name}, which waits for a person. "
        "Open the page to see exactly what it would do, and decide there."
    )
    url = approval["review_url"]
    if asked.revision != STATELESS:
        page = {"mode": "url", "message": words, "url": url,
                "elicitationId": approval["approval_id"]}  # fmt: skip
        raise MCPError(URL_ELICITATION_REQUIRED, words, {"elicitations": [page], **approval})
    question = ElicitRequest(params=ElicitRequestURLParams(message=words, url=url))
    return InputRequiredResult(
        input_requests={_QUESTION: question}, request_state=_write_state(asked, attempt)
    )


def _may_be_held(asked: Asked) -> bool:
    """Return True if the call may wait for a person; False too for one that cannot be resolved."""
    declared = asked.caller.profile.find(asked.name)
    try:
        tool = declared.resolve(asked.arguments).tool if declared else None
    except ToolError:
        return False
    return tool is not None and tool.effect is not Effect.READ and tool.asks_a_person


def _was_held(asked: Asked, key: object) -> bool:
    return Receipt.objects.filter(
        actor=asked.caller.actor.key, idempotency_key=str(key), outcome=Outcome.HELD
    ).exists()


def _prepare_in_session(asked: Asked) -> Attempt:
    """Take the same call in the same session for a repetition, once it has been held."""
    beginning = f"mcp-{asked.caller.session}-{_fingerprint(asked)[:32]}-"
    held = Receipt.objects.filter(
        actor=asked.caller.actor.key,
        # Every key with this beginning lies between these two, and the index finds them.
        idempotency_key__gte=beginning,
        idempotency_key__lt=f"{beginning}g",
        outcome=Outcome.HELD,
    )
    known: str | None = held.order_by("id").values_list("idempotency_key", flat=True).first()
    return Attempt(known or beginning + secrets.token_hex(8), may_ask=known is None)


def _fingerprint(asked: Asked) -> str:
    return digest(canonical(shorten({"tool": asked.name, "arguments": asked.arguments})))


def _write_state(asked: Asked, attempt: Attempt) -> str:
    return signing.dumps([asked.caller.actor.key, _fingerprint(asked), attempt.key], salt=_SALT)


def _read_state(asked: Asked) -> str | None:
    """Return the key of the call that was held; the state belongs to its caller and its call."""
    try:
        who, fingerprint, key = signing.loads(asked.state or "", salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        raise _bad_state() from None
    if who != asked.caller.actor.key or fingerprint != _fingerprint(asked):
        raise _bad_state()
    return str(key) if key is not None else None


def _bad_state() -> MCPError:
    return MCPError(INVALID_PARAMS, "requestState is none that was given for this call")
