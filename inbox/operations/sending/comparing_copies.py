"""What a provider keeps of what was sent, held against what was sealed.

Some providers write what they are given anew. The copy comes with the sent mail, so that nothing is
asked for it; the first that comes counts.
"""

import logging

from inbox.background.jobs import publish
from inbox.formats.message_differences import Differing, differences
from inbox.models import Blob, Submission
from inbox.reasons import ReasonText, say, together

log = logging.getLogger(__name__)


def note_copy(submission: Submission, sha256: str) -> None:
    """Note what the provider's copy of a submission is, and which of its parts differ.

    `sha256` names the copy's bytes in the storage. Call it in a transaction; where the copy
    differs, the fact `submission.rewritten` has the receipt of it written.
    """
    if submission.copy_sha256:
        return
    words = ReasonText()
    if sha256 != submission.sha256:
        try:
            copy = Blob(workspace_id=submission.workspace_id, sha256=sha256).read()
        except (OSError, ValueError):
            log.exception("the copy of submission %s cannot be read", submission.pk)
            return
        sealed = Submission.objects.values_list("mime", flat=True).get(pk=submission.pk)
        words = in_reasons(differences(bytes(sealed), copy))
    rows = Submission.objects.filter(pk=submission.pk, copy_sha256="")
    if rows.update(copy_sha256=sha256, copy_differences=words) and words:
        publish(
            "submission.rewritten", {"submission_id": submission.pk},
            workspace_id=submission.workspace_id, account_id=submission.account_id,
        )  # fmt: skip


def in_reasons(found: list[Differing]) -> ReasonText:
    """Return differences as reasons, each by its code."""
    return together(*(_reason(one) for one in found))


def _reason(one: Differing) -> ReasonText:
    if one.names:
        return say(f"copy_{one.kind}", names=", ".join(one.names))
    return say(f"copy_{one.kind}")
