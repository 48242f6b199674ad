"""What follows a death or a fault: leases run out, pauses are over, and another worker goes on."""

from collections.abc import Iterable
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from inbox.background import jobs
from inbox.models import Account, Job, Submission
from inbox.operations.sending import delivery
from inbox.operations.sending.filing import sweep_filing
from inbox.operations.sending.pauses import resume_sending
from tests.sending_tools import hurry, recover

MOST_ROUNDS = 20
# So many times somebody types in a password again; then the time of what waits for it is over.
MOST_PASSWORDS = 6


def bring_to_an_end(submissions: Iterable[int]) -> None:
    """Let time pass, with a worker at work, until nothing of these is under way any more."""
    rows = Submission.objects.filter(pk__in=list(submissions))
    for number in range(MOST_ROUNDS):
        now = timezone.now()
        rows.exclude(filing_until=None).update(filing_until=now - timedelta(seconds=1))
        recover()
        if not is_moving(rows):
            break
        if number >= MOST_PASSWORDS:
            _let_the_wait_be_over(rows)
        type_in_passwords()
        # As if an hour had passed, or nearly: what was given up for this one is asked for again.
        delivery.sweep_submissions(now + timedelta(minutes=10))
        sweep_filing(now + timedelta(hours=1))
    type_in_passwords()
    # What follows the end, such as receipts, may take a round of its own.
    hurry()
    jobs.run_due()


def type_in_passwords() -> None:
    """Do what a person does who finds that a server refuses the login: connect the account anew."""
    for account in Account.objects.exclude(sending_resumes_at=None):
        resume_sending(account)


def _let_the_wait_be_over(rows: QuerySet[Submission]) -> None:
    """Let those that wait for a login that works have waited for as long as they may."""
    long_ago = timezone.now() - timedelta(days=365)
    waiting = rows.filter(state="pending").exclude(waits_since=None)
    waiting.update(waits_since=long_ago, expires_at=long_ago)


def is_moving(rows: QuerySet[Submission]) -> bool:
    """Return True if something is still to come of them."""
    return (
        rows.filter(state__in=["pending", "sending"]).exists()
        or rows.filter(state="sent", message=None).exists()
        or rows.filter(state="sent", filed_at=None).exists()
        or Job.objects.filter(state="running").exists()
    )
