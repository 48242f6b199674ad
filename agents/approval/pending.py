"""Calls that wait for a person: how they are stored, and what they answer meanwhile."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from pydantic import BaseModel

from agents import receipts
from agents.approval.answered import is_urgent
from agents.approval.plan import Plan, SealedMail
from agents.approval.status import find_obstacle, lock, publish_change, void
from agents.contracts import Effect, Tool
from agents.dispatching.canonical import CallArguments, canonical, digest
from agents.errors import ToolError
from agents.models import Agent, Approval, ApprovalState, Decision, HeldBy, Outcome, Receipt
from agents.models.approvals import SOON, ApprovalQuerySet
from agents.quotas.proposals import Standing, count_proposal
from agents.quotas.reads import READ_ON
from agents.receipts import ReceiptEntry
from calendar_app.operations.sent import find_calendar_drift
from inbox.actor import Actor
from inbox.background.traces import current_trace
from inbox.flags import Flag, as_json, in_order
from inbox.models import Submission
from inbox.reasons import ReasonText, say
from inbox.submission_states import SubmissionState

_ENDED = {
    ApprovalState.REJECTED: "A person rejected it",
    ApprovalState.RETURNED: "A person sent it back",
    ApprovalState.EXPIRED: "Nobody decided in time",
    ApprovalState.VOIDED: "What it was about has changed",
    ApprovalState.CANCELED: "A person took it back before it left",
}
# So long after it was sent back a message to the same people is taken to be its new version.
_ANSWERED_WITHIN = timedelta(days=3)
# A quota may hold so many times as much as may wait in the queue.
_HELD_BESIDES = 10
_OVER = frozenset(
    {
        SubmissionState.FAILED,
        SubmissionState.REJECTED,
        SubmissionState.CANCELED,
        SubmissionState.VOIDED,
        SubmissionState.EXPIRED,
    }
)


def hold(
    plan: Plan[Any],
    *,
    tool: Tool,
    actor: Actor,
    arguments: CallArguments,
    receipt: Receipt,
    reason: ReasonText,
    flags: Sequence[Flag] = (),
) -> Approval:
    """Store a call for a person to decide on, with what it would send sealed.

    `flags` are those of what it does, beside those of what is sealed. The same proposal again,
    whatever its key, finds the approval that waits already.
    """
    proposal = _identify(plan, tool, arguments, receipt)
    same = _already_waiting(actor, proposal)
    if same is not None:
        return same
    _refuse_too_many(actor)
    sealed = plan.seal()
    standing = count_proposal(actor, sealed, reason)
    approval = store(
        tool, actor, sealed, arguments=arguments, receipt=receipt, standing=standing,
        proposal=proposal, flags=flags,
    )  # fmt: skip
    if sealed:
        _hold_further(approval, actor, sealed.further, tool, arguments)
    if plan.activities:
        approval.activities.set(plan.activities)
    _take_place_of_returned(approval)
    return approval


def _refuse_too_many(actor: Actor) -> None:
    """Raise ToolError `conflict` where as much of the agent's waits as a person could ever read."""
    rows, most = Approval.objects.visible_to(actor), settings.APPROVALS_PER_AGENT
    for waiting, limit in ((rows.in_queue(), most), (rows.over_quota(), most * _HELD_BESIDES)):
        if waiting.order_by("-id")[limit - 1 : limit].exists():
            raise ToolError(
                "conflict",
                f"{limit} proposals of this agent wait for a person already",
                {"accepted": "another proposal once some of them were decided"},
            )


def store(
    tool: Tool,
    actor: Actor,
    sealed: SealedMail | None,
    *,
    arguments: CallArguments,
    receipt: Receipt,
    standing: Standing,
    proposal: str,
    flags: Sequence[Flag] = (),
    agent: Agent | None = None,
) -> Approval:
    """Store what waits, as proposed by the actor, or by the `agent` that stands in for a person."""
    submission = sealed.submission if sealed else None
    at_latest = timezone.now() + timedelta(hours=settings.APPROVAL_HOURS)
    expires_at = submission.expires_at if submission else at_latest
    approval = Approval.objects.create(
        workspace_id=actor.workspace_id,
        agent_id=agent.pk if agent else actor.id,
        tool=tool.name,
        arguments=arguments.whole,
        receipt=receipt,
        submission=submission,
        sha256=submission.sha256 if submission else arguments.sha256,
        proposal_sha256=proposal,
        held_by=standing.held_by,
        reason=standing.reason,
        risk_flags=as_json(in_order(flags)),
        checks_due=submission is not None,
        expires_at=expires_at,
        place_at=_place(actor, submission, expires_at),
        trace_parent=current_trace(),
    )
    if standing.held_by != HeldBy.WRITER:
        publish_change(approval, "created")
    return approval


def _place(actor: Actor, submission: Submission | None, expires_at: datetime) -> datetime:
    """Return where it stands: when it expires, or with what expires soon where the mail presses."""
    if submission is None or not is_urgent(actor, submission):
        return expires_at
    return min(expires_at, timezone.now() + SOON)


def _hold_further(
    approval: Approval,
    actor: Actor,
    further: tuple[SealedMail, ...],
    tool: Tool,
    arguments: CallArguments,
) -> None:
    """Store the further messages of a call for a person, each with a receipt of its own.

    Those of the same call before, whose first mail was decided, make way for them.
    """
    names = [digest(f"{approval.proposal_sha256}:{place}") for place in range(len(further))]
    for waiting in _waiting(actor).filter(proposal_sha256__in=names):
        void(lock(waiting), [say("newer_of_same")])
    entry = ReceiptEntry(tool.name, arguments, approval.reason, decision=Decision.HOLD)
    for name, sealed in zip(names, further, strict=True):
        receipt = receipts.open_receipt(actor, entry)
        other = store(
            tool, actor, sealed, arguments=arguments, receipt=receipt,
            standing=Standing(approval.held_by, approval.reason), proposal=name,
        )  # fmt: skip
        receipts.close(receipt, outcome=Outcome.HELD, approval=other.public_id)


def _identify(plan: Plan[Any], tool: Tool, arguments: CallArguments, receipt: Receipt) -> str:
    """Return what the same proposal again has too: the hash of what it says.

    A message is the same whichever tool proposes it; the rest belongs to its tool. That an agent
    would read on is one proposal, but for calls whose key promises them their own answer.
    """
    if tool.effect is Effect.READ and receipt.idempotency_key is None:
        return READ_ON
    if plan.content is not None:
        return digest(canonical(["letter", asdict(plan.content)]))
    return digest(f"{tool.name}:{arguments.sha256}")


def _already_waiting(actor: Actor, proposal: str) -> Approval | None:
    """Return the caller's approval of this proposal that a person still has to decide on.

    One that is out of date by now is ended. Of two proposals at once the second waits here until
    the first is stored.
    """
    list(Agent.objects.select_for_update(no_key=True).filter(pk=actor.id).only("pk"))
    found = _waiting(actor).filter(proposal_sha256=proposal).first()
    if found is None:
        return None
    current = lock(found)
    if find_obstacle(current, needs_no_drift=True) is not None:
        return None
    changes = find_calendar_drift(current.submission) if current.submission else []
    if changes:
        void(current, changes)
    return None if changes else current


def _waiting(actor: Actor) -> ApprovalQuerySet:
    rows = Approval.objects.visible_to(actor)
    return rows.filter(state=ApprovalState.WAITING)


def review_url(approval: Approval) -> str:
    """Return where a person decides on it."""
    return settings.BASE_URL + reverse("review", args=[approval.public_id])


def waits_for_a_person(approval: Approval) -> ToolError:
    """Return what a held call answers where its contract has no word for waiting."""
    return ToolError(
        "approval_required",
        "The call waits for a person; nothing was changed yet",
        {
            "approval_id": approval.public_id,
            "reason": approval.reason,
            "expires_at": approval.expires_at.isoformat(),
            "review_url": review_url(approval),
        },
    )


def answer_of(tool: Tool, approval: Approval) -> tuple[BaseModel | str, Approval]:
    """Return what a held call answers as things stand, and the approval that decides it.

    Raises ToolError where it waits without an answer, or will never run.
    """
    newest = approval.newest()
    if newest.state in _ENDED:
        raise ended(newest)
    if tool.plan is not None and tool.plan.sends:
        _refuse_when_over(newest, newest.submission)
        return tool.plan.answer(newest), newest
    if newest.state == ApprovalState.WAITING:
        raise waits_for_a_person(newest)
    done = Receipt.objects.filter(
        approval=newest.public_id, tool=tool.name, outcome=Outcome.OK
    ).exclude(answer_sha256="")
    return receipts.read_answer(done.select_related("answer").get()), newest


def ended(approval: Approval) -> ToolError:
    """Return what a held call answers that will never run."""
    words = _ENDED[ApprovalState(approval.state)]
    return ToolError(
        "conflict",
        f"{words}: {approval.note}" if approval.note else words,
        {"approval_id": approval.public_id, "state": approval.state, "note": approval.note},
    )


def _refuse_when_over(approval: Approval, submission: Submission | None) -> None:
    """Raise what became of mail that will not leave any more: it is neither queued nor sent."""
    if submission is None or submission.state not in _OVER:
        return
    code = "provider_error" if submission.state == SubmissionState.FAILED else "conflict"
    raise ToolError(
        code,
        submission.outcome or "The mail was not sent",
        {
            "approval_id": approval.public_id,
            "message_id": submission.message_public_id,
            "state": submission.state,
        },
    )


def _take_place_of_returned(approval: Approval) -> None:
    """Link what was sent back to the proposal that answers the feedback, and give it its place."""
    submission = approval.submission
    if submission is None:
        return
    returned = Approval.objects.filter(
        workspace_id=approval.workspace_id,
        agent_id=approval.agent_id,
        state=ApprovalState.RETURNED,
        replaced_by=None,
    ).order_by("-id")
    same = returned.filter(submission__draft_id=submission.draft_id).first()
    newest = same or returned.filter(_about_the_same(submission)).first()
    if newest is not None:
        newest.replaced_by = approval
        newest.save(update_fields=["replaced_by"])
        approval.place_at = newest.place_at
        approval.save(update_fields=["place_at"])


def _about_the_same(submission: Submission) -> Q:
    """Return what finds another draft about the same: in its thread, or alike from outside.

    Messages that start a thread are alike when they go to the same people under the same subject:
    one of both alone is also what the next invoice has, and the next message to a customer. A while
    later even such a message is a new one.
    """
    if submission.thread_id is not None:
        return Q(submission__thread_id=submission.thread_id)
    return Q(
        submission__thread=None,
        submission__account_id=submission.account_id,
        submission__envelope_to=submission.envelope_to,
        submission__draft__subject=submission.draft.subject,
        decided_at__gte=timezone.now() - _ANSWERED_WITHIN,
    )
