"""What the mirror noted as asked, forgotten: whoever writes says so here, and waits for no sync."""

from collections.abc import Set as AbstractSet

from django.db.models import QuerySet

from inbox.models import Account, MirrorEntry

# What is read for each: mail, which a sync of the account brings, and kinds of collections, which
# may have servers of their own.
READ_FOR: dict[str, AbstractSet[str]] = {
    "email_list": frozenset({"mail"}), "email": frozenset({"mail"}),
    "file_list": frozenset({"files"}), "file": frozenset({"files"}),
    "contact_list": frozenset({"contacts"}), "contact": frozenset({"contacts"}),
    "event_list": frozenset({"calendar"}), "event": frozenset({"calendar"}),
    "search": frozenset({"mail", "calendar", "files"}),
}  # fmt: skip


def touched(*, account: Account, resources: tuple[str, ...]) -> None:
    """Have the next readings ask anew: something of these resources was written through us."""
    invalidate(rows=MirrorEntry.objects.filter(account=account, resource__in=resources))


def invalidate(*, rows: QuerySet[MirrorEntry]) -> int:
    """Have the next readings of these entries ask anew; return how many were cached."""
    return rows.filter(cached_at__isnull=False).update(cached_at=None, bytes=0)
