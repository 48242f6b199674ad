"""What waits for a person and what does not get through, over all workspaces."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min
from django.utils import timezone

from agents.models import Approval, ApprovalState, WebhookEndpoint


@dataclass(frozen=True, slots=True)
class WaitingFigures:
    """The approvals that wait for a person: how many, and for how many seconds the oldest does."""

    count: int
    oldest_seconds: float


def approvals_waiting(now: datetime | None = None) -> WaitingFigures:
    """Return the figures of the queue that people look at."""
    now = now or timezone.now()
    waiting = Approval.objects.filter(state=ApprovalState.WAITING)
    found = waiting.aggregate(count=Count("pk"), oldest=Min("created_at"))
    oldest = found["oldest"]
    return WaitingFigures(found["count"], (now - oldest).total_seconds() if oldest else 0.0)


def webhooks_failing() -> int:
    """Return how many endpoints are told of events and do not answer."""
    return WebhookEndpoint.objects.filter(is_enabled=True).exclude(failing_since=None).count()
