"""What ends because nobody decided on it in time, and what waits longer for a delegate."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from agents import receipts
from agents.approval.status import expire, lock, publish_change, void
from agents.models import Absence, Approval, ApprovalState, HeldBy
from agents.oversight.delegates import Team, barred_from, read_teams
from agents.receipts import ReceiptEntry
from inbox.actor import system_actor
from inbox.models import Submission
from inbox.reasons import say
from inbox.submission_states import SubmissionState

_EXPIRED_AT_ONCE = 500
# What ends within so long is looked at, and so much longer it waits then.
BEFORE = timedelta(hours=1)
EXTENDED_BY = timedelta(days=1)


def extend_due(now: datetime | None = None) -> int:
    """Give what ends soon a day more, once, where only delegates could decide; return how many.

    That is looked at an hour before, so that a delegate learns of it while it waits still.
    """
    now = now or timezone.now()
    away = Absence.objects.filter(since__lte=now, until__gt=now)
    workspaces = set(away.values_list("workspace_id", flat=True))
    if not workspaces:
        return 0
    teams = read_teams(workspaces, now)
    ending = Approval.objects.filter(
        state=ApprovalState.WAITING, workspace__in=workspaces, extended_at=None,
        expires_at__gt=now, expires_at__lte=now + BEFORE,
    )  # fmt: skip
    # What somebody writes themselves is nobody else's to decide.
    ending = ending.exclude(held_by=HeldBy.WRITER)
    extended = 0
    for approval in ending.order_by("expires_at")[:_EXPIRED_AT_ONCE]:
        with transaction.atomic():
            extended += _extend(lock(approval), teams[approval.workspace_id], now)
    return extended


def _extend(current: Approval, team: Team, now: datetime) -> bool:
    delegates = team.only_delegates(barred_from(current))
    is_over = current.state != ApprovalState.WAITING or current.expires_at <= now
    if is_over or current.extended_at is not None or not delegates:
        return False
    current.extended_at, current.expires_at = now, current.expires_at + EXTENDED_BY
    current.save(update_fields=["extended_at", "expires_at"])
    submission = current.submission
    if submission is not None:
        submission.expires_at = current.expires_at
        submission.save(update_fields=["expires_at"])
    names = User.objects.filter(pk__in=delegates).order_by("username")
    told = ", ".join(names.values_list("username", flat=True))
    publish_change(current, "extended")
    receipts.record(
        system_actor(current.workspace_id, "Chancery"),
        ReceiptEntry(
            tool="extend", arguments={"approval_id": current.public_id},
            approval=current.public_id, reason=say("extended", names=told),
        ),
    )  # fmt: skip
    return True


def expire_due(now: datetime | None = None) -> int:
    """End the approvals that nobody decided in time; return how many."""
    now = now or timezone.now()
    due = Approval.objects.filter(state=ApprovalState.WAITING, expires_at__lte=now)
    expired = 0
    for approval in due.order_by("expires_at")[:_EXPIRED_AT_ONCE]:
        with transaction.atomic():
            current = lock(approval)
            if current.state == ApprovalState.WAITING:
                expire(current)
                expired += 1
    return expired


def end_with_submission(approval: Approval, submission: Submission) -> bool:
    """End an approval whose submission others have ended; return True if it was still waiting.

    In the caller's transaction.
    """
    current = lock(approval)
    if current.state != ApprovalState.WAITING:
        return False
    if submission.state == SubmissionState.EXPIRED:
        expire(current)
    else:
        void(current, [submission.outcome])
    return True
