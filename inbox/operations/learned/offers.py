"""What people always decide alike is offered as a correction, once for a sender or its domain."""

from collections import defaultdict
from datetime import timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from inbox.errors import DomainError
from inbox.models import (
    ActivityChange,
    ActivitySource,
    ActivityStatus,
    Correction,
    CorrectionOffer,
    CorrectionRoute,
    CorrectionScope,
    Workspace,
)
from inbox.reasons import phrase as _

# So many decisions alike, of different items, within this time.
LEAST_ALIKE: Final = 5
SINCE: Final = timedelta(days=90)
MOST_LOOKED_AT: Final = 5_000
MOST_OFFERED: Final = 10
_ROUTES: Final = {
    ActivityStatus.ARCHIVED.value: CorrectionRoute.DISMISS,
    ActivityStatus.PROCESSED.value: CorrectionRoute.NOTE,
    ActivityStatus.NEEDS_REVIEW.value: CorrectionRoute.REVIEW,
    ActivityStatus.SURFACED.value: CorrectionRoute.SURFACE,
}


def offer_corrections(workspace: Workspace) -> int:
    """Offer what people of a workspace decided alike of each item of a sender; return how many.

    What was offered, corrected or revoked of a sender is not offered again.
    """
    found = _alike(workspace)
    senders = list(found)
    scope = {"workspace": workspace, "scope": CorrectionScope.SENDER, "value__in": senders}
    known = set(CorrectionOffer.objects.filter(**scope).values_list("value", flat=True))
    known |= set(Correction.objects.filter(**scope).values_list("value", flat=True))
    rows = [
        CorrectionOffer(
            workspace=workspace, scope=CorrectionScope.SENDER, value=sender,
            route=_ROUTES[statuses[0]], count=len(statuses), activity_id=newest,
        )
        for sender, (newest, statuses) in found.items()
        if sender not in known
    ]  # fmt: skip
    rows.sort(key=lambda row: -row.count)
    made = CorrectionOffer.objects.bulk_create(rows[:MOST_OFFERED], ignore_conflicts=True)
    return len(made)


def _alike(workspace: Workspace) -> dict[str, tuple[int, list[str]]]:
    """Return, by sender, the newest item and where people put each one, where all are alike."""
    changes = ActivityChange.objects.filter(
        workspace=workspace, by__startswith="person:", correction=None, undoes=None, undone_by=None,
        at__gte=timezone.now() - SINCE, activity__source=ActivitySource.EMAIL,
    ).order_by("-pk")  # fmt: skip
    newest = changes.values_list("activity_id", "activity__sender", "after")[:MOST_LOOKED_AT]
    by_sender: dict[str, dict[int, str]] = defaultdict(dict)
    for key, sender, after in newest:
        if sender and "status" in after:
            by_sender[sender.lower()].setdefault(key, after["status"])
    return {
        sender: (next(iter(items)), list(items.values()))
        for sender, items in by_sender.items()
        if len(items) >= LEAST_ALIKE
        and len(set(items.values())) == 1
        and next(iter(items.values())) in _ROUTES
    }


def dismiss_offer(*, offer: CorrectionOffer, by: User) -> None:
    """Offer it no more; raises DomainError (`conflict`) where it is closed."""
    with transaction.atomic():
        close_offer(open_offer(offer), by, None)


def open_offer(offer: CorrectionOffer) -> CorrectionOffer:
    """Return an offer, locked; raises DomainError (`conflict`) where it is closed."""
    rows = CorrectionOffer.objects.select_for_update(of=("self",)).select_related("activity")
    row = rows.filter(pk=offer.pk, closed_at=None).first()
    if row is None:
        raise DomainError("conflict", _("It was already decided."))
    return row


def close_offer(row: CorrectionOffer, by: User, correction: Correction | None) -> None:
    """Close an offer that is open: with the correction made of it, or dismissed."""
    row.correction, row.closed_at, row.closed_by_name = (
        correction,
        timezone.now(),
        by.get_username(),
    )
    row.save(update_fields=["correction", "closed_at", "closed_by_name"])
