"""What is found in a proposed message, once: right after it was proposed, or at the first look.

Proposing waits for none of it but for what a policy forbids. The agent has its answer, and a
database with one writer is free again, before mail, files and events are read for the reviewer.
"""

from copy import copy
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from agents.approval.checks.attached import read_attached
from agents.approval.checks.claims import find_marks, marks_as_json
from agents.approval.checks.inspection import inspect_sealed
from agents.approval.checks.risks import find_risks, thread_of
from agents.approval.due import READ
from agents.dispatching.actors import current_actor
from agents.models import Approval
from inbox.background.jobs import Payload, enqueue
from inbox.flags import as_json, in_order, read_flags
from inbox.language_model.consulting import may_ask
from inbox.models import Draft, ModelTask, Submission


def check_message(payload: Payload) -> None:
    """Check the message of an approval, as things stood for its agent when it was proposed."""
    rows = Approval.objects.filter(pk=payload["approval_id"], checks_due=True)
    approval = rows.select_related("agent__person", "submission__draft").first()
    if approval is None or approval.submission is None:
        return
    submission = approval.submission
    actor, draft = current_actor(approval.agent), as_sealed(submission)
    thread, attached = thread_of(actor, draft), read_attached(draft)
    found = [*find_risks(actor, draft, thread, attached, approval), *inspect_sealed(submission)]
    flags = in_order([*read_flags(approval.risk_flags), *found])
    marks = find_marks(actor, draft, thread, attached)
    # Two who look at the same time find the same.
    with transaction.atomic():
        is_first = Approval.objects.filter(pk=approval.pk, checks_due=True).update(
            risk_flags=as_json(flags), marks=marks_as_json(marks), checks_due=False
        )
        if is_first and may_ask(approval.workspace_id, ModelTask.CHECK):
            enqueue_reading(approval, submission.account_id)


def enqueue_reading(approval: Approval, account_id: int, tries: int = 0) -> None:
    """Have a language model read the message, too; after a failure that passes a while later."""
    later = timezone.now() + timedelta(seconds=30 * 4 ** (tries - 1)) if tries else None
    enqueue(
        READ, {"approval_id": approval.pk, "tries": tries}, workspace_id=approval.workspace_id,
        account_id=account_id, key=f"{READ}:{approval.pk}:{tries}", run_at=later, slow=True,
        max_attempts=1,
    )  # fmt: skip


def as_sealed(submission: Submission) -> Draft:
    """Return the draft as it was sealed; what was written into it since leaves with no approval."""
    draft = submission.draft
    if draft.version == submission.draft_version:
        return draft
    sealed = draft.versions.get(version=submission.draft_version)
    draft = copy(draft)
    for name in ("subject", "body", "to", "cc", "bcc"):
        setattr(draft, name, getattr(sealed, name))
    return draft
