"""When series take place, worked out once a month, and where nobody did as they were saved."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from calendar_app.models import Event, Expansion
from calendar_app.operations.keeping import work_out
from inbox.background.periodic import periodic

# So many series in one transaction, and so many of these by one run of the job.
_AT_ONCE, _TIMES = 25, 8


@periodic(60)
def work_out_due(now: datetime | None = None) -> int:
    """Work out those series whose time has come, some at a time; return how many.

    Those that were there before an update, that came in past the operations, and all once a month.
    """
    total = 0
    for _ in range(_TIMES):
        done = _work_out_some(now or timezone.now())
        total += done
        if done < _AT_ONCE:
            break
    return total


def _work_out_some(now: datetime) -> int:
    due = Expansion.objects.filter(renew_at__lte=now).order_by("renew_at", "pk")
    keys = list(due.values_list("pk", flat=True)[:_AT_ONCE])
    if not keys:
        return 0
    with transaction.atomic():
        # Nobody changes them between the reading and the writing.
        series = Event.objects.select_for_update(of=("self",)).filter(pk__in=keys).order_by("pk")
        Expansion.objects.bulk_create(
            [work_out(event, now) for event in series],
            update_conflicts=True,
            unique_fields=["event"],
            update_fields=["since", "until", "starts", "renew_at"],
        )
    return len(keys)
