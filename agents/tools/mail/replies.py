"""Drafting a reply, and sending one, which a person approves."""

from functools import partial
from typing import Literal

from agents.approval.checks.risks import find_risks
from agents.approval.sealing import queued_fields
from agents.contracts import Effect, tool
from agents.contracts.fields import Closed, OrAbsent, WithRemarks
from agents.dispatching.rows import get_row, get_thread_row, newest_messages
from agents.errors import invalid
from agents.evidence.known import know
from agents.models import Approval
from agents.tools.mail.plans import MailPlan, content_of_draft, content_of_reply
from agents.tools.shapes import Id, PolicyId
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.flags import as_json
from inbox.models import Draft, ReplyPolicy, Thread
from inbox.operations.drafts.replying import ReplyPlan, plan_reply
from inbox.operations.drafts.writing import draft_reply, find_reply_draft, take_reply_draft
from inbox.policies import read_policy
from inbox.understanding import ReplyQuestion, understanding_of


class DraftReply(Closed):
    """Which thread to answer, by which policy, and to what end."""

    thread_id: Id
    policy_id: PolicyId
    goal: str


class DraftedReply(WithRemarks):
    """The text, what is risky about it, and what it rests on."""

    draft: str
    risk_flags: OrAbsent[list[str]] = None
    cited_message_ids: OrAbsent[list[Id]] = None
    needs_human_approval: OrAbsent[bool] = None


@tool(
    family="mail",
    domain="inbox",
    effect=Effect.WRITE,
    writes="drf",
    example={
        "thread_id": "thr_8fXoQ2mKpL",
        "policy_id": "pol_8fXoQ2mKpL",
        "goal": "Say that the offer comes on Friday and ask for the delivery address.",
    },
)
def draft_reply_with_policy(actor: Actor, args: DraftReply) -> DraftedReply:
    """Draft a reply to a thread that meets the goal and obeys the policy, and store it.

    By rules, from the thread alone. What of the goal is not understood is left out, and
    `low_confidence` is among the risk flags. What is missing is named beside the answer (a second
    text and `chancery/remarks` over MCP, the header `Chancery-Remarks` over REST), in the draft at
    `/api/v1/drafts` and in the approval.
    `send_reply` takes the text of the draft as it is given here, or its id, which `list_approvals`
    names once it was proposed.
    """
    thread = get_thread_row(actor, args.thread_id)
    policies = ReplyPolicy.objects.visible_to(actor)
    policy = get_row(policies, args.policy_id, "policy", "/policy_id")
    plan, rules = plan_reply(actor, thread), read_policy(policy.source)
    recipients = [address["email"] for address in plan.to]
    known = frozenset(know(actor, thread.workspace_id, recipients))
    question = ReplyQuestion(
        newest_messages(actor, thread), args.goal, policy, plan.identity, recipients, known
    )
    composed = understanding_of(thread.workspace_id).draft(question).value
    draft = draft_reply(
        actor=actor, thread=thread, body=composed.body, plan=plan, policy=policy, goal=args.goal,
        risk_flags=composed.risk_flags, cited=composed.cited,
    )  # fmt: skip
    risks = find_risks(actor, draft)
    raised = {risk.flag for risk in risks}
    Draft.objects.filter(pk=draft.pk).update(risk_flags=as_json(risks))
    return DraftedReply(
        draft=draft.body,
        risk_flags=sorted(raised),
        cited_message_ids=[message.public_id for message in composed.cited],
        needs_human_approval=rules.needs_approval(draft.body, raised, composed.confidence),
    ).with_remarks(risk.english for risk in composed.risk_flags if risk.flag == "low_confidence")


class SendReply(Closed):
    """What to send, and the key under which it is sent once."""

    thread_id: Id
    body_or_draft_id: str
    idempotency_key: str


class SentReply(Closed):
    """The message that the reply becomes, and whether it has left."""

    message_id: Id
    status: Literal["queued", "sent"]


class ReplyToThread(MailPlan[SentReply]):
    """A reply to a thread."""

    @classmethod
    def answer(cls, approval: Approval) -> SentReply:
        """Return the answer as the submission stands: `queued` until the server has taken it."""
        fields = queued_fields(approval)
        return SentReply(message_id=fields["message_id"], status=fields["status"])


@tool(
    family="mail",
    domain="comms",
    effect=Effect.SEND,
    example={
        "thread_id": "thr_8fXoQ2mKpL",
        "body_or_draft_id": "Thank you, it will be with you on Friday.",
        "idempotency_key": "reply-to-ada-1",
    },
)
def send_reply(actor: Actor, args: SendReply) -> ReplyToThread:
    """Reply to a thread: a person approves exactly these bytes before they leave, once.

    `body_or_draft_id` is the id or the exact text of a stored draft of this thread, or a new text.
    The answer is `queued` while it waits for a person or in the undo window; the same call with the
    same `idempotency_key` answers `sent` once it has left. `list_approvals` tells what was decided.
    """
    thread, text = get_thread_row(actor, args.thread_id), args.body_or_draft_id
    draft = find_reply_draft(actor=actor, thread=thread, body_or_draft_id=text)
    if draft is not None:
        return ReplyToThread(actor, content_of_draft(draft), partial(take_reply_draft, draft))
    plan = plan_reply(actor, thread)
    write = partial(_write, actor, thread, plan, text)
    return ReplyToThread(actor, content_of_reply(plan, text), write)


def _write(actor: Actor, thread: Thread, plan: ReplyPlan, text: str) -> Draft:
    try:
        return draft_reply(actor=actor, thread=thread, body=text, plan=plan)
    except DomainError as error:
        if error.field != "body":
            raise
        raise invalid("/body_or_draft_id", error.message, error.accepted) from error
