"""Failed work, done once more because a person asks for it."""

from django.db import transaction
from django.utils import timezone

from inbox.actor import Actor
from inbox.background.jobs import wake_on_commit
from inbox.errors import DomainError
from inbox.models import Job, JobState, Pace
from inbox.reasons import phrase as _

# What leaves is never repeated by hand: a submission has its own states, and its page.
_NEVER_AGAIN = frozenset({"submission.send", "submission.recover", "submission.look"})


def may_retry(job: Job) -> bool:
    """Return True if the work failed, and doing it once more can do no harm."""
    return job.state == JobState.FAILED and job.kind not in _NEVER_AGAIN


@transaction.atomic
def retry_job(*, actor: Actor, job: Job) -> None:
    """Queue a failed job again, as if it had never been tried; raises DomainError `conflict`."""
    rows = Job.objects.filter(pk=job.pk, workspace__in=actor.workspace_ids).select_for_update()
    row = rows.first()
    if row is None or not may_retry(row):
        raise DomainError("conflict", _("It cannot be tried again."))
    row.state, row.attempts, row.run_at = JobState.QUEUED, 0, timezone.now()
    row.finished_at, row.error = None, ""
    row.save(update_fields=["state", "attempts", "run_at", "finished_at", "error"])
    wake_on_commit(row.run_at, Pace(row.pace))
