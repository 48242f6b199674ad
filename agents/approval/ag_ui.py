"""Approvals in the shape in which a run of AG-UI is interrupted, and the entries that resume it.

The shapes are those of `RunFinishedOutcome`, `Interrupt` and `ResumeEntry` (AG-UI protocol 1.0,
Interrupts).
"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from agents.approval.interrupts import EDITABLE, describe_interrupt, outgoing
from agents.approval.pending import review_url
from agents.contracts.fields import Closed, OrAbsent
from agents.contracts.schemas import Schema, document
from agents.contracts.validation import validate
from agents.errors import invalid
from agents.models import Approval, ApprovalState

_LET_BE = "A person let it be."
_SAID_NO = "A person said no."
# Keys that we gave to calls ourselves are no ids of a model's.
_OURS = ("mcp-", "a2a-")


class _Camel(Closed):
    """A shape whose fields are written as AG-UI writes them."""

    model_config = ConfigDict(alias_generator=to_camel)


class AgUiInterrupt(_Camel):
    """What a run waits for: a person's decision. `metadata` has under `chancery` what would leave.

    `tool_call_id` is the key of the call, where its client gave one.
    """

    id: str
    reason: Literal["tool_call", "confirmation"]
    message: str
    tool_call_id: OrAbsent[str] = None
    response_schema: dict[str, Any]
    expires_at: str
    metadata: dict[str, Any]


class AgUiOutcome(_Camel):
    """How a run ends that proposed it: in an interrupt, or, once it is decided, without one."""

    type: Literal["interrupt", "success"]
    interrupts: OrAbsent[list[AgUiInterrupt]] = None


class AgUiAnswer(_Camel):
    """What a person says: yes or no, the message as it should be, or words for the agent."""

    approved: bool
    edited_args: dict[str, Any] | None = None
    feedback: str | None = None


class AgUiResume(_Camel):
    """An entry of a run's `resume`."""

    interrupt_id: str
    status: Literal["resolved", "cancelled"]
    payload: AgUiAnswer | None = None
    metadata: dict[str, Any] | None = None


class AgUiResumes(Closed):
    """The entries that resume one interrupt: one."""

    resume: Annotated[list[AgUiResume], Field(min_length=1, max_length=1)]


_RESUMES = document(AgUiResumes, "chancery/interrupt.resume.json", "validation")
_ADDRESSES: Schema = {"type": "array", "items": {"type": "string"}}
_EDITED: Schema = {
    "type": "object",
    "description": "All of the message as it should be, not only what changes.",
    "properties": {
        "subject": {"type": "string"}, "body": {"type": "string"}, "to": _ADDRESSES,
        "cc": _ADDRESSES, "bcc": _ADDRESSES,
    },
    "required": list(EDITABLE),
    "additionalProperties": False,
}  # fmt: skip


def make_outcome(approval: Approval) -> AgUiOutcome:
    """Return how the run ends that proposed the approval; `get_approval` has what was decided."""
    if approval.state != ApprovalState.WAITING:
        return AgUiOutcome(type="success")
    submission = approval.submission
    key = approval.receipt.idempotency_key or ""
    call_id = key if key and not key.startswith(_OURS) else None
    told = {
        "tool": approval.tool,
        "args": outgoing(submission) if submission else approval.arguments,
        "sha256": approval.sha256,
        "review_url": review_url(approval),
    }
    interrupt = AgUiInterrupt(
        id=approval.public_id,
        reason="tool_call" if call_id else "confirmation",
        message=describe_interrupt(approval),
        tool_call_id=call_id,
        response_schema=_answers_to(approval),
        expires_at=approval.expires_at.isoformat().replace("+00:00", "Z"),
        metadata={"chancery": told},
    )
    return AgUiOutcome(type="interrupt", interrupts=[interrupt])


def _answers_to(approval: Approval) -> Schema:
    """Return the schema of an answer; that it has `editedArgs` says that one may edit."""
    answers: Schema = {
        "approved": {"type": "boolean"},
        "feedback": {"type": "string", "description": "For the agent, with approved: false."},
    }
    submission = approval.submission
    if submission is not None and submission.draft_id is not None:
        answers["editedArgs"] = _EDITED
    return {
        "type": "object", "properties": answers, "required": ["approved"],
        "additionalProperties": False,
    }  # fmt: skip


def read_resume(resume: object, approval: Approval) -> dict[str, Any]:
    """Return a person's answer (`resume`, a list of one) as arguments of `decide_approval`.

    What is cancelled, or answered with no and without words, is rejected. Raises ToolError
    `invalid_input`.
    """
    read = validate(AgUiResumes, {"resume": resume}, _RESUMES)
    entry: AgUiResume = read.resume[0]  # type: ignore[attr-defined]
    if entry.interrupt_id != approval.public_id:
        raise invalid("/resume/0/interruptId", "is another interrupt's", approval.public_id)
    if entry.status == "cancelled":
        return {"decision": "reject", "reason": _LET_BE}
    if entry.payload is None:
        raise invalid("/resume/0/payload", "is required", "an answer by the responseSchema")
    return _read_answer(entry.payload, approval)


def _read_answer(answer: AgUiAnswer, approval: Approval) -> dict[str, Any]:
    if not answer.approved:
        if answer.edited_args is not None:
            raise invalid("/resume/0/payload/editedArgs", "goes with a yes", "approved: true")
        if answer.feedback:
            return {"decision": "send_back", "feedback": answer.feedback}
        return {"decision": "reject", "reason": _SAID_NO}
    if answer.feedback:
        raise invalid("/resume/0/payload/feedback", "goes with a no", "approved: false")
    leave = {"decision": "approve", "sha256": approval.sha256}
    if answer.edited_args is None:
        return leave
    return {**leave, "decision": "edit", **_read_edit(answer.edited_args, approval)}


def _read_edit(edited: dict[str, Any], approval: Approval) -> dict[str, Any]:
    """Return what an edit changes; whole as it is, nothing of it can be left out by mistake."""
    pointer = "/resume/0/payload/editedArgs"
    if approval.submission is None:
        raise invalid(pointer, "cannot be, for no mail waits", "an answer without it")
    for name in edited:
        if name not in EDITABLE:
            raise invalid(f"{pointer}/{name[:100]}", "cannot be changed", ", ".join(EDITABLE))
    for name in EDITABLE:
        if name not in edited:
            raise invalid(f"{pointer}/{name}", "is required", "the whole message")
    shown = outgoing(approval.submission)
    return {name: value for name, value in edited.items() if shown.get(name) != value}
