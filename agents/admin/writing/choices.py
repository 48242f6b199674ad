"""What the page of writing offers: as whom, to whom, which files, and what was begun before."""

from django.db.models import QuerySet
from django.template.defaultfilters import filesizeformat

from agents.admin.writing.originals import FORWARD, Original
from inbox.actor import Actor
from inbox.models import Draft, FileNode, Identity, Inbox, Person
from inbox.models.drafts import DraftQuerySet
from inbox.operations.drafts.writing import written_by
from inbox.viewer import Viewer

_PEOPLE, _FILES, _SENDERS = 300, 60, 100


def own_drafts(actor: Actor) -> DraftQuerySet:
    """Return the drafts that a person began; what a calendar tells is written on its pages."""
    return written_by(actor).filter(calendar="")


def senders(viewer: Viewer) -> QuerySet[Identity]:
    """Return as whom one may write, where one may decide."""
    places = [key for key in viewer.roles if viewer.may_decide(key)]
    rows = Identity.objects.visible_to(viewer.actor).offered().filter(workspace_id__in=places)
    served = rows.filter(account__in=Inbox.objects.visible_to(viewer.actor).values("account"))
    return served.select_related("account").order_by(
        "workspace_id", "account_id", "-is_default", "pk"
    )


def people(viewer: Viewer) -> list[tuple[str, str]]:
    """Return the addresses of those one writes with most, and their names."""
    rows = Person.objects.visible_to(viewer.actor).kept().exclude(email="")
    listed = rows.order_by("-contact_count", "-pk").values_list("email", "fn")[:_PEOPLE]
    return list(listed)


def offer(
    viewer: Viewer, *, original: Original | None = None, draft: Draft | None = None
) -> dict[str, list[tuple[str, str]]]:
    """Return what can be chosen, by the field: keys and words."""
    offered = {"stored": _files(viewer, original, draft)}
    if draft is not None:
        rows = draft.attachments.select_related("blob")
        offered["kept"] = [
            (str(one.position), f"{one.filename} ({filesizeformat(one.blob.size)})") for one in rows
        ]
        return offered
    rows_of = senders(viewer)
    if original is not None and original.kind != FORWARD:
        rows_of = rows_of.filter(account_id=original.message.inbox.account_id)
    offered["sender"] = [(str(one.pk), _named(one)) for one in rows_of[:_SENDERS]]
    if original is not None and original.kind == FORWARD:
        offered["forwarded"] = [
            (str(one.pk), f"{one.filename or one.content_type} ({filesizeformat(one.size)})")
            for one in original.message.attachments.visible_to(viewer.actor)
        ]
    return offered


def _named(one: Identity) -> str:
    return f"{one.name} <{one.email}>" if one.name else one.email


def _files(viewer: Viewer, original: Original | None, draft: Draft | None) -> list[tuple[str, str]]:
    """Return the newest files that can go with it: of its account, where that is clear."""
    rows = FileNode.objects.visible_to(viewer.actor).kept().exclude(blob=None)
    if draft is not None:
        rows = rows.filter(workspace_id=draft.workspace_id)
    elif original is not None:
        rows = rows.filter(workspace_id=original.message.workspace_id)
    else:
        places = [key for key in viewer.roles if viewer.may_decide(key)]
        rows = rows.filter(workspace_id__in=places)
    newest = rows.order_by("-modified_at", "-pk").values_list("pk", "path", "size")[:_FILES]
    return [(str(key), f"{path} ({filesizeformat(size)})") for key, path, size in newest]
