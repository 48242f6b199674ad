"""What stands beside rows for the search, made anew for those that were stored before.

What is stored now has it from the beginning. What was here before an update is gone through in the
background, some rows a job, each job enqueuing the next; a search finds everything meanwhile.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Model, QuerySet

from inbox.background.jobs import enqueue

AT_ONCE = 50
Row = TypeVar("Row", bound=Model)


def renew_words(
    job: str, rows: QuerySet[Row], after: int, words: Callable[[Sequence[Row]], Sequence[str]]
) -> None:
    """Renew the `search_extra` of the next rows after a key, oldest first, and go on."""
    with transaction.atomic():
        # Held, so that what somebody saves meanwhile stands.
        locked = rows.select_for_update(of=("self",)).filter(pk__gt=after).order_by("pk")
        found = list(locked[:AT_ONCE])
        changed = []
        for row, extra in zip(found, words(found), strict=True):
            there: Any = row
            if there.search_extra != extra:
                there.search_extra = extra
                changed.append(row)
        rows.model._default_manager.bulk_update(changed, ["search_extra"])
        if len(found) == AT_ONCE:
            last = found[-1].pk
            enqueue(job, {"after": last}, key=f"{job}:{last}", priority=9)
