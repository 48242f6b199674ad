"""Approvals in the shape in which LangGraph graphs interrupt for a person, and the answers to it.

The shape is that of `HumanInterrupt` and `HumanResponse` (langgraph.prebuilt.interrupt).
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from agents.approval.due import check_due
from agents.contracts.fields import Closed
from agents.contracts.flags import describe
from agents.contracts.schemas import document
from agents.contracts.validation import validate
from agents.errors import invalid
from agents.models import Approval, ApprovalState
from inbox.flags import read_flags
from inbox.models import Submission
from inbox.rfc5322.parse import parse_outgoing

_IGNORED = "A person let it be."


class ActionRequest(Closed):
    """What would be done: the tool, and what it would be done with."""

    action: str
    args: dict[str, Any]


class InterruptConfig(Closed):
    """Which answers a person may give."""

    allow_ignore: bool
    allow_respond: bool
    allow_edit: bool
    allow_accept: bool


class HumanInterrupt(Closed):
    """An approval, as a graph interrupts for it. `args` are what leaves, read from its bytes."""

    action_request: ActionRequest
    config: InterruptConfig
    description: str


class HumanResponse(Closed):
    """A person's answer: `args` are nothing, the feedback, or the action as it should be."""

    type: Literal["accept", "ignore", "response", "edit"]
    args: str | ActionRequest | None = None


class HumanResponses(Closed):
    """The answers to one interrupt: one."""

    answers: Annotated[list[HumanResponse], Field(min_length=1, max_length=1)]


_RESPONSES = document(HumanResponses, "chancery/interrupt.answers.json", "validation")
# What of a message an answer may change; what is left out stays.
EDITABLE = ("subject", "body", "to", "cc", "bcc")


def make_interrupt(approval: Approval) -> HumanInterrupt:
    """Return the interrupt that asks a person to decide on the approval.

    `approval.submission` is read whole: what is shown is what was sealed.
    """
    waits = approval.state == ApprovalState.WAITING
    submission = approval.submission
    return HumanInterrupt(
        action_request=ActionRequest(
            action=approval.tool,
            args=outgoing(submission) if submission else approval.arguments,
        ),
        config=InterruptConfig(
            allow_ignore=waits,
            allow_respond=waits,
            allow_edit=waits and submission is not None and submission.draft_id is not None,
            allow_accept=waits,
        ),
        description=describe_interrupt(approval),
    )


def read_answers(answers: object, approval: Approval) -> dict[str, Any]:
    """Return a person's answers (a list of one) as arguments of `decide_approval`.

    `accept` approves and `edit` changes and approves what is sealed; `response` sends it back with
    the text as feedback, `ignore` rejects it. Raises ToolError `invalid_input`.
    """
    read = validate(HumanResponses, {"answers": answers}, _RESPONSES)
    answer: HumanResponse = read.answers[0]  # type: ignore[attr-defined]
    if answer.type == "ignore":
        return {"decision": "reject", "reason": _IGNORED}
    if answer.type == "accept":
        return {"decision": "approve", "sha256": approval.sha256}
    if answer.type == "edit":
        return {"decision": "edit", "sha256": approval.sha256, **_read_edit(answer, approval)}
    if not isinstance(answer.args, str):
        raise invalid("/answers/0/args", "is no text", "the feedback")
    return {"decision": "send_back", "feedback": answer.args}


def _read_edit(answer: HumanResponse, approval: Approval) -> dict[str, Any]:
    asked = answer.args
    if not isinstance(asked, ActionRequest) or asked.action != approval.tool:
        accepted = f"the action {approval.tool} with its args"
        raise invalid("/answers/0/args", "is not the action that was asked about", accepted)
    submission = approval.submission
    shown = outgoing(submission) if submission else {}
    # What comes back as it was shown is no change, so that the file names may be left in.
    changed = {name: value for name, value in asked.args.items() if shown.get(name) != value}
    for name in changed:
        if name not in EDITABLE:
            accepted = f"changes of {', '.join(EDITABLE)}"
            raise invalid(f"/answers/0/args/args/{name[:100]}", "cannot be changed", accepted)
    return changed


def outgoing(submission: Submission) -> dict[str, Any]:
    """Return what would leave, from its sealed bytes and its envelope."""
    parsed = parse_outgoing(submission.mime_bytes)
    to, cc = [one.email for one in parsed.to], [one.email for one in parsed.cc]
    named = {email.lower() for email in (*to, *cc)}
    return {
        "from": submission.envelope_from,
        "to": to,
        "cc": cc,
        "bcc": [email for email in submission.envelope_to if email.lower() not in named],
        "subject": parsed.subject,
        "body": parsed.text,
        "attachments": [file.filename for file in parsed.attachments],
        "sha256": submission.sha256,
    }


def describe_interrupt(approval: Approval) -> str:
    """Return who asks for what, why it waits and what to look at, in words."""
    check_due([approval])
    raised = read_flags(approval.risk_flags)
    flags = "".join(f"\n- {flag.flag}: {describe(flag)}" for flag in raised)
    said = f"{approval.agent.name} asks for `{approval.tool}`. {approval.reason}"
    return f"{said}\n\nLook at:{flags}" if flags else said
