"""What the receipts of submissions say: what became of one, and what its provider keeps."""

from typing import Any

from agents.models import Approval, Outcome
from agents.receipts import ReceiptEntry
from inbox.models import Submission
from inbox.submission_states import SubmissionState


def fate_of(submission: Submission, tool: str, key: str, approval: Approval | None) -> ReceiptEntry:
    """Return the entry of what became of a message."""
    result: dict[str, Any] = {
        "message_id": submission.message_public_id,
        "message_id_header": submission.message_id_header,
        "sha256": submission.sha256,
        "recipients": len(submission.envelope_to),
    }
    sent = submission.state == SubmissionState.SENT
    return ReceiptEntry(
        tool=tool,
        arguments={"submission_id": submission.public_id},
        reason=submission.outcome,
        approval=approval.public_id if approval else "",
        outcome=Outcome.OK if sent else Outcome.ERROR,
        error_code="" if sent else "provider_error",
        result=result,
        idempotency_key=key,
    )


def rewriting_of(submission: Submission) -> ReceiptEntry:
    """Return the entry of what was sealed, what the provider's copy is, and what differs."""
    return ReceiptEntry(
        tool="submission.rewritten",
        arguments={"submission_id": submission.public_id},
        reason=submission.copy_differences,
        outcome=Outcome.ERROR if submission.copy_says_otherwise else Outcome.OK,
        error_code="provider_error" if submission.copy_says_otherwise else "",
        result={
            "message_id": submission.message_public_id,
            "sealed_sha256": submission.sha256,
            "copy_sha256": submission.copy_sha256,
            "differences": [one["code"] for one in submission.copy_differences.as_json()],
        },
        idempotency_key=f"submission.rewritten:{submission.pk}",
    )
