"""What agents were shown goes after 30 days; the receipts keep it."""

from datetime import datetime, timedelta

from django.utils import timezone

from agents.models import Exposure

KEPT = timedelta(days=30)
_PURGED_AT_ONCE = 5000


def purge_exposures(now: datetime | None = None) -> int:
    """Remove what was shown more than 30 days ago, some at a time; return how many."""
    old = Exposure.objects.filter(at__lt=(now or timezone.now()) - KEPT).order_by("at")
    keys = list(old.values_list("pk", flat=True)[:_PURGED_AT_ONCE])
    return Exposure.objects.filter(pk__in=keys).delete()[0]
