"""Messages that wait and were not checked yet: checked before anybody is shown them."""

from collections.abc import Iterable

from agents.models import Approval
from inbox.background.jobs import run_now

CHECK = "approval.check"
# A language model reads the message as well, in a job of its own, where an owner wants that.
READ = "approval.read"


def check_due(approvals: Iterable[Approval]) -> None:
    """Check the messages that were not checked yet, and set on the rows what was found.

    A worker does so right after each was proposed; here it is done for whoever looks before.
    """
    for approval in approvals:
        if approval.checks_due:
            run_now(CHECK, {"approval_id": approval.pk})
            approval.refresh_from_db(fields=["risk_flags", "marks", "checks_due"])
