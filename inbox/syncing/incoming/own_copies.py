"""What we sent ourselves, found at the provider: the place of our message, never a second one."""

from collections import defaultdict
from collections.abc import Mapping

from inbox.intake.prepared import Prepared
from inbox.models import Submission
from inbox.models.remote import RemoteFolder
from inbox.operations.mail.incoming import receive_message
from inbox.operations.sending.comparing_copies import note_copy
from inbox.operations.sending.submissions import tell_found
from inbox.submission_states import SubmissionState
from inbox.syncing.visits import AccountVisit

S = SubmissionState
# A copy of one that is still on its way says that it left: the sender learns that by itself.
LEFT = (S.PENDING, S.SENDING, S.SENT, S.UNKNOWN)
# What came back to ourselves has been on its way, and is another message; what lies among the
# drafts has not left, and may be just about to.
_NO_COPIES = frozenset({"inbox", "junk", "drafts"})


def own_copies(
    visit: AccountVisit, folder: RemoteFolder, prepared: Mapping[int, Prepared]
) -> dict[int, int]:
    """Return our message (its key) of each UID that is a copy of what this account sent.

    Servers may file a copy that differs from the sealed bytes in its headers: its Message-ID counts
    then. The message is made of the sealed bytes where there is none yet. Runs inside
    `visit.writing()`.
    """
    if folder.role in _NO_COPIES:
        return {}
    found: dict[int, int] = {}
    for uid, submission in find_submissions(visit, prepared).items():
        found[uid] = _message_of(visit, submission, prepared[uid])
        tell_found(submission)
        note_copy(submission, prepared[uid].sha256)
    return found


def find_submissions(
    visit: AccountVisit, prepared: Mapping[int, Prepared]
) -> dict[int, Submission]:
    """Return by UID what this account sent, or is about to send, under the same Message-ID."""
    named: dict[str, list[int]] = defaultdict(list)
    for uid, each in prepared.items():
        header = each.columns["message_id_header"]
        if header and each.columns["from_email"].lower() in visit.recipient.own_addresses:
            named[header].append(uid)
    if not named:
        return {}
    rows = Submission.objects.filter(
        account=visit.account, message_id_header__in=list(named), state__in=LEFT
    )
    submissions = rows.select_related("message").defer("mime")
    return {uid: one for one in submissions for uid in named[one.message_id_header]}


def _message_of(visit: AccountVisit, submission: Submission, copy: Prepared) -> int:
    if hasattr(submission, "message"):
        key: int = submission.message.pk
        return key
    # Rare: the job that keeps the copy has not come to it yet.
    message = receive_message(
        inbox=visit.inbox, raw=submission.mime_bytes, received_at=copy.columns["received_at"],
        keywords=copy.columns["keywords"], mailbox_role="sent", submission=submission,
    )  # fmt: skip
    return message.pk
