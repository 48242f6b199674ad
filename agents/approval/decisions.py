"""What a person says of an approval, whichever way it came in, and how it is carried out."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from django.contrib.auth.models import User

from agents.approval import lifecycle
from agents.approval.status import ApprovalError
from agents.models import Approval
from inbox.models import Draft
from inbox.reasons import say

Verb: TypeAlias = Literal["approve", "edit_and_approve", "reject", "send_back"]


@dataclass(frozen=True, slots=True)
class MessageEdit:
    """How a message should read instead; None leaves a field as it is."""

    subject: str | None = None
    body: str | None = None
    to: tuple[str, ...] | None = None
    cc: tuple[str, ...] | None = None
    bcc: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision: `words` are the reason or the feedback, `sha256` the hash of what was shown."""

    verb: Verb
    sha256: str = ""
    words: str = ""
    edit: MessageEdit = MessageEdit()


def carry_out(decision: Decision, *, approval: Approval, by: User) -> Approval:
    """Decide as this person; return the approval, or the one that took its place by an edit.

    Leave to send is given by the hash of what the person was shown. Raises ApprovalError.
    """
    if decision.verb == "reject":
        return lifecycle.reject(approval=approval, by=by, reason=decision.words)
    if decision.verb == "send_back":
        return lifecycle.send_back(approval=approval, by=by, feedback=decision.words)
    if decision.verb == "approve":
        return lifecycle.approve(approval=approval, by=by, sha256=decision.sha256)
    if decision.sha256 != approval.sha256:
        raise ApprovalError("wrong_hash", say("not_as_shown"))
    return _edit_and_approve(decision.edit, approval, by)


def _edit_and_approve(edit: MessageEdit, approval: Approval, by: User) -> Approval:
    if approval.submission is None:
        raise ApprovalError("not_allowed", say("no_mail"))
    draft: Draft = approval.submission.draft
    return lifecycle.edit_and_approve(
        approval=approval, by=by,
        subject=draft.subject if edit.subject is None else edit.subject,
        body=draft.body if edit.body is None else edit.body,
        to=draft.to if edit.to is None else edit.to,
        cc=draft.cc if edit.cc is None else edit.cc,
        bcc=draft.bcc if edit.bcc is None else edit.bcc,
    )  # fmt: skip
