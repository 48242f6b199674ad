"""The job in which a model reads a message that waits for a person, and adds marks to it.

It comes after the check by rules and changes none of its doubts. Whatever the model does, or its
server, the message waits as before.
"""

from django.db import transaction

from agents import receipts
from agents.approval.checking import as_sealed, enqueue_reading
from agents.approval.checks.claims import gather_sources
from agents.approval.checks.risks import thread_of
from agents.consulting.letters import LetterRead, letter_prompt, merge, read_marks
from agents.consulting.passages import passages_of
from agents.dispatching.actors import current_actor
from agents.models import Approval, ApprovalState
from agents.receipts import ReceiptEntry
from inbox.actor import system_actor
from inbox.background.jobs import Payload
from inbox.language_model.consulting import consult, may_ask, note_use, noted
from inbox.language_model.errors import ModelError
from inbox.models import ModelAnswer, ModelTask
from inbox.reasons import say

READER = "Language model"
# After a failure that may pass it is asked so many more times.
_MOST_TRIES = 2


def read_waiting(payload: Payload) -> None:
    """Have the model read a message that still waits, and keep its marks with a receipt."""
    approval = _waiting(payload["approval_id"])
    if approval is None or not may_ask(approval.workspace_id, ModelTask.CHECK):
        return
    submission = approval.submission
    assert submission is not None  # noqa: S101
    draft = as_sealed(submission)
    actor = current_actor(approval.agent)
    proposed, sources = gather_sources(actor, draft, thread_of(actor, draft))
    passages = passages_of(approval.workspace_id, sources)
    try:
        consulted = consult(
            submission.account, letter_prompt(proposed, passages), approval.public_id
        )
        with noted(consulted.kept):
            read = read_marks(consulted.found, proposed, passages)
    except ModelError as error:
        if error.is_passing and payload["tries"] < _MOST_TRIES:
            enqueue_reading(approval, submission.account_id, payload["tries"] + 1)
        return
    _keep(approval, read, consulted.kept)


def _waiting(key: int) -> Approval | None:
    """Return an approval whose message waits, checked by rules; invitations are none to be read."""
    rows = Approval.objects.filter(
        pk=key, state=ApprovalState.WAITING, checks_due=False, submission__draft__calendar=""
    )
    return rows.select_related(
        "agent__person", "submission__draft__identity", "submission__account"
    ).first()


def _keep(approval: Approval, read: LetterRead, kept: ModelAnswer) -> None:
    """Keep the marks of a message that still waits, and how many counted; with a receipt."""
    with transaction.atomic():
        rows = Approval.objects.select_for_update(of=("self",)).filter(
            pk=approval.pk, state=ApprovalState.WAITING
        )
        current = rows.first()
        if current is None:
            return
        current.marks = merge(current.marks, read.marks)
        current.save(update_fields=["marks"])
        used = sum(row.get("by") == "model" for row in current.marks)
        note_use(kept, used, read.dropped)
        reason = say("read_by_model", model=kept.model, used=str(used), dropped=str(read.dropped))
        entry = ReceiptEntry(
            tool="read_by_model", arguments={"approval_id": approval.public_id}, reason=reason,
            approval=approval.public_id,
            result={
                "answer_id": kept.public_id, "model": kept.model,
                "prompt_sha256": kept.prompt_sha256, "used": used, "dropped": read.dropped,
            },
        )  # fmt: skip
        receipts.record(system_actor(approval.workspace_id, READER), entry)
