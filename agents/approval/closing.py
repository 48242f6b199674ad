"""How a locked approval is ended by a person's word; each in the caller's transaction."""

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.utils import timezone

from agents import receipts
from agents.approval import status
from agents.approval.answered import open_answered
from agents.approval.status import ApprovalError, end_submission, person_actor, publish_change
from agents.models import Approval, ApprovalState, DecisionVerb, PlantedItem, PlantedVerdict
from agents.receipts import ReceiptEntry
from inbox.compose.outgoing import Recipient
from inbox.operations.sending.submissions import close_submission
from inbox.reasons import ReasonText, own, say
from inbox.submission_states import SubmissionState

_AGAINST = frozenset({DecisionVerb.REJECTED, DecisionVerb.RETURNED})


def refuse(current: Approval, by: User, words: str) -> Approval:
    """Reject it, for good, with what it would send; of a planted one nobody's verdict is taken."""
    end_submission(current, SubmissionState.REJECTED, say("rejected", why=own(words)))
    ended = end(current, ApprovalState.REJECTED, words, by, "reject")
    status.tell_undecided(ended)
    return ended


def take_back(current: Approval, by: User, words: ReasonText) -> Approval:
    """Keep approved mail from leaving; it does not wait again, and what it answers is open again.

    Raises SubmissionError where it is being sent already.
    """
    if current.submission is not None:
        close_submission(submission=current.submission, state="canceled", outcome=words)
    person = person_actor(current, by)
    opened = open_answered(current, person)
    canceled = cancel(current, by, words)
    receipts.record_many(person, opened)
    return canceled


def cancel(current: Approval, by: User, note: ReasonText) -> Approval:
    """Mark an approval as taken back for good, with its receipt."""
    Approval.objects.filter(pk=current.pk).update(state=ApprovalState.CANCELED, note=note)
    current.state = ApprovalState.CANCELED
    publish_change(current, "decided")
    entry = ReceiptEntry(
        tool="undo", arguments={"approval_id": current.public_id}, approval=current.public_id,
        reason=note,
    )  # fmt: skip
    receipts.record(person_actor(current, by), entry)
    current.refresh_from_db()
    return current


def end(current: Approval, state: str, words: str, by: User, action: str) -> Approval:
    """Decide it against the agent, with the person's words and a receipt."""
    set_decided(current, state, words, by)
    receipts.record(
        person_actor(current, by),
        ReceiptEntry(
            tool=action, arguments={"approval_id": current.public_id, "note": words},
            approval=current.public_id, reason=own(words),
        ),
    )  # fmt: skip
    return current


def tell_planted(
    current: Approval, by: User, verb: DecisionVerb, edited: str = ""
) -> Approval | None:
    """End a locked approval that was planted, and say on it what was wrong; None for a real one.

    Rejecting it or sending it back has caught it, whatever the words; so has an edit after which
    what was wrong is not there any more. `edited` is the message as `written_out`.
    """
    item: PlantedItem | None = current.planted_item
    if item is None:
        return None
    is_caught = verb in _AGAINST or (verb == DecisionVerb.EDITED and not _says(item, edited))
    item.verdict = PlantedVerdict.CAUGHT if is_caught else PlantedVerdict.MISSED
    item.verb = verb
    item.save(update_fields=["verdict", "verb"])
    code = "planted_caught" if is_caught else "planted_missed"
    words = say(code, wrong=item.wrong)
    end_submission(current, SubmissionState.CANCELED, words)
    set_decided(current, ApprovalState.VOIDED, words, by)
    status.tell_planted(
        current, person_actor(current, by), words, kind=item.kind, decision=str(verb),
        verdict=str(item.verdict),
    )  # fmt: skip
    return current


def written_out(subject: str, body: str, recipients: Iterable[Recipient]) -> str:
    """Return all that an edited message says, and to whom, as one text."""
    people = [one if isinstance(one, str) else str(one.get("email", "")) for one in recipients]
    return "\n".join((subject, body, *people))


def _says(item: PlantedItem, edited: str) -> bool:
    return _plain(item.wrong) in _plain(edited)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def set_decided(current: Approval, state: str, note: str, by: User) -> None:
    """Decide it by compare-and-set: of many at once, one. What is decided is put off no more."""
    now = timezone.now()
    waiting = Approval.objects.filter(pk=current.pk, state=ApprovalState.WAITING)
    if not waiting.update(
        state=state, note=note, decided_by=by, decided_at=now, snoozed_until=None
    ):
        raise ApprovalError("not_waiting", say("decided_meanwhile"))
    current.state, current.note, current.decided_by, current.decided_at = state, note, by, now
    publish_change(current, "decided")
