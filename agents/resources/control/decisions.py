"""What a person decides of an approval over HTTP; no agent can call it, whatever its scopes."""

from typing import Annotated, Any, Literal

from django.contrib.auth.models import User
from pydantic import Field

from agents.approval.decisions import Decision, MessageEdit, Verb, carry_out
from agents.approval.status import ApprovalError
from agents.contracts import DECISIONS, Effect, ToolError, tool
from agents.contracts.fields import Closed, Maybe
from agents.dispatching.rows import get_row
from agents.errors import invalid
from agents.resources.control.approvals import APPROVALS, WholeApproval
from agents.resources.mail.draft_changes import Body, Recipients, Subject
from agents.resources.shapes import shape_of
from agents.tools.shapes import Id
from inbox.actor import Actor

_LONGEST_WORDS = 4000
_EDITED = ("subject", "body", "to", "cc", "bcc")
# What goes with each decision: what it needs, and what it may have.
_FIELDS: dict[str, tuple[Verb, tuple[str, ...], tuple[str, ...]]] = {
    "approve": ("approve", ("sha256",), ()),
    "edit": ("edit_and_approve", ("sha256",), _EDITED),
    "reject": ("reject", ("reason",), ()),
    "send_back": ("send_back", ("feedback",), ()),
}
_CODES = {"not_allowed": "permission_denied", "invalid": "invalid_input"}
_Words = Annotated[str, Field(min_length=1, max_length=_LONGEST_WORDS)]
_Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class DecideApproval(Closed):
    """The decision: what is approved has the hash that the person was shown."""

    approval_id: Id
    decision: Literal["approve", "edit", "reject", "send_back"]
    # With `approve` and `edit`: the `sha256` of the approval as it was shown.
    sha256: Maybe[_Sha256] = None
    # With `reject`.
    reason: Maybe[_Words] = None
    # With `send_back`: what the agent is to change.
    feedback: Maybe[_Words] = None
    # With `edit`: how the message is to leave instead.
    subject: Maybe[Subject] = None
    body: Maybe[Body] = None
    to: Maybe[Recipients] = None
    cc: Maybe[Recipients] = None
    bcc: Maybe[Recipients] = None


@tool(family="resource", domain="control_plane", effect=Effect.WRITE, registry=DECISIONS)
def decide_approval(actor: Actor, args: DecideApproval) -> WholeApproval:
    """`POST /api/v1/approvals/{approval_id}/decision`: approve, edit, reject or send back.

    Only a person who is signed in decides, as an owner or reviewer of the workspace; a token is
    refused. `approve` and `edit` name the `sha256` that was shown, `reject` a `reason` and
    `send_back` the `feedback`. What was changed meanwhile, or decided, is a conflict.
    """
    if actor.kind != "person":
        raise ToolError("permission_denied", "A person decides")
    decision = _read_decision(args)
    found = get_row(APPROVALS.single(actor), args.approval_id, "approval", "/approval_id")
    try:
        outcome = carry_out(decision, approval=found, by=User.objects.get(pk=actor.id))
    except ApprovalError as error:
        raise _as_tool_error(error) from error
    return shape_of(WholeApproval, APPROVALS.single(actor).get(pk=outcome.pk))


def _read_decision(args: DecideApproval) -> Decision:
    verb, needed, allowed = _FIELDS[args.decision]
    given = args.model_dump(exclude={"approval_id", "decision"}, exclude_none=True)
    for name in needed:
        if name not in given:
            raise invalid(f"/{name}", f"is required to {args.decision}", "a text")
    for name in given:
        if name not in (*needed, *allowed):
            raise invalid(f"/{name}", f"does not go with {args.decision}", "no such field")
    edit: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in given.items() if name in _EDITED
    }  # fmt: skip
    words = args.reason or args.feedback or ""
    return Decision(verb, sha256=args.sha256 or "", words=words, edit=MessageEdit(**edit))


def _as_tool_error(error: ApprovalError) -> ToolError:
    """Return why it cannot be decided; `details.problem` is the approval's own word for it."""
    code = _CODES.get(error.code, "conflict")
    if code == "invalid_input":
        field = error.details.get("field", "")
        return invalid(f"/{field}" if field else "", error.message)
    if code == "permission_denied":
        return ToolError(code, error.message)
    return ToolError(code, error.message, {"problem": error.code, **error.details})
