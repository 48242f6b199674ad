"""Accounts that nothing is sent from for now: the server refuses their login.

A message that a person approved is not failed for a password that was changed: it waits, up to its
expiry, and leaves once the login works again. The pauses grow, and one message tries for all:
servers lock accounts after a few wrong passwords. What stands against it is in the account's row.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from inbox.background.jobs import URGENT, Payload, enqueue, enqueue_many, handler
from inbox.background.periodic import periodic
from inbox.models import Account, Submission
from inbox.models.drafts import SubmissionQuerySet
from inbox.operations.sending.submissions import enqueue_send
from inbox.providers.base import ProviderError
from inbox.reasons import ReasonText, own, quoted, say, together
from inbox.submission_states import SubmissionState

S = SubmissionState
# A key that is missing here costs no login: it is looked for more often.
_FIRST = {"login": timedelta(minutes=30), "locked": timedelta(minutes=1)}
_LONGEST = {"login": timedelta(hours=24), "locked": timedelta(minutes=15)}
# Farther off than any pause: a clock was wrong when it was noted.
_FARTHEST = timedelta(hours=25)
_LONGEST_WORDS = 1500


def pause_sending(tried: Account, error: ProviderError) -> datetime:
    """Write down that the login is refused, in the caller's transaction; return until when.

    `tried` is the account as it was before the attempt: what somebody typed in since has yet to be
    tried, and so there is no pause.
    """
    current = Account.objects.select_for_update(no_key=True).get(pk=tried.pk)
    if (current.secret and bytes(current.secret), current.settings) != (
        tried.secret and bytes(tried.secret),
        tried.settings,
    ):
        return timezone.now()
    growth = 4 ** min(current.sending_failures, 6)
    until: datetime = timezone.now() + min(_FIRST[error.kind] * growth, _LONGEST[error.kind])
    words = quoted(error.words, error.reply, _LONGEST_WORDS)
    Account.objects.filter(pk=tried.pk).update(
        sending_resumes_at=until, sending_problem=words,
        sending_failures=min(current.sending_failures + 1, 1000),
    )  # fmt: skip
    return until


def take_turn(submission: Submission) -> None:
    """Hold the account fast where its login was refused: of those taken at once one tries."""
    if submission.account.sending_failures:
        rows = Account.objects.select_for_update(no_key=True)
        submission.account = rows.get(pk=submission.account_id)


def resumes_at(account: Account, now: datetime) -> datetime | None:
    """Return until when nothing is sent from the account; None where it may be tried."""
    until: datetime | None = account.sending_resumes_at
    return until if until is not None and now < until <= now + _FARTHEST else None


def enqueue_going_on(account: Account) -> None:
    """Have sending go on, in the caller's transaction, which may hold the account."""
    enqueue(
        "account.send_again", {"account_id": account.pk}, workspace_id=account.workspace_id,
        account_id=account.pk, priority=URGENT,
    )  # fmt: skip


@handler("account.send_again")
def send_again(payload: Payload) -> None:
    """Have what waits for a working login leave, if the account is still there."""
    account = Account.objects.filter(pk=payload["account_id"]).first()
    if account is not None:
        resume_sending(account)


def resume_sending(account: Account) -> None:
    """Have what waits for a working login leave now: there may be one."""
    now = timezone.now()
    with transaction.atomic():
        # Before the account: whoever sends holds a submission, and then takes the account.
        locked = waiting_of(account).select_for_update(of=("self",)).order_by("pk")
        keys = list(locked.values_list("pk", flat=True))
        rows = Account.objects.filter(pk=account.pk).exclude(sending_resumes_at=None)
        rows.update(sending_resumes_at=None, sending_problem="", sending_failures=0)
        Submission.objects.filter(pk__in=keys, state=S.PENDING).update(send_at=now)
        payloads = [{"submission_id": key} for key in keys]
        enqueue_many(
            "submission.send", payloads, workspace_id=account.workspace_id, account_id=account.pk,
            priority=URGENT,
        )  # fmt: skip


def waiting_of(account: Account) -> SubmissionQuerySet:
    """Return what waits for the account's login to work."""
    return Submission.objects.filter(account=account, state=S.PENDING).exclude(waits_since=None)


@periodic(60)
def hurry_those_of_a_wrong_clock(now: datetime | None = None) -> None:
    """Have those due which wait for a time that only a wrong clock can have noted.

    `sweep_submissions` finds that nobody looks after them, as after any job that is lost.
    """
    now = now or timezone.now()
    rows = Submission.objects.filter(state=S.PENDING, send_at__gt=now + _FARTHEST)
    rows.exclude(waits_since=None).update(send_at=now)


def keep_waiting(
    rows: SubmissionQuerySet, submission: Submission, until: datetime, *, tried: bool
) -> bool:
    """Put a locked submission back until then, and never beyond its time; False: not ours.

    That it was `tried` does not count among its attempts: they are for trouble that passes.
    """
    now = timezone.now()
    since = min(submission.waits_since or now, now)
    at = min(until, submission.waits_until(since))
    problem = Account.objects.values_list("sending_problem", flat=True).get(
        pk=submission.account_id
    )
    if not rows.update(
        state=S.PENDING, fence="", leased_until=None, handed_over_at=None, send_at=at,
        waits_since=since, outcome=say("awaits_login", why=own(problem)),
        attempts=F("attempts") - int(tried),
    ):  # fmt: skip
        return False
    enqueue_send(submission, at, f":{at:%Y%m%d%H%M%S%f}")
    return True


def is_given_up(submission: Submission, now: datetime) -> bool:
    """Return True if a submission has waited for a login as long as it may."""
    since = submission.waits_since
    return since is not None and submission.waits_until(since) <= now


def too_long(words: ReasonText) -> ReasonText:
    """Return what ended it, for a person, with the server's words."""
    return together(say("awaited_login"), words)
