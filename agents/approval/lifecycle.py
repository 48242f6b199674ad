"""What persons decide: approve, edit, reject, send back, undo.

Every decision is one transaction: the approval, what it lets happen, and the receipts.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from agents import receipts
from agents.approval import closing
from agents.approval.answered import close_answered, open_answered
from agents.approval.authority import check_agent, held_by_writer
from agents.approval.demands import (
    note_first,
    read_demands,
    refuse_unless_fresh,
    why_approved,
)
from agents.approval.due import check_due
from agents.approval.plan import Approved
from agents.approval.status import (
    ApprovalError,
    check_person,
    end_submission,
    find_obstacle,
    lock,
    person_actor,
    publish_change,
    void,
)
from agents.dispatching import dispatch
from agents.dispatching.spans import traced_decision, traced_resumption
from agents.errors import ToolError
from agents.models import Approval, ApprovalState, DecisionVerb, Outcome
from agents.oversight.measuring import measure, text_of
from agents.receipts import ReceiptEntry
from inbox.compose.outgoing import Recipient
from inbox.errors import DomainError
from inbox.flags import OF_CALLS, as_json, read_flags
from inbox.models import Draft, DraftStatus, Submission
from inbox.operations.drafts.writing import revise_draft
from inbox.operations.sending.delivery import settle_submission
from inbox.operations.sending.submissions import (
    SubmissionError,
    propose_submission,
    undo_submission,
)
from inbox.reasons import ReasonText, own, say
from inbox.submission_states import SubmissionState

__all__ = [
    "ApprovalError",
    "Batch",
    "approve",
    "edit_and_approve",
    "reject",
    "send_back",
    "settle",
    "undo",
]


class Batch(NamedTuple):
    """Several approved at once: each message waits at least so many seconds before it leaves."""

    id: UUID
    undo_seconds: int


def approve(*, approval: Approval, by: User, sha256: str, batch: Batch | None = None) -> Approval:
    """Let the stored call run, once: `sha256` is the hash of what the person was shown.

    With a `batch` it is approved together with others, and can be taken back with them. Where a
    policy wants two persons, the first one's word is noted, and it waits on.

    Raises ApprovalError; an approval found expired or void is marked so.
    """

    def decide(current: Approval) -> Approval:
        if sha256 != current.sha256:
            raise ApprovalError("wrong_hash", say("not_as_shown"))
        told = closing.tell_planted(current, by, DecisionVerb.APPROVED)
        return told or _approve(current, by, "approve", batch)

    return _decide(approval, by, decide)


def edit_and_approve(
    *,
    approval: Approval,
    by: User,
    subject: str,
    body: str,
    to: Iterable[Recipient],
    cc: Iterable[Recipient],
    bcc: Iterable[Recipient],
    may_raise_flags: bool = True,
) -> Approval:
    """Change the draft as this person, seal it anew and approve that; return the new approval.

    The proposal as it was is kept, voided and pointing to the new one. Raises ApprovalError: also
    `flagged`, with nothing done, where the edited message raises flags and may not, or where a
    policy then wants a fresh sign-in too.
    """
    to, cc, bcc = list(to), list(cc), list(bcc)

    def decide(current: Approval) -> Approval:
        said = closing.written_out(subject, body, [*to, *cc, *bcc])
        if told := closing.tell_planted(current, by, DecisionVerb.EDITED, said):
            return told
        submission = _submission_of(current)
        before = submission.draft_version
        draft = revise_draft(
            draft=submission.draft, author_key=person_actor(current, by).key,
            author_name=by.get_username(), subject=subject, body=body, to=to, cc=cc, bcc=bcc,
        )  # fmt: skip
        if draft.version == before:
            return _approve(current, by, "approve")
        edited = _propose_again(current, draft, by, "edit", ApprovalState.VOIDED)
        check_due([edited])
        if not may_raise_flags:
            refuse_unless_fresh(edited, by)
        return _approve(edited, by, "approve")

    return _decide(approval, by, decide)


def reject(*, approval: Approval, by: User, reason: str) -> Approval:
    """Refuse what waits, for good, with a reason that the agent can read."""

    def decide(current: Approval) -> Approval:
        words = _words(reason, "reason")
        told = closing.tell_planted(current, by, DecisionVerb.REJECTED)
        return told or closing.refuse(current, by, words)

    return _decide(approval, by, decide, needs_no_drift=False)


def send_back(*, approval: Approval, by: User, feedback: str) -> Approval:
    """Return what waits to its agent with feedback, which the draft keeps too."""

    def decide(current: Approval) -> Approval:
        words = _words(feedback, "feedback")
        if told := closing.tell_planted(current, by, DecisionVerb.RETURNED):
            return told
        end_submission(current, SubmissionState.CANCELED, say("sent_back", why=own(words)))
        if current.submission is not None:
            Draft.objects.filter(pk=current.submission.draft_id).update(
                status=DraftStatus.RETURNED, feedback=words, updated_at=timezone.now()
            )
        return closing.end(current, ApprovalState.RETURNED, words, by, "send_back")

    return _decide(approval, by, decide, needs_no_drift=False)


def undo(*, approval: Approval, by: User) -> Approval:
    """Take an approved message back within its undo window; return the approval that waits instead.

    What it answers, which approving it closed, is open again. Where its draft cannot wait again,
    because the agent may not send any more, it stays taken back all the same, and the canceled
    approval itself is returned.
    """
    check_person(approval, by)
    with transaction.atomic():
        current = lock(approval)
        if current.planted_item is not None:
            raise ApprovalError("not_waiting", say("planted_no_undo"))
        if current.state != ApprovalState.APPROVED:
            raise ApprovalError("not_waiting", say("cannot_be_undone", status=current.state))
        submission = _submission_of(current)
        try:
            undo_submission(submission=submission)
        except DomainError as error:
            raise _from_domain(error) from error
        person = person_actor(current, by)
        opened = open_answered(current, person)
        undone = _wait_again(current, submission, by)
        receipts.record_many(person, opened)
    approval.refresh_from_db()
    return undone


def settle(*, approval: Approval, by: User, sent: bool) -> Approval:
    """Record whether a message arrived whose fate the server never told, by the word of a person.

    Raises ApprovalError (`not_allowed`, or `not_waiting` where it is known already).
    """
    check_person(approval, by, even_proposer=True)
    person = by.get_username()
    words = say("said_arrived", person=person) if sent else say("said_lost", person=person)
    try:
        with transaction.atomic():
            settle_submission(submission=_submission_of(approval), sent=sent, by=by)
            receipts.record(
                person_actor(approval, by),
                ReceiptEntry(
                    tool="settle", reason=words, approval=approval.public_id,
                    arguments={"approval_id": approval.public_id, "sent": sent},
                ),
            )  # fmt: skip
    except DomainError as error:
        raise _from_domain(error) from error
    return approval


def _wait_again(current: Approval, submission: Submission, by: User) -> Approval:
    try:
        with transaction.atomic():
            draft = Draft.objects.get(pk=submission.draft_id)
            return _propose_again(current, draft, by, "undo", ApprovalState.CANCELED)
    except (DomainError, ApprovalError) as error:
        note = say("not_waiting_again", person=by.get_username(), why=own(error.message))
    return closing.cancel(current, by, note)


@traced_decision
def _decide(
    approval: Approval,
    by: User,
    decide: Callable[[Approval], Approval],
    *,
    needs_no_drift: bool = True,
) -> Approval:
    """Run a decision on the locked approval, unless it is over; what has ended it is kept.

    How it was taken is kept with it.
    """
    check_person(approval, by)
    check_due([approval])
    try:
        with transaction.atomic():
            current = lock(approval)
            obstacle = find_obstacle(current, needs_no_drift=needs_no_drift)
            text = text_of(current)
            decided = current if obstacle else decide(current)
            if obstacle is None:
                measure(current, decided, by, approval.sighting, text)
    except DomainError as error:
        raise _from_domain(error) from error
    except ToolError as error:
        obstacle = _void_what_cannot_run(approval, own(error.message))
    approval.refresh_from_db()
    if obstacle is not None:
        raise obstacle
    return decided


def _void_what_cannot_run(approval: Approval, why: ReasonText) -> ApprovalError:
    """End an approval whose call failed when it was resumed; all that it did was rolled back."""
    with transaction.atomic():
        current = lock(approval)
        if current.state == ApprovalState.WAITING:
            void(current, [why])
    return ApprovalError("voided", say("void", changes=[why]), {"changes": [why]})


def _approve(current: Approval, by: User, action: str, batch: Batch | None = None) -> Approval:
    """Mark it approved and resume the stored call through dispatch, which decides anew.

    Where a policy wants two persons, the first only has that noted.
    """
    tool, actor = check_agent(current)
    person = person_actor(current, by)
    demands = read_demands(person, [current])[current.pk]
    if batch is not None and demands.alone:
        raise ApprovalError("not_allowed", say("never_in_batch", policy=demands.named))
    if note_first(current, by, demands):
        return current
    closing.set_decided(current, ApprovalState.APPROVED, "", by)
    closed = close_answered(current, person)
    arguments = {"approval_id": current.public_id, "sha256": current.sha256}
    if batch is not None:
        Approval.objects.filter(pk=current.pk).update(batch=batch.id)
        arguments["batch_id"] = str(batch.id)
    approved = ReceiptEntry(
        tool=action, arguments=arguments, approval=current.public_id,
        reason=why_approved(current, by),
    )  # fmt: skip
    receipts.record_many(person, [approved, *closed])
    resume = traced_resumption(dispatch.resume)
    resume(Approved(current, batch.undo_seconds if batch else 0), tool, actor)
    return current


def _propose_again(old: Approval, draft: Draft, by: User, action: str, ends_as: str) -> Approval:
    """Seal the draft anew into a waiting approval that takes the old one's place."""
    _, actor = check_agent(old)
    receipt = receipts.open_receipt(
        person_actor(old, by), ReceiptEntry(tool=action, arguments={"approval_id": old.public_id})
    )
    submission, person = propose_submission(actor=actor, draft=draft), by.get_username()
    note = say("edited_by", person=person) if action == "edit" else say("undone_by", person=person)
    new = Approval.objects.create(
        workspace_id=old.workspace_id, agent=old.agent, tool=old.tool, receipt=receipt,
        arguments=_about(old.arguments, draft), submission=submission,
        # What a person changed is none that the agent proposed.
        proposal_sha256=old.proposal_sha256 if action == "undo" else "",
        sha256=submission.sha256, reason=old.reason,
        risk_flags=as_json([it for it in read_flags(old.risk_flags) if it.flag in OF_CALLS]),
        checks_due=True,
        expires_at=submission.expires_at, place_at=old.place_at, trace_parent=old.trace_parent,
        held_by=held_by_writer(old, again=action == "undo"),
    )  # fmt: skip
    receipts.close(
        receipt, outcome=Outcome.OK, approval=old.public_id,
        reason=note,
        result={"replaced_by": new.public_id, "message_id": submission.message_public_id},
    )  # fmt: skip
    Approval.objects.filter(pk=old.pk).update(
        state=ends_as, note=note, replaced_by=new,
        decided_by=old.decided_by or by, decided_at=old.decided_at or timezone.now(),
    )  # fmt: skip
    old.state = ends_as
    publish_change(old, "voided" if ends_as == ApprovalState.VOIDED else "decided")
    publish_change(new, "created")
    return lock(new)


def _about(arguments: dict[str, Any], draft: Draft) -> dict[str, Any]:
    """Return a call's arguments for the draft as it is now, where they name one."""
    named = "body_or_draft_id" in arguments
    return {**arguments, "body_or_draft_id": draft.public_id} if named else arguments


def _submission_of(current: Approval) -> Submission:
    if current.submission is None:
        raise ApprovalError("not_allowed", say("no_mail"))
    return current.submission


def _words(text: str, field: str) -> str:
    words = text.strip()
    if not words:
        raise ApprovalError("invalid", say(f"say_{field}"), {"field": field})
    return words


def _from_domain(error: DomainError) -> ApprovalError:
    if isinstance(error, SubmissionError):
        codes = {"not_held": "not_waiting", "damaged": "wrong_hash", "not_unknown": "not_waiting"}
        code = codes.get(error.problem, error.problem)
        return ApprovalError(code, own(error.message), {"changes": list(error.changes)})
    return ApprovalError("invalid", own(error.message), dict(error.details))
