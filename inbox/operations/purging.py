"""What was deleted softly: how long a person can bring it back, and its end after that."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

# For so long a person can restore what was deleted.
KEPT_FOR = timedelta(days=30)
PURGED_AT_ONCE = 500


def purge(
    rows: QuerySet[Any],
    now: datetime | None = None,
    *,
    most: int = PURGED_AT_ONCE,
    first: Callable[[QuerySet[Any]], None] = lambda _: None,
    last: Callable[[], None] = lambda: None,
) -> int:
    """Remove for good those of the rows that were deleted 30 days ago; return how many.

    The oldest `most` of them, and what was restored just now stays. `first` is done to the rows in
    the transaction that then removes them, and `last` is done in it when they are gone.
    """
    before = (now or timezone.now()) - KEPT_FOR
    due = rows.filter(deleted_at__lt=before).order_by("deleted_at", "-pk")
    keys = list(due.values_list("pk", flat=True)[:most])
    model = rows.model
    with transaction.atomic():
        still = model._default_manager.filter(pk__in=keys, deleted_at__lt=before)
        first(still)
        removed: int = still.delete()[1].get(model._meta.label, 0)
        last()
    return removed
