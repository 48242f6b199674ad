"""`tools/call`: one way in, and the answer, error and receipt that REST gives."""

import json
from dataclasses import replace
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, InputRequiredResult

from agents.approval.pending import review_url
from agents.contracts import Declared, ToolError
from agents.contracts.families import render_error
from agents.dispatching.answers import Answer
from agents.dispatching.dispatch import call, refuse_request
from agents.evidence.refs import read_refs
from agents.evidence.trust import as_told, read_trust
from agents.evidence.visibility import visible_refs
from agents.models import Approval
from agents.surfaces.mcp.apps.proposal import tell_proposal
from agents.surfaces.mcp.asking import Asked, ask, prepare
from agents.surfaces.mcp.callers import STATELESS, Caller
from agents.surfaces.mcp.listing import APPROVAL_FIELDS, WRAPPER, wraps
from agents.surfaces.mcp.profiles import profile_of
from agents.surfaces.mcp.transports.handler import PATH

# What a client may say with a call, and what is said with its answer.
KEY_FIELD = "chancery/idempotency-key"
RECEIPT_FIELD = "chancery/receipt"
APPROVAL_FIELD = "chancery/approval"
REPLAYED_FIELD = "chancery/replayed"
REMARKS_FIELD = "chancery/remarks"
TRUST_FIELD = "chancery/trust"


def answer_call(asked: Asked) -> CallToolResult | InputRequiredResult:
    """Run the tool; raises MCPError where there is no such tool or the request is none."""
    answer = answer_plainly(asked)
    return as_result(answer) if isinstance(answer, dict) else answer


def as_result(answer: dict[str, Any]) -> CallToolResult:
    """Return the answer of `answer_plainly` as the protocol's library has it, checked."""
    return CallToolResult.model_validate(answer, by_name=False)


def answer_plainly(asked: Asked) -> dict[str, Any] | InputRequiredResult:
    """Return what `answer_call` does, its result as it goes over the wire up to 2025-11-25."""
    declared = _find(asked)
    actor, registry = asked.caller.actor, asked.caller.profile.registry
    asked = replace(asked, arguments=registry.leave_out_nulls(asked.name, asked.arguments))
    attempt = prepare(asked)
    try:
        answer = call(
            asked.name,
            asked.arguments,
            actor,
            attempt.key,
            registry,
            standing=asked.caller.standing,
        )
    except ToolError as error:
        if attempt.may_ask and error.code == "approval_required":
            return ask(asked, attempt, _named_in(error))
        return _refused(asked, error, declared)
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
        words = f"Unknown tool: {asked.name[:100]}{_elsewhere(asked.name)}"
        raise MCPError(INVALID_PARAMS, words, error.as_json())
    return declared


def _elsewhere(name: str) -> str:
    """Return where a tool is that is not at this address; empty where there is none."""
    profile = profile_of(name)
    return f"; it is at {PATH}/{profile.name}" if profile else ""


def _answered(asked: Asked, answer: Answer) -> dict[str, Any]:
    meta: dict[str, Any] = {RECEIPT_FIELD: answer.receipt_id, **trust_meta(asked.caller, answer)}
    structured, text, more = json.loads(answer.json), answer.json, []
    if answer.remarks:
        meta[REMARKS_FIELD] = list(answer.remarks)
        more += [_text(remark) for remark in answer.remarks]
    if answer.replayed:
        meta[REPLAYED_FIELD] = True
    if answer.approval:
        meta[APPROVAL_FIELD] = about = _about(answer.approval)
        meta |= _card_of(asked, about)
        # Frameworks pass on the structured answer, or the first text, and drop the rest.
        structured = _naming(structured, about)
        text = json.dumps(structured, ensure_ascii=False, separators=(",", ":"))
        more.append(_text(_in_words(answer.approval)))
    if asked.revision != STATELESS and wraps(asked.caller.profile, asked.name):
        structured = {WRAPPER: structured}
    return {
        "_meta": meta, "content": [_text(text), *more], "isError": False,
        "structuredContent": structured,
    }  # fmt: skip


def _text(text: str) -> dict[str, str]:
    return {"text": text, "type": "text"}


def trust_meta(caller: Caller, answer: Answer) -> dict[str, Any]:
    """Return what is told of the texts that an answer shows, by their ids; nothing of no text."""
    # What it asked about may be what it may not see, and an answer may quote any id.
    refs = visible_refs(caller.actor, read_refs(answer.shown))
    if not refs:
        return {}
    told = read_trust(caller.actor.workspace_id, refs)
    return {TRUST_FIELD: {ref.public_id: as_told(trust) for ref, trust in told.items()}}


def _refused(asked: Asked, error: ToolError, declared: Declared) -> dict[str, Any]:
    """Return an error in the shape of its family; a model can read it and try again.

    It is text alone, for clients hold what is structured against the output schema; that of a tool
    whose calls may wait has room for what a waiting one answers.
    """
    body = render_error(error, declared)
    told = {"content": [_text(json.dumps(body, ensure_ascii=False))], "isError": True}
    if "review_url" not in error.details:
        return told
    about = _named_in(error)
    meta = {APPROVAL_FIELD: about, **_card_of(asked, about)}
    return {"_meta": meta, **told, "structuredContent": _naming(body, about)}


def _card_of(asked: Asked, about: dict[str, str]) -> dict[str, Any]:
    """Return what the card of a proposal shows, for clients that show one."""
    return tell_proposal(asked.caller.actor, about["approval_id"]) if asked.shows_cards else {}


def _naming(answer: dict[str, Any], about: dict[str, str]) -> dict[str, Any]:
    """Return an answer with the approval that it waits for beside its printed fields."""
    told = about | {"next": _next(about)}
    return answer | {name: told[name] for name in APPROVAL_FIELDS if name not in answer}


def _next(about: dict[str, str]) -> str:
    """Return what an agent does with what is held, as a model can follow it."""
    ask = f'get_approval with {{"approval_id": "{about["approval_id"]}"}} tells what became of it.'
    if about["state"] != "waiting":
        return ask
    return f"Do not send it again: a person decides at {about['review_url']}. {ask}"


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
