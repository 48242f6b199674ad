"""After a backup was restored: what was about to leave waits for a person again.

Nobody knows what left after the backup was taken. Held again are the very same bytes under the very
same Message-ID; where the provider can find that among what was sent, it is not sent another time.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from inbox.models import Submission
from inbox.operations.sending.durability import sync_on_commit
from inbox.operations.sending.submissions import SubmissionError, lock_submission, tell
from inbox.reasons import say
from inbox.submission_states import SubmissionState

S = SubmissionState


def hold_again(*, submission: Submission, why: str) -> Submission:
    """Take the approval back from what has not left yet; `why` tells the person who decides anew.

    What is held already is only marked. Raises SubmissionError (`not_held`) for what was handed
    over, or has ended: the recovery of dead workers looks after the former.
    """
    with transaction.atomic():
        current = lock_submission(submission.pk)
        movable = current.state in (S.HELD, S.PENDING, S.SENDING)
        if not movable or current.handed_over_at is not None:
            raise SubmissionError("not_held", say("submission_already", status=current.state))
        _hold(current, why, timezone.now())
    submission.refresh_from_db()
    return submission


def _hold(current: Submission, why: str, now: datetime) -> None:
    Submission.objects.filter(pk=current.pk).update(
        state=S.HELD, approved_sha256="", approved_by=None, approved_at=None, send_at=None,
        waits_since=None, fence="", leased_until=None, outcome=why, held_again_at=now,
        expires_at=now + timedelta(hours=settings.APPROVAL_HOURS),
    )  # fmt: skip
    tell(current, S.HELD)
    sync_on_commit()


def hold_all_again(*, why: str) -> int:
    """Have everything that is about to leave wait for a person, in every workspace; how many.

    Meant for a database that was just restored, before a worker runs on it.
    """
    waiting = Submission.objects.filter(
        state__in=[S.HELD, S.PENDING, S.SENDING], handed_over_at=None
    )
    rows = list(waiting.defer("mime").order_by("pk"))
    for submission in rows:
        hold_again(submission=submission, why=why)
    return len(rows)
