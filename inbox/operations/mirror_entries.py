"""What the mirror noted as asked, forgotten: whoever writes says so here, and waits for no sync."""

from django.db.models import QuerySet

from inbox.models import Account, MirrorEntry


def touched(*, account: Account, resources: tuple[str, ...]) -> None:
    """Have the next readings ask anew: something of these resources was written through us."""
    invalidate(rows=MirrorEntry.objects.filter(account=account, resource__in=resources))


def invalidate(*, rows: QuerySet[MirrorEntry]) -> int:
    """Have the next readings of these entries ask anew; return how many were cached."""
    return rows.filter(cached_at__isnull=False).update(cached_at=None, bytes=0)
