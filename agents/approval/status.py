"""How an approval stands: who may decide it, what has ended it, and what changed since."""

from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from agents import receipts
from agents.models import Approval, ApprovalState, Decision, HeldBy, Outcome, PlantedItem
from agents.receipts import ReceiptEntry
from inbox.actor import Actor, system_actor
from inbox.background.jobs import publish
from inbox.models import Membership, Role
from inbox.operations.sending.submissions import close_submission, find_drift, lock_submission
from inbox.reasons import ReasonText, say
from inbox.submission_states import SubmissionState

TELL = "tell_planted"


class ApprovalError(Exception):
    """Why a decision cannot be taken.

    `code` is not_waiting, expired, voided (`details["changes"]`), wrong_hash, too_late,
    invalid (`details["field"]`), flagged or not_allowed.
    """

    def __init__(
        self, code: str, message: ReasonText, details: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details or {}


def lock(approval: Approval) -> Approval:
    """Return the approval as it stands, held until the transaction ends; the draft comes first."""
    if approval.submission_id is not None:
        lock_submission(approval.submission_id)
    rows = Approval.objects.select_for_update(of=("self",))
    return rows.select_related(
        "agent__person", "submission__draft", "first_approver", "planted"
    ).get(pk=approval.pk)


def find_obstacle(current: Approval, *, needs_no_drift: bool) -> ApprovalError | None:
    """Return why nothing can be decided of it any more; what ended it just now is marked so."""
    if current.state != ApprovalState.WAITING:
        return ApprovalError(
            "not_waiting", say("already", status=current.state), {"state": current.state}
        )
    if current.expires_at <= timezone.now():
        expire(current)
        return ApprovalError("expired", say("expired"))
    changes = find_changes(current) if needs_no_drift else []
    if changes:
        void(current, changes)
        return ApprovalError("voided", say("void", changes=changes), {"changes": changes})
    return None


def find_changes(current: Approval) -> list[ReasonText]:
    """Return what changed since it was proposed; empty: nothing."""
    submission = current.submission
    if submission is None:
        return []
    if submission.state == SubmissionState.VOIDED:
        return [submission.outcome or say("newer_proposal")]
    return find_drift(submission) if submission.state == SubmissionState.HELD else []


def void(current: Approval, changes: list[ReasonText]) -> None:
    """End it because of what has changed."""
    why = say("changes", changes=changes)
    end_submission(current, SubmissionState.VOIDED, why)
    _end_by_itself(current, ApprovalState.VOIDED, why, "void")


def expire(current: Approval) -> None:
    """End it because nobody decided."""
    end_submission(current, SubmissionState.EXPIRED, say("nobody_decided"))
    _end_by_itself(current, ApprovalState.EXPIRED, say("nobody_decided"), "expire")


def wait_again(approval: Approval) -> None:
    """Have an approval wait once more whose submission is held again; in the caller's transaction.

    What it was approved for did not leave, as far as this database knows.
    """
    current = lock(approval)
    submission = current.submission
    if submission is None or submission.state != SubmissionState.HELD:
        return
    was_approved = current.state == ApprovalState.APPROVED
    if not was_approved and current.state != ApprovalState.WAITING:
        return
    words = submission.outcome
    Approval.objects.filter(pk=current.pk).update(
        state=ApprovalState.WAITING, decided_by=None, decided_at=None, note=words,
        first_approver=None, first_approved_at=None, expires_at=submission.expires_at,
        snoozed_until=None, batch=None,
    )  # fmt: skip
    if was_approved:
        current.state = ApprovalState.WAITING
        publish_change(current, "created")
        entry = ReceiptEntry(
            tool="hold_again", arguments={"approval_id": current.public_id}, reason=words,
            approval=current.public_id,
        )  # fmt: skip
        receipts.record(system_actor(current.workspace_id, "Chancery"), entry)


def _end_by_itself(current: Approval, state: str, words: ReasonText, action: str) -> None:
    Approval.objects.filter(pk=current.pk, state=ApprovalState.WAITING).update(
        state=state, note=words
    )
    current.state, current.note = state, words
    publish_change(current, state)
    entry = ReceiptEntry(
        tool=action, arguments={"approval_id": current.public_id}, approval=current.public_id,
        reason=words,
    )  # fmt: skip
    receipts.record(system_actor(current.workspace_id, "Chancery"), entry)
    tell_undecided(current)


def tell_planted(current: Approval, actor: Actor, words: ReasonText, **arguments: Any) -> None:
    """Write the receipt that a locked approval was planted, and note that it is written."""
    given = {"approval_id": current.public_id} | arguments
    entry = ReceiptEntry(tool=TELL, arguments=given, approval=current.public_id, reason=words)
    receipts.record(actor, entry)
    note_told(current)


def tell_undecided(current: Approval) -> None:
    """Write it of one that is over and that no person decided on; do nothing of a real one."""
    if current.planted_item is not None:
        tell_planted(
            current, system_actor(current.workspace_id, "Chancery"), say("planted_undecided")
        )


def note_told(current: Approval) -> None:
    """Note that it is written, by which it is looked for no more."""
    item: PlantedItem = current.planted_item
    item.told_at = timezone.now()
    item.save(update_fields=["told_at"])


def publish_change(approval: Approval, change: str) -> None:
    """Publish what became of an approval: created, extended, decided and so on."""
    payload = {"approval_id": approval.pk, "state": str(approval.state)}
    publish(f"approval.{change}", payload, workspace_id=approval.workspace_id)


def end_submission(current: Approval, state: Any, outcome: ReasonText) -> None:
    """End what it would send, where that still waits."""
    submission = current.submission
    if submission is not None and submission.state == SubmissionState.HELD:
        close_submission(submission=submission, state=state, outcome=outcome)


def check_person(approval: Approval, by: User, *, even_proposer: bool = False) -> None:
    """Raise ApprovalError unless this person may decide here; the attempt leaves a receipt.

    `even_proposer`: what is decided is no leave to send, so that who proposed it may say it too.
    """
    refusal = ReasonText()
    if not decides_in(approval.workspace_id, by):
        refusal = say("not_a_decider")
    elif approval.held_by == HeldBy.WRITER and approval.agent.person_id != by.pk:
        refusal = say("anothers_own")
    elif not even_proposer and _is_proposer(approval, by):
        refusal = say("own_proposal")
    if refusal:
        receipts.record(
            person_actor(approval, by),
            ReceiptEntry(
                tool="decide", arguments={"approval_id": approval.public_id}, reason=refusal,
                approval=approval.public_id, decision=Decision.DENY, outcome=Outcome.ERROR,
                error_code="permission_denied",
            ),
        )  # fmt: skip
        raise ApprovalError("not_allowed", refusal)


def decides_in(workspace_id: int, by: User) -> bool:
    """Return True if this person may decide on what waits in a workspace."""
    return by.is_active and role_in(workspace_id, by) in {Role.OWNER, Role.REVIEWER}


def role_in(workspace_id: int, by: User) -> str:
    """Return what this person is in a workspace; empty where they are nothing there."""
    rows = Membership.objects.filter(user=by, workspace_id=workspace_id)
    return rows.values_list("role", flat=True).first() or ""


def _is_proposer(approval: Approval, by: User) -> bool:
    """Return True if what this person wants to decide is theirs to propose alone.

    Their own message they write and seal; where a policy wants two persons, the other is another.
    """
    if approval.agent.person_id is not None:
        return False
    submission = approval.submission
    return submission is not None and submission.proposed_by == f"person:{by.pk}"


def person_actor(approval: Approval, by: User) -> Actor:
    """Return the person as an actor in the approval's workspace."""
    return Actor(
        kind="person", id=by.pk, name=by.get_username(), workspace_ids=(approval.workspace_id,)
    )
