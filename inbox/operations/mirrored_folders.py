"""Folders that lie at a server as well, and whether what stands in them may be changed here."""

from inbox.errors import DomainError
from inbox.models import RemoteCollection
from inbox.reasons import phrase as _


def check_writable(*, account_id: int, keys: list[str], field: str = "") -> None:
    """Raise DomainError `permission_denied` if one of these paths lies in a folder only to be read.

    `keys` are paths without regard to case. The folder itself is ours: to delete it parts with it.
    """
    above = {
        "/".join(steps[:depth])
        for steps in (key.split("/") for key in keys)
        for depth in range(2, len(steps))
    }
    if not above:
        return
    rows = RemoteCollection.objects.filter(
        folder__account=account_id, folder__path_key__in=above, folder__deleted_at=None
    )
    for collection in rows.select_related("source", "folder"):
        if not collection.may_write and collection.folder is not None:
            path = collection.folder.path
            raise DomainError(
                "permission_denied",
                _("%(path)s is read-only here. Change it at its source.", path=path),
                field=field,
                accepted=_("a folder that may be changed"),
            )
