"""How much each tab holds, as far as it is worth counting."""

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from agents.admin.queue.positions import NOTED, not_done_with, unanswered, unsettled
from agents.approval.answered import CLOSED_BY_ANSWER
from agents.models import Approval, ApprovalState
from inbox.actor import Actor
from inbox.models import Activity, ActivityStatus
from inbox.prepared import Prepared
from inbox.viewer import Viewer

COUNTED = 100
# In the order of its index each is counted no further than it must be.
_IN_QUEUE = ("pressing", "created_at", "pk")


def count_tabs(viewer: Viewer, asof: datetime) -> dict[str, str]:
    """Return how much each tab holds, `100+` beyond a hundred; Done is not counted.

    What came in with the proposal that answers it is one, and waits.
    """
    found = _COUNTS.counts(actor=viewer.actor, asof=asof)
    # Of each workspace there is one of each.
    each = iter([sum(found[at::_EACH]) for at in range(_EACH)])
    held, quarantined, noted = len(unsettled(viewer.actor)) + next(each), next(each), next(each)
    surfaced = sum(each)
    counts = {
        "needs-you": held + surfaced,
        "waiting": held,
        "surfaced": surfaced,
        "quarantine": quarantined,
        "noted": noted,
    }
    return {tab: f"{COUNTED}+" if n > COUNTED else str(n) for tab, n in counts.items()}


def _counted(*, actor: Actor, asof: datetime) -> list[QuerySet[Any]]:
    """Return the rows of each workspace, of each tab up to a hundred and one."""
    awake = Q(snoozed_until=None) | Q(snoozed_until__lte=asof)
    alone = unanswered(actor)
    found: list[QuerySet[Any]] = []
    for key in actor.workspace_ids:
        activities = Activity.objects.visible_to(actor.within(key))
        in_queue = activities.filter(awake).order_by(*_IN_QUEUE)
        approvals = Approval.objects.visible_to(actor.within(key)).filter(
            awake, state=ApprovalState.WAITING, held_by=""
        )
        found += [
            approvals.order_by("place_at", "pk"),
            in_queue.filter(status=ActivityStatus.QUARANTINED),
            activities.filter(NOTED, not_done_with(actor)).order_by("-created_at", "-pk"),
            *(in_queue.filter(alone, status=status) for status in CLOSED_BY_ANSWER),
        ]
    return [rows.values("pk")[: COUNTED + 1] for rows in found]


_EACH = 3 + len(CLOSED_BY_ANSWER)
_COUNTS = Prepared(_counted)
