"""What follows a death or a fault: leases run out, pauses are over, and another worker goes on."""

from collections.abc import Iterable
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from inbox import jobs
from inbox.models import Job, Submission
from inbox.operations import sending
from inbox.operations.filing import sweep_filing
from tests.sending_tools import hurry, recover

MOST_ROUNDS = 20


def bring_to_an_end(submissions: Iterable[int]) -> None:
    """Let time pass, with a worker at work, until nothing of these is under way any more."""
    rows = Submission.objects.filter(pk__in=list(submissions))
    for _ in range(MOST_ROUNDS):
        now = timezone.now()
        rows.exclude(filing_until=None).update(filing_until=now - timedelta(seconds=1))
        recover()
        if not is_moving(rows):
            break
        # As if an hour had passed, or nearly: what was given up for this one is asked for again.
        sending.sweep_submissions(now + timedelta(minutes=10))
        sweep_filing(now + timedelta(hours=1))
    # What follows the end, such as receipts, may take a round of its own.
    hurry()
    jobs.run_due()


def is_moving(rows: QuerySet[Submission]) -> bool:
    """Tell whether something is still to come of them."""
    return (
        rows.filter(state__in=["pending", "sending"]).exists()
        or rows.filter(state="sent", message=None).exists()
        or rows.filter(state="sent", filed_at=None).exists()
        or Job.objects.filter(state="running").exists()
    )
