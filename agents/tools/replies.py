"""Sending a reply, which a person seals."""

from typing import Literal

from agents.contracts import Effect, Seal, Sealed, ToolError, tool
from agents.errors import invalid
from agents.fields import Closed
from agents.provenance import find_risks
from agents.rows import get_thread_row
from agents.tools.shapes import Id
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.models import Draft, InboxStatus, Submission, Thread
from inbox.operations.drafts import draft_reply, find_reply_draft
from inbox.operations.submissions import propose_submission, release_submission
from inbox.submission_states import SubmissionState


class SendReply(Closed):
    """What to send, and the key under which it is sent once."""

    thread_id: Id
    body_or_draft_id: str
    idempotency_key: str


class SentReply(Closed):
    """The message that the reply becomes, and whether it has left."""

    message_id: Id
    status: Literal["queued", "sent"]


def seal_reply(actor: Actor, args: SendReply) -> Sealed:
    """Find or write the draft, check it, and seal it; raises ToolError `policy_blocked`."""
    thread = get_thread_row(actor, args.thread_id)
    if thread.inbox.status == InboxStatus.PAUSED:
        raise ToolError(
            "conflict", f"The inbox {thread.inbox.address} is paused: nothing leaves from it now"
        )
    draft = _find_or_write(actor, thread, args.body_or_draft_id)
    risks = find_risks(actor, draft)
    blocked = [risk for risk in risks if risk["flag"] == "policy_blocked"]
    if blocked:
        reasons = [risk["reason"] for risk in blocked]
        raise ToolError("policy_blocked", " ".join(reasons), {"risk_flags": blocked})
    return Sealed(propose_submission(actor=actor, draft=draft), risks)


def _find_or_write(actor: Actor, thread: Thread, text: str) -> Draft:
    try:
        found = find_reply_draft(actor=actor, thread=thread, body_or_draft_id=text)
        return found or draft_reply(actor=actor, thread=thread, body=text)
    except DomainError as error:
        if error.field != "body":
            raise
        raise invalid("/body_or_draft_id", error.message, error.accepted) from error


def answer_for_reply(submission: Submission) -> SentReply:
    """Return the answer as the submission stands: `queued` until the server has taken it."""
    sent = submission.state == SubmissionState.SENT
    return SentReply(message_id=submission.message_public_id, status="sent" if sent else "queued")


@tool(
    family="mail",
    domain="comms",
    effect=Effect.SEND,
    seal=seal_reply,
    answer_for=answer_for_reply,
    example={
        "thread_id": "thr_8fXoQ2mKpL",
        "body_or_draft_id": "Thank you, it will be with you on Friday.",
        "idempotency_key": "reply-to-ada-1",
    },
)
def send_reply(actor: Actor, args: SendReply, seal: Seal) -> SentReply:
    """Reply to a thread: a person approves exactly these bytes before they leave, once.

    `body_or_draft_id` is the id or the exact text of a stored draft of this thread, or a new text.
    The answer is `queued` while it waits for a person or in the undo window; the same call with the
    same `idempotency_key` answers `sent` once it has left. `list_approvals` tells what was decided.
    """
    released = release_submission(
        submission=seal.submission, approved_by=seal.approved_by, sha256=seal.sha256
    )
    return answer_for_reply(released)
