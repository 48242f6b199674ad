"""What came of telling a provider and of reading it, and how far a first sync is."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import F
from django.utils import timezone

from inbox.models import Account, SyncState, SyncStatus


@dataclass(slots=True)
class PushOutcome:
    """What came of it: how many places were told of, and whether time was up before the end.

    `refused` says in words, a few times at most, what the server would not do; it stays as it is.
    """

    told: int = 0
    unfinished: bool = False
    refused: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Pulled:
    """What came of it: whether the first sync is over, or there is more to read now.

    `refused` says in words, a few times at most, which mailboxes could not be read.
    """

    is_first: bool
    unfinished: bool = True
    refused: list[str] = field(default_factory=list)

    def columns(self, asked_at: datetime) -> dict[str, Any]:
        """Return what to write into the SyncState; our rows are those of `asked_at` or later."""
        columns: dict[str, Any] = {"words": " ".join(self.refused)[:2000]}
        if not self.unfinished:
            columns["current_at"] = asked_at
        status = SyncStatus.FIRST if self.unfinished and self.is_first else SyncStatus.CURRENT
        return {**columns, "status": status}


def begin_first_sync(account: Account, there: int = 0) -> bool:
    """Return whether this is the first sync; note that it has begun, and how much there is."""
    rows = SyncState.objects.filter(account=account, first_done_at=None)
    if not rows.exists():
        return False
    rows.filter(started_at=None).update(
        started_at=timezone.now(), status=SyncStatus.FIRST, total=there
    )
    return True


def end_first_sync(account: Account) -> None:
    """Note that everything that lay there was dealt with."""
    rows = SyncState.objects.filter(account=account, first_done_at=None)
    rows.update(first_done_at=timezone.now(), total=F("done"))
