"""How much each tab holds, as far as it is worth counting."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from agents.admin.queue.positions import (
    NOTED,
    SLICES_AT_ONCE,
    not_done_with,
    unanswered,
    unsettled,
)
from agents.approval.answered import CLOSED_BY_ANSWER
from agents.models import Approval, ApprovalState
from inbox.actor import Actor
from inbox.models import Activity, ActivityStatus
from inbox.operations.batched import in_chunks
from inbox.viewer import Viewer

COUNTED = 100
# In the order of its index each is counted no further than it must be.
_IN_QUEUE = ("pressing", "created_at", "pk")


def count_tabs(viewer: Viewer, asof: datetime) -> dict[str, str]:
    """Return how much each tab holds, `100+` beyond a hundred; Done is not counted.

    What came in with the proposal that answers it is one, and waits.
    """
    actor = viewer.actor
    awake = Q(snoozed_until=None) | Q(snoozed_until__lte=asof)

    def activities(status: str, *also: Q) -> int:
        return _bounded(
            actor, Activity,
            lambda rows: rows.filter(awake, *also, status=status).order_by(*_IN_QUEUE),
        )  # fmt: skip

    held = len(unsettled(actor)) + _bounded(
        actor, Approval,
        lambda rows: (
            rows.filter(awake, state=ApprovalState.WAITING, held_by="").order_by("place_at", "pk")
        ),
    )  # fmt: skip
    alone = unanswered(actor)
    surfaced = sum(activities(status, alone) for status in CLOSED_BY_ANSWER)
    counts = {
        "needs-you": held + surfaced,
        "waiting": held,
        "surfaced": surfaced,
        "quarantine": activities(ActivityStatus.QUARANTINED),
        "noted": _bounded(
            actor,
            Activity,
            lambda rows: rows.filter(NOTED, not_done_with(actor)).order_by("-created_at", "-pk"),
        ),
    }
    return {tab: f"{COUNTED}+" if n > COUNTED else str(n) for tab, n in counts.items()}


def _bounded(actor: Actor, model: Any, chosen: Callable[[QuerySet[Any]], QuerySet[Any]]) -> int:
    """Count the chosen rows of each workspace up to a hundred and one, in one query."""
    slices = [
        chosen(model.objects.visible_to(actor.within(key)))[: COUNTED + 1]
        for key in actor.workspace_ids
    ]
    if len(slices) == 1:
        return slices[0].count()
    number = 0
    for chunk in in_chunks(slices, SLICES_AT_ONCE):
        parts = [
            model.objects.filter(pk__in=part.values("pk")).order_by().values("pk") for part in chunk
        ]
        number += parts[0].union(*parts[1:], all=True).count()
    return number
