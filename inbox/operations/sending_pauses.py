"""Accounts that nothing is sent from for now: the server refuses their login.

A mail that a person approved is not failed for a password that was changed: it waits, up to its
expiry, and leaves once the login works again. The pauses grow, and one mail tries for all: servers
lock accounts after a few wrong passwords. What stands against it is in the account's row.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from inbox.jobs import URGENT, enqueue_many
from inbox.models import Account, Submission
from inbox.models.drafts import SubmissionQuerySet
from inbox.operations.submissions import enqueue_send
from inbox.providers.base import ProviderError
from inbox.submission_states import SubmissionState

S = SubmissionState
WAITS = "Waits for a working password"
# A key that is missing here costs no login: it is looked for more often.
_FIRST = {"login": timedelta(minutes=30), "locked": timedelta(minutes=1)}
_LONGEST = {"login": timedelta(hours=24), "locked": timedelta(minutes=15)}
_LONGEST_WORDS = 1500


def pause_sending(tried: Account, error: ProviderError) -> datetime:
    """Write down that the login is refused, in the caller's transaction; return until when.

    `tried` is the account as it was before the attempt: what somebody typed in since has yet to be
    tried, and so there is no pause.
    """
    current = Account.objects.select_for_update().get(pk=tried.pk)
    if (current.secret and bytes(current.secret), current.settings) != (
        tried.secret and bytes(tried.secret),
        tried.settings,
    ):
        return timezone.now()
    growth = 4 ** min(current.sending_failures, 6)
    until: datetime = timezone.now() + min(_FIRST[error.kind] * growth, _LONGEST[error.kind])
    words = f"{error.words} {error.reply}".strip().replace("\0", "�")[:_LONGEST_WORDS]
    Account.objects.filter(pk=tried.pk).update(
        sending_resumes_at=until, sending_problem=words,
        sending_failures=min(current.sending_failures + 1, 1000),
    )  # fmt: skip
    return until


def let_sending_go_on(account: Account) -> None:
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


def keep_waiting(rows: SubmissionQuerySet, submission: Submission, until: datetime) -> bool:
    """Put a locked submission back until then, and never beyond its time; False: not ours."""
    now = timezone.now()
    since = submission.waits_since or now
    at = min(until, submission.waits_until(since))
    problem = Account.objects.values_list("sending_problem", flat=True).get(
        pk=submission.account_id
    )
    if not rows.update(
        state=S.PENDING, fence="", leased_until=None, handed_over_at=None, send_at=at,
        waits_since=since, outcome=f"{WAITS}: {problem}",
    ):  # fmt: skip
        return False
    enqueue_send(submission, at, f":{at.timestamp():.0f}")
    return True


def is_given_up(submission: Submission, now: datetime) -> bool:
    """Tell whether it has waited for a login as long as it may."""
    since = submission.waits_since
    return since is not None and submission.waits_until(since) <= now


def too_long(words: str) -> str:
    """Return what ended it, for a person, with the server's words."""
    return f"It waited for a working password until its time was over. {words}"
