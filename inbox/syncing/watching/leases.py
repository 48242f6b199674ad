"""Which process watches which account: rights of some minutes, which are renewed all at once."""

import secrets
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Least
from django.utils import timezone

from inbox.models.remote import RemoteFolder, SyncState, SyncStateQuerySet, SyncStatus
from inbox.providers import PROVIDERS, hosts_of
from inbox.syncing.scheduling import UNWATCHED

HELD_FOR = timedelta(minutes=4)
# A sync needs a connection beside the watcher's.
_FEWEST_CONNECTIONS = 2
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Watchable:
    """An account that can be watched: `server` is whose connections it counts among.

    `folder_id` is the key of its inbox, with the name at the server, where a mailbox is opened to
    watch it; None where the server tells of the account's mail as a whole. `needs_token`: signing
    in may have to ask another server first.
    """

    account_id: int
    workspace_id: int
    provider: str
    server: str
    folder_id: int | None
    folder_name: str
    needs_token: bool


def unwatched(now: datetime) -> Iterator[Watchable]:
    """Yield the accounts that could be watched and are not, by nobody."""
    free = Q(watched_until=None) | Q(watched_until__lte=now)
    inboxes = RemoteFolder.objects.filter(account=OuterRef("account"), role="inbox")
    rows = SyncState.objects.filter(
        free, status=SyncStatus.CURRENT, account__provider__in=_watched_providers()
    )
    columns = (
        "account_id", "workspace_id", "features", "account__provider", "account__settings",
        "folder_id", "folder_name",
    )  # fmt: skip
    found = rows.annotate(
        folder_id=Subquery(inboxes.order_by("pk").values("pk")[:1]),
        folder_name=Subquery(inboxes.order_by("pk").values("name")[:1]),
    )
    for row in found.order_by("watched_until", "pk").values(*columns).iterator(_AT_ONCE):
        if (watchable := _watchable(row)) is not None:
            yield watchable


def _watched_providers() -> list[str]:
    return [
        name for name, declared in PROVIDERS.items()
        if declared.watch_mail is not None or declared.read_mail_changes is not None
    ]  # fmt: skip


def _watchable(row: dict[str, Any]) -> Watchable | None:
    provider, settings = row["account__provider"], row["account__settings"]
    by_mailbox = PROVIDERS[provider].watch_mail is not None
    if settings.get("imap_max_connections", _FEWEST_CONNECTIONS) < _FEWEST_CONNECTIONS:
        return None
    if row["folder_id"] is None if by_mailbox else "push" not in row["features"]:
        return None
    server = next(iter(hosts_of(provider, settings).values()), provider).lower()
    return Watchable(
        account_id=row["account_id"],
        workspace_id=row["workspace_id"],
        provider=provider,
        server=server,
        folder_id=row["folder_id"] if by_mailbox else None,
        folder_name=row["folder_name"] if by_mailbox else "",
        needs_token=settings.get("auth") == "oauth",
    )


class Leases:
    """The right of one process to watch accounts, as long as it is renewed."""

    def __init__(self) -> None:
        self._fence = secrets.token_hex(16)

    def claim(self, account_ids: Sequence[int]) -> set[int]:
        """Take those that nobody else has by now; return which."""
        now = timezone.now()
        free = Q(watched_until=None) | Q(watched_until__lte=now)
        rows = SyncState.objects.filter(account_id__in=account_ids)
        rows.filter(free, status=SyncStatus.CURRENT).update(
            watch_fence=self._fence, watched_until=now + HELD_FOR
        )
        own = rows.filter(watch_fence=self._fence, watched_until__gt=now)
        return set(own.values_list("account_id", flat=True))

    def renew(self) -> set[int]:
        """Keep them; return those that were not lost, and are neither paused, refused nor gone."""
        rows = self._own().filter(status=SyncStatus.CURRENT)
        rows.update(watched_until=timezone.now() + HELD_FOR)
        return set(rows.values_list("account_id", flat=True))

    def release(self, account_ids: Collection[int] | None = None) -> None:
        """Give some back, or all of them; the rounds come more often again."""
        soon = timezone.now() + UNWATCHED
        rows = self._own()
        if account_ids is not None:
            rows = rows.filter(account_id__in=list(account_ids))
        rows.filter(next_at__isnull=False).update(next_at=Least("next_at", soon))
        rows.update(watch_fence="", watched_until=None)

    def _own(self) -> SyncStateQuerySet:
        return SyncState.objects.filter(watch_fence=self._fence)
