"""To whom files went: a file is shared by a message that attaches it as it is."""

from collections.abc import Sequence

from inbox.actor import Actor
from inbox.models import FileNode, Submission
from inbox.submission_states import SubmissionState

# Of so many messages at most the recipients are read.
_MOST_MESSAGES = 2_000


def find_recipients(actor: Actor, files: Sequence[FileNode]) -> dict[int | None, list[str]]:
    """Return the addresses that each of the files' present contents was sent to, by blob key.

    Of messages that the actor may see and that have left; each address once, the first sent first.
    """
    blobs = {file.blob_id for file in files if file.blob_id is not None}
    if not blobs:
        return {}
    sent = (
        Submission.objects.visible_to(actor)
        .filter(state=SubmissionState.SENT, draft__attachments__blob__in=blobs)
        .order_by("pk")
        .values_list("draft__attachments__blob", "envelope_to")[:_MOST_MESSAGES]
    )
    found: dict[int | None, dict[str, str]] = {}
    for blob, addresses in sent:
        known = found.setdefault(blob, {})
        for address in addresses:
            known.setdefault(address.lower(), address)
    return {blob: list(known.values()) for blob, known in found.items()}
