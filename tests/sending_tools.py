"""What tests of sending share: a released submission, and the hand of time."""

from datetime import timedelta

from django.utils import timezone

from agents.approval.due import check_due
from agents.models import Approval
from inbox.actor import Actor
from inbox.background import jobs
from inbox.models import Account, Inbox, Job, Submission
from inbox.operations.drafts.writing import create_draft
from inbox.operations.sending import delivery
from inbox.operations.sending.submissions import propose_submission, release_submission


def propose(actor: Actor, inbox: Inbox, port: int = 0, **fields) -> Submission:
    """Propose a message that leaves at once when released, through the server at this port."""
    settings = {
        "smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none",
        "smtp_timeout": 5, "smtp_answer_timeout": 0.3,
    }  # fmt: skip
    Account.objects.filter(pk=inbox.account_id).update(
        provider="imap_smtp" if port else "local", settings=settings, undo_seconds=0
    )
    draft = create_draft(
        actor=actor, inbox=inbox, identity=inbox.account.identities.get(),
        **{"to": ["ada@customer.example"], "subject": "News", "body": "Hello"} | fields,
    )  # fmt: skip
    return propose_submission(actor=actor, draft=draft)


def release(submission: Submission, reviewer) -> Submission:
    return release_submission(submission=submission, approved_by=reviewer, sha256=submission.sha256)


def fate(submission: Submission) -> str:
    submission.refresh_from_db()
    return submission.state


def hurry() -> None:
    """Let every pause be over."""
    past = timezone.now() - timedelta(seconds=1)
    Submission.objects.filter(state="pending").update(send_at=past)
    Job.objects.filter(state="queued").update(run_at=past)


def recover() -> None:
    """Do what a worker does that comes, when the leases are over, after one that died."""
    past = timezone.now() - timedelta(seconds=1)
    Submission.objects.filter(state="sending").update(leased_until=past)
    Job.objects.filter(state="running").update(leased_until=past)
    jobs.sweep()
    delivery.sweep_submissions()
    hurry()
    jobs.run_due()


def check_proposed() -> None:
    """Check what was proposed, as a worker does right afterwards."""
    check_due(Approval.objects.filter(checks_due=True))
