"""The way out: one worker takes a released submission and hands it over, once.

A submission in `sending` belongs to the worker whose `fence` it carries; every write asks for that
fence, so a worker that lost its lease, or whose clock jumped, changes nothing any more. Right
before the final dot the provider calls `hand_over`, which sets `handed_over_at`, on disk, and only
for the one who still holds the fence. Therefore, when a worker dies:

- without the mark the final dot was never sent: nobody took it, it is safe to try again;
- with the mark the server may have taken it. A provider that delivers a Message-ID once is simply
  tried again; one that can find the Message-ID says so; else it becomes `unknown`, is never tried
  again by itself, and a person settles it, unless it turns up among the sent mail first.

A worker that was only slow, and learns the answer after its submission became `unknown`, still
records it: the answer is the truth.
"""

import hashlib
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import OperationalError, close_old_connections, transaction
from django.db.models import F
from django.utils import timezone

from inbox.background.heartbeat import renewed
from inbox.background.jobs import URGENT, Payload, RetryLater, enqueue, handler
from inbox.background.periodic import periodic
from inbox.models import Draft, DraftStatus, Submission
from inbox.operations.accounts.connections import provider_of, with_provider
from inbox.operations.sending import pauses
from inbox.operations.sending.durability import sync_on_commit
from inbox.operations.sending.filing import begin_filing
from inbox.operations.sending.keeping_copies import enqueue_copy
from inbox.operations.sending.spans import traced_send
from inbox.operations.sending.submissions import (
    SubmissionError,
    enqueue_send,
    find_drift,
    lock_submission,
    reopen_draft,
    tell,
)
from inbox.providers.base import (
    Envelope,
    ErrorKind,
    Parcel,
    Provider,
    ProviderError,
    ProviderReceipt,
)
from inbox.reasons import ReasonText, own, quoted, say, together
from inbox.reasons import phrase as _
from inbox.submission_states import SubmissionState

S = SubmissionState
LEASE, UNTIL_RECORDED = timedelta(seconds=60), (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
# From one account at a time: a server that hangs does not hold every worker.
MOST_AT_ONCE = 2
TURN = timedelta(seconds=2)
# Over about five hours: what a person approved should not arrive days later.
MOST_ATTEMPTS = 12
FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=1)
LOOKS = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=2))
OVERDUE = timedelta(minutes=2)
LOOKED_AT_ONCE = 200
LONGEST_OUTCOME = 2000

log = logging.getLogger(__name__)


class LeaseLost(Exception):  # noqa: N818
    """Another worker, or the sweep, has taken the submission over: nothing more may be done."""


@dataclass(frozen=True)
class _Attempt:
    """A submission that this worker claimed."""

    submission: Submission
    fence: str

    @property
    def rows(self) -> Any:
        """The row while it is ours to send."""
        return Submission.objects.filter(pk=self.submission.pk, state=S.SENDING, fence=self.fence)


# -- taking and sending ----------------------------------------------------------------------------
@handler("submission.send")
def send(payload: Payload) -> None:
    """Take the submission, if it is due and nobody else has it, and hand it to its provider."""
    attempt = _claim(payload["submission_id"])
    if attempt is None:
        return
    with renewed(partial(_renew, attempt), LEASE):
        try:
            receipt = _submit(attempt)
        except LeaseLost:
            log.warning("submission %s was taken over before it was sent", attempt.submission.pk)
        except ProviderError as error:
            _insist(partial(_record_error, attempt, error))
        else:
            _insist(partial(_record_sent, attempt, receipt))


def _claim(pk: int) -> _Attempt | None:
    now = timezone.now()
    with transaction.atomic():
        submission = lock_submission(pk)
        if submission.state != S.PENDING:
            return None
        if submission.send_at is None or submission.send_at > now:
            raise RetryLater("It is not due yet.", submission.send_at)
        if _busy(submission, now):
            raise RetryLater("Others of its account are just being sent.", now + TURN)
        rows = Submission.objects.filter(pk=pk)
        if changes := _why_not_send(submission):
            _finish(rows, submission, S.VOIDED, say("changes", changes=changes))
            return None
        if _waits(rows, submission, now):
            return None
        fence = secrets.token_hex(16)
        rows.update(
            state=S.SENDING, fence=fence, leased_until=now + LEASE, handed_over_at=None,
            attempts=F("attempts") + 1,
        )  # fmt: skip
        sync_on_commit()
        return _Attempt(submission, fence)


def _busy(submission: Submission, now: datetime) -> bool:
    pauses.take_turn(submission)
    others = Submission.objects.filter(
        account_id=submission.account_id, state=S.SENDING, leased_until__gt=now
    )
    # After a refused login one tries for all.
    return others.count() >= (1 if submission.account.sending_failures else MOST_AT_ONCE)


def _waits(rows: Any, submission: Submission, now: datetime) -> bool:
    """Have it wait on, or end, where the account's login is refused; False: it may be tried."""
    until = pauses.resumes_at(submission.account, now)
    if until is None:
        return False
    if pauses.is_given_up(submission, now):
        _finish(
            rows, submission, S.FAILED, pauses.too_long(own(submission.account.sending_problem))
        )
    else:
        pauses.keep_waiting(rows, submission, until, tried=False)
    return True


def _why_not_send(submission: Submission) -> list[ReasonText]:
    digest = hashlib.sha256(submission.mime_bytes).hexdigest()
    if not digest == submission.sha256 == submission.approved_sha256:
        return [say("not_as_approved")]
    if submission.approved_by_id is None:
        return [say("nobody_approved")]
    return find_drift(submission)


@traced_send
def _submit(attempt: _Attempt) -> ProviderReceipt:
    submission = attempt.submission
    try:
        return with_provider(submission.account, partial(_submit_with, attempt))
    except (ProviderError, LeaseLost):
        raise
    except Exception as error:
        log.exception("the provider of submission %s failed", submission.pk)
        handed_over = attempt.rows.exclude(handed_over_at=None).exists()
        kind: ErrorKind = "unknown" if handed_over else "transient"
        words = _("Sending failed unexpectedly (%(error)s).", error=type(error).__name__)
        raise ProviderError(kind, words) from error


def _submit_with(attempt: _Attempt, provider: Provider) -> ProviderReceipt:
    submission = attempt.submission
    if submission.held_again_at and provider.find_sent(submission.message_id_header):
        return ProviderReceipt("It had left before the backup was restored: it was found.")
    return provider.submit(parcel_of(submission), partial(_hand_over, attempt))


def parcel_of(submission: Submission) -> Parcel:
    """Return what the provider gets of a submission: the sealed bytes and the sealed envelope."""
    envelope = Envelope(submission.envelope_from, tuple(submission.envelope_to))
    return Parcel(envelope, submission.mime_bytes, submission.message_id_header)


def _hand_over(attempt: _Attempt) -> None:
    with transaction.atomic():
        now = timezone.now()
        if not attempt.rows.update(handed_over_at=now, leased_until=now + LEASE):
            raise LeaseLost
        sync_on_commit()


def _renew(attempt: _Attempt) -> bool:
    return bool(attempt.rows.update(leased_until=timezone.now() + LEASE))


# -- what came of it -------------------------------------------------------------------------------
def _insist(record: Callable[[], None]) -> None:
    """Record what is known of a send, trying again, well within its lease, while no database is."""
    for seconds in UNTIL_RECORDED:
        try:
            return record()
        except OperationalError:
            log.exception("what came of a submission could not be recorded yet")
            close_old_connections()
            time.sleep(seconds)
    return record()


def _record_sent(attempt: _Attempt, receipt: ProviderReceipt) -> None:
    with transaction.atomic():
        submission = lock_submission(attempt.submission.pk)
        is_ours = _finish(_still_ours(attempt), submission, S.SENT, _own(receipt.reply))
        if is_ours and submission.account.sending_failures:
            pauses.resume_sending(submission.account)


def _record_error(attempt: _Attempt, error: ProviderError) -> None:
    words, ours = quoted(error.words, error.reply, LONGEST_OUTCOME), attempt.submission
    log.warning("account %s: submission %s was not sent: %s", ours.account_id, ours.pk, words)
    with transaction.atomic():
        submission = lock_submission(attempt.submission.pk)
        if error.kind == "transient" and submission.state == S.SENDING:
            _try_again(attempt.rows, submission, words)
        elif error.kind in ("login", "locked") and submission.state == S.SENDING:
            _await_login(attempt, submission, error)
        elif error.kind == "unknown" and submission.state == S.SENDING:
            _finish(attempt.rows, submission, S.UNKNOWN, words)
        elif error.kind != "unknown":
            _finish(_still_ours(attempt), submission, S.FAILED, words)


def _await_login(attempt: _Attempt, submission: Submission, error: ProviderError) -> None:
    """Put it back until the account's login works; fail it where its time is over."""
    until = pauses.pause_sending(attempt.submission.account, error)
    if pauses.is_given_up(submission, timezone.now()):
        words = pauses.too_long(quoted(error.words, error.reply, LONGEST_OUTCOME))
        _finish(attempt.rows, submission, S.FAILED, words)
    elif pauses.keep_waiting(attempt.rows, submission, until, tried=True):
        sync_on_commit()


def _still_ours(attempt: _Attempt) -> Any:
    """Return the row, also when the sweep called it unknown meanwhile: we have the answer."""
    return Submission.objects.filter(
        pk=attempt.submission.pk, state__in=[S.SENDING, S.UNKNOWN], fence=attempt.fence
    )


def _try_again(rows: Any, submission: Submission, words: ReasonText) -> None:
    """Put it back to wait, with growing pauses; fail it when it was tried often enough."""
    if submission.attempts >= MOST_ATTEMPTS:
        words = say("given_up", count=submission.attempts, why=words)
        _finish(rows, submission, S.FAILED, words)
        return
    pause = min(FIRST_PAUSE * 2 ** (submission.attempts - 1), LONGEST_PAUSE)
    send_at = timezone.now() + pause
    if rows.update(
        state=S.PENDING, fence="", leased_until=None, handed_over_at=None, send_at=send_at,
        waits_since=None, outcome=words,
    ):  # fmt: skip
        enqueue_send(submission, send_at)
        sync_on_commit()


def _finish(rows: Any, submission: Submission, state: str, outcome: ReasonText) -> bool:
    """Move the locked submission to where it ends, with all that follows; False: not ours."""
    finished_at = None if state == S.UNKNOWN else timezone.now()
    if not rows.update(state=state, outcome=outcome, finished_at=finished_at):
        return False
    if state == S.SENT:
        Draft.objects.filter(pk=submission.draft_id).update(status=DraftStatus.SENT)
        enqueue_copy(submission)
        begin_filing(submission)
    elif state == S.UNKNOWN:
        _enqueue_looks(submission)
    else:
        reopen_draft(submission)
    tell(submission, state)
    sync_on_commit()
    return True


def _own(words: str) -> ReasonText:
    """Return what a server said, as it can be kept."""
    return own(words.replace("\0", "�").encode("utf-8", "replace").decode()[:LONGEST_OUTCOME])


# -- what a dead worker left -----------------------------------------------------------------------
@periodic(5)
def sweep_submissions(now: datetime | None = None) -> None:
    """Find what a dead worker left, and what no job looks after any more, and have it looked at."""
    now = now or timezone.now()
    # A key for each hour: what cannot be settled at once is taken up again, but not without end.
    suffix = f":{now:%Y%m%d%H}"
    rows = Submission.objects.defer("mime").order_by("send_at")
    for submission in rows.filter(state=S.SENDING, leased_until__lt=now)[:LOOKED_AT_ONCE]:
        enqueue(
            "submission.recover", {"submission_id": submission.pk, "fence": submission.fence},
            workspace_id=submission.workspace_id, account_id=submission.account_id,
            priority=URGENT, key=f"submission.recover:{submission.pk}:{submission.fence}{suffix}",
        )  # fmt: skip
    for submission in rows.filter(state=S.PENDING, send_at__lt=now - OVERDUE)[:LOOKED_AT_ONCE]:
        enqueue_send(submission, now, suffix)
    late = rows.filter(
        state=S.SENT, message=None, finished_at__range=(now - timedelta(days=30), now - OVERDUE)
    )
    for submission in late[:LOOKED_AT_ONCE]:
        enqueue_copy(submission, suffix)


@handler("submission.recover")
def recover(payload: Payload) -> None:
    """Settle what a dead worker left in `sending`, by its mark and by what the provider knows."""
    submission = Submission.objects.select_related("account").get(pk=payload["submission_id"])
    attempt = _Attempt(submission, payload["fence"])
    rows = attempt.rows.filter(leased_until__lt=timezone.now())
    if not rows.exists():
        return
    provider, found = None, None
    if submission.handed_over_at is not None:
        provider, found = _look(submission)
    safe = submission.handed_over_at is None or (provider and provider.capabilities.idempotent)
    with transaction.atomic():
        submission = lock_submission(submission.pk)
        if found:
            _finish(rows, submission, S.SENT, say("found_after_crash"))
        elif safe:
            _try_again(rows, submission, say("ended_before"))
        else:
            _finish(rows, submission, S.UNKNOWN, say("ended_after"))


def _look(submission: Submission) -> tuple[Provider | None, bool | None]:
    try:
        provider = provider_of(submission.account)
        return provider, provider.find_sent(submission.message_id_header)
    except (ProviderError, OSError):
        log.exception("submission %s could not be looked for", submission.pk)
        return None, None


def _enqueue_looks(submission: Submission) -> None:
    """Have an unknown one looked for: providers that keep what they sent may take their time."""
    now = timezone.now()
    for number, pause in enumerate(LOOKS):
        enqueue(
            "submission.look", {"submission_id": submission.pk},
            workspace_id=submission.workspace_id, account_id=submission.account_id,
            key=f"submission.look:{submission.pk}:{number}", run_at=now + pause, slow=True,
        )  # fmt: skip


@handler("submission.look")
def look_again(payload: Payload) -> None:
    """Settle an unknown submission that lies with the sent mail by now."""
    submission = Submission.objects.select_related("account").get(pk=payload["submission_id"])
    if submission.state != S.UNKNOWN or not (payload.get("found") or _look(submission)[1]):
        return
    with transaction.atomic():
        current = lock_submission(submission.pk)
        rows = Submission.objects.filter(pk=current.pk, state=S.UNKNOWN)
        _finish(rows, current, S.SENT, together(say("found"), current.outcome))


def settle_submission(*, submission: Submission, sent: bool, by: User) -> None:
    """Record a person's answer for a submission of which nobody knows whether it was sent.

    Raises SubmissionError (`not_unknown`) where it is known already.
    """
    with transaction.atomic():
        current = lock_submission(submission.pk)
        if current.state != S.UNKNOWN:
            raise SubmissionError("not_unknown", say("submission_is", status=current.state))
        person = by.get_username()
        said = say("said_sent", person=person) if sent else say("said_not_sent", person=person)
        outcome = together(said, current.outcome)
        rows = Submission.objects.filter(pk=current.pk, state=S.UNKNOWN)
        _finish(rows, current, S.SENT if sent else S.FAILED, outcome)
    submission.refresh_from_db()
