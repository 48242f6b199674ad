"""The copy of what was sent, put with the sent mail at the provider: once, and never in silence."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from inbox.background.heartbeat import renewed
from inbox.background.jobs import Payload, RetryLater, enqueue, handler
from inbox.background.periodic import periodic
from inbox.models import Account, Job, JobState, Submission
from inbox.operations.accounts.connections import mail_store_of
from inbox.providers import has_mail, keeps_sent
from inbox.providers.mail_store import StoreError
from inbox.providers.sent_copies import put_copy
from inbox.reasons import quoted
from inbox.submission_states import SubmissionState

JOB = "submission.file"
PRIORITY = 2
LEASE = timedelta(seconds=60)
OVERDUE = timedelta(minutes=15)
# Nobody looks for a copy that is still not there by then; the submission keeps saying why.
GIVEN_UP_AFTER = timedelta(days=7)
FIRST_PAUSES = {"transient": timedelta(seconds=5), "throttled": timedelta(minutes=5)}
LONGEST_PAUSE = timedelta(hours=1)
LOOKED_AT_ONCE = 200
LONGEST_PROBLEM = 2000


def begin_filing(submission: Submission) -> None:
    """Have the copy of what was just sent put to the sent mail, in the caller's transaction."""
    if is_ours_to_file(submission.account):
        _enqueue(submission)
    else:
        _rows(submission).update(filed_at=timezone.now())


def is_ours_to_file(account: Account) -> bool:
    """Return True if the account's provider does not keep what is sent by itself."""
    lies_there = has_mail(account.provider, account.settings)
    if keeps_sent(account.provider):
        return False
    return lies_there and not account.settings.get("sent_by_server")


def _key(submission: Submission) -> str:
    return f"{JOB}:{submission.pk}"


def _enqueue(submission: Submission) -> None:
    enqueue(
        JOB, {"submission_id": submission.pk}, workspace_id=submission.workspace_id,
        account_id=submission.account_id, key=_key(submission), priority=PRIORITY, slow=True,
    )  # fmt: skip


@handler(JOB)
def file_copy(payload: Payload) -> None:
    """Put the copy of a sent submission to the sent mail of its account, unless it is there."""
    submission = Submission.objects.select_related("account").get(pk=payload["submission_id"])
    if submission.state != SubmissionState.SENT or submission.filed_at is not None:
        return
    if not is_ours_to_file(submission.account):
        _rows(submission).update(filed_at=timezone.now())
        return
    _take(submission)
    try:
        with (
            renewed(partial(_renew, submission), LEASE),
            mail_store_of(submission.account) as store,
        ):
            put_copy(
                store, submission.mime_bytes, submission.message_id_header, submission.finished_at
            )
    except StoreError as error:
        _note_problem(submission, error)
    else:
        _rows(submission).update(filed_at=timezone.now(), filing_until=None, filing_problem="")


def _rows(submission: Submission) -> Any:
    return Submission.objects.filter(pk=submission.pk, filed_at=None)


def _take(submission: Submission) -> None:
    """Take the turn; raises RetryLater where somebody has it.

    Should two have it all the same, as after a pause of the machine, `put_copy` still leaves one.
    """
    now = timezone.now()
    free = _rows(submission).filter(Q(filing_until=None) | Q(filing_until__lt=now))
    if not free.update(filing_until=now + LEASE):
        raise RetryLater("Somebody else is putting it there.", now + LEASE)


def _renew(submission: Submission) -> bool:
    return bool(_rows(submission).update(filing_until=timezone.now() + LEASE))


def _note_problem(submission: Submission, error: StoreError) -> None:
    """Say why it is not there, and come back; raises RetryLater for a week."""
    now = timezone.now()
    words = quoted(error.words, error.reply, LONGEST_PROBLEM)
    _rows(submission).update(filing_until=None, filing_problem=words)
    age = now - (submission.finished_at or now)
    if age < GIVEN_UP_AFTER:
        raise RetryLater(words, now + _pause(error, age)) from error


def _pause(error: StoreError, age: timedelta) -> timedelta:
    """Return how long to wait: ever longer, and longest where only a person can help."""
    if error.kind not in ("transient", "throttled"):
        return LONGEST_PAUSE
    wish = timedelta(seconds=max(error.retry_after or 0, 0))
    return min(max(age / 2, FIRST_PAUSES[error.kind], wish), LONGEST_PAUSE)


@periodic(60)
def sweep_filing(now: datetime | None = None) -> None:
    """Have the copies looked after that are not there, and that no job looks after any more."""
    now = now or timezone.now()
    late = Submission.objects.filter(
        state=SubmissionState.SENT, filed_at=None,
        finished_at__range=(now - GIVEN_UP_AFTER, now - OVERDUE),
    )  # fmt: skip
    rows = late.defer("mime").order_by("finished_at")[:LOOKED_AT_ONCE]
    by_key = {_key(submission): submission for submission in rows}
    jobs = Job.objects.filter(key__in=by_key)
    with transaction.atomic():
        jobs.filter(state__in=[JobState.DONE, JobState.FAILED]).delete()
        live = set(jobs.values_list("key", flat=True))
        for key in by_key.keys() - live:
            _enqueue(by_key[key])
