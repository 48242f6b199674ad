"""`tools/call`: one way in, and the answer, error and receipt that REST gives."""

import json
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, InputRequiredResult, TextContent

from agents.contracts import Declared, ToolError
from agents.contracts.families import render_error
from agents.dispatch import Answer, call, refuse_request
from agents.holding import review_url
from agents.models import Approval
from agents.surfaces.mcp.asking import Asked, ask, prepare
from agents.surfaces.mcp.callers import STATELESS
from agents.surfaces.mcp.listing import WRAPPER, wraps

# What a client may say with a call, and what is said with its answer.
KEY_FIELD = "chancery/idempotency-key"
RECEIPT_FIELD = "chancery/receipt"
APPROVAL_FIELD = "chancery/approval"
REPLAYED_FIELD = "chancery/replayed"


def answer_call(asked: Asked) -> CallToolResult | InputRequiredResult:
    """Run the tool; raises MCPError where there is no such tool or the request is none."""
    declared = _find(asked)
    attempt = prepare(asked)
    actor, registry = asked.caller.actor, asked.caller.profile.registry
    try:
        answer = call(asked.name, asked.arguments, actor, attempt.key, registry)
    except ToolError as error:
        if attempt.may_ask and error.code == "approval_required":
            return ask(asked, attempt, _named_in(error))
        return _refused(error, declared)
    if attempt.may_ask and answer.approval and not answer.replayed:
        return ask(asked, attempt, _about(answer.approval))
    return _answered(asked, answer)


def read_key(meta: dict[str, Any]) -> str | None:
    """Return the idempotency key of a request's `_meta`; raises MCPError where it is no text."""
    key = meta.get(KEY_FIELD)
    if key is not None and not isinstance(key, str):
        raise MCPError(INVALID_PARAMS, f"_meta {KEY_FIELD} is no text")
    return key


def _find(asked: Asked) -> Declared:
    declared = asked.caller.profile.find(asked.name)
    if declared is None:
        error = ToolError("not_found", "There is no such tool", {"tool": asked.name[:100]})
        refuse_request(asked.name, asked.caller.actor, error)
        raise MCPError(INVALID_PARAMS, f"Unknown tool: {asked.name[:100]}", error.as_json())
    return declared


def _answered(asked: Asked, answer: Answer) -> CallToolResult:
    meta: dict[str, Any] = {RECEIPT_FIELD: answer.receipt_id}
    content = [TextContent(text=answer.json)]
    if answer.replayed:
        meta[REPLAYED_FIELD] = True
    if answer.approval:
        meta[APPROVAL_FIELD] = _about(answer.approval)
        content.append(TextContent(text=_in_words(answer.approval)))
    structured = json.loads(answer.json)
    if asked.revision != STATELESS and wraps(asked.caller.profile, asked.name):
        structured = {WRAPPER: structured}
    return CallToolResult(content=[*content], structured_content=structured, _meta=meta)


def _refused(error: ToolError, declared: Declared) -> CallToolResult:
    """Return an error in the shape of its family; a model can read it and try again.

    It is text alone: clients hold what is structured against the output schema.
    """
    body = render_error(error, declared)
    meta = {APPROVAL_FIELD: _named_in(error)} if "review_url" in error.details else None
    text = json.dumps(body, ensure_ascii=False)
    return CallToolResult(content=[TextContent(text=text)], is_error=True, _meta=meta)


def _about(approval: Approval) -> dict[str, str]:
    return {
        "approval_id": approval.public_id,
        "review_url": review_url(approval),
        "state": approval.state,
    }


def _named_in(error: ToolError) -> dict[str, str]:
    named = error.details
    return {
        "approval_id": named["approval_id"], "review_url": named["review_url"], "state": "waiting"
    }  # fmt: skip


def _in_words(approval: Approval) -> str:
    if approval.state != "waiting":
        return f"The approval {approval.public_id} is {approval.state}."
    return (
        f"It waits for a person: the approval {approval.public_id}, decided at "
        f"{review_url(approval)}. get_approval tells what became of it."
    )
