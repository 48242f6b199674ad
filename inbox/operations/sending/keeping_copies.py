"""The copy of what was sent, kept here in its thread."""

from inbox.background.jobs import URGENT, Payload, enqueue, handler
from inbox.models import Submission
from inbox.operations.mail.incoming import receive_message
from inbox.submission_states import SubmissionState

S = SubmissionState


def enqueue_copy(submission: Submission, suffix: str = "") -> None:
    """Have the copy kept; once for each suffix."""
    enqueue(
        "submission.copy", {"submission_id": submission.pk}, workspace_id=submission.workspace_id,
        account_id=submission.account_id, key=f"submission.copy:{submission.pk}{suffix}",
        priority=URGENT,
    )  # fmt: skip


@handler("submission.copy")
def keep_copy(payload: Payload) -> None:
    """Put what was sent into its thread, as the message whose id was promised; once."""
    submission = Submission.objects.select_related("draft__inbox").get(pk=payload["submission_id"])
    if submission.state != S.SENT or hasattr(submission, "message"):
        return
    receive_message(
        inbox=submission.draft.inbox, raw=submission.mime_bytes, received_at=submission.finished_at,
        keywords=("$seen",), mailbox_role="sent", submission=submission,
    )  # fmt: skip
