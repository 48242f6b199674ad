"""Looking through files: a folder's page, a file's page, and bringing back what was deleted."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from agents import receipts
from agents.admin.files import queries
from agents.admin.origins.lists import origin_chip
from agents.receipts import ReceiptEntry
from inbox.actor import system_actor
from inbox.admin.base import BoundedPaginator
from inbox.admin.finding import first_or_404, let_decide
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Account, FileNode
from inbox.operations.files import restore_file
from inbox.reasons import say
from inbox.viewer import Viewer, viewer_of

ON_A_PAGE = 100
_MOST_ACCOUNTS = 100


@require_safe
def files(request: HttpRequest) -> HttpResponse:
    """Show the top of an account; which one is asked first where there are several."""
    viewer = viewer_of(request)
    accounts = Account.objects.visible_to(viewer.actor).order_by("address", "pk")
    asked = request.GET.get("account", "")
    if asked:
        account = first_or_404(accounts.with_public_id(asked), "account")
        return _folder(request, viewer, account, None)
    found = list(accounts[:_MOST_ACCOUNTS])
    if len(found) == 1:
        return _folder(request, viewer, found[0], None)
    context = {**admin.site.each_context(request), "title": _("Files"), "accounts": found}
    return TemplateResponse(request, "chancery/files/folder.html", context)


@require_safe
def file(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show a folder with what stands in it, or a file with its versions and where it went."""
    viewer = viewer_of(request)
    found = find_file(viewer, public_id)
    if found.is_folder and found.deleted_at is None:
        return _folder(request, viewer, found.account, found)
    versions = queries.read_versions(viewer, found)
    breadcrumbs = queries.read_breadcrumbs(viewer, found.account, found)
    context = {
        **admin.site.each_context(request),
        "title": found.name,
        "file": found,
        "breadcrumbs": breadcrumbs,
        "back": breadcrumbs[-1],
        "versions": versions,
        "carried": queries.read_messages_with_file(viewer, found),
        "says": found.text[: queries.LONGEST_TEXT],
        "is_cut": len(found.text) > queries.LONGEST_TEXT,
        "may_be_picture": queries.may_be_picture(found),
        "may_restore": found.deleted_at is not None and viewer.may_decide(found.workspace_id),
        "may_change": found.deleted_at is None and viewer.may_decide(found.workspace_id),
        "by": versions[0].by if versions else "",
        "origin": origin_chip(public_id, queries.read_origin(found)),
    }
    return TemplateResponse(request, "chancery/files/file.html", context)


@require_POST
def restore(request: HttpRequest, public_id: str) -> HttpResponse:
    """Bring a deleted file back, or a folder with what went with it."""
    viewer = viewer_of(request)
    found = find_file(viewer, public_id)
    let_decide(request, found.workspace_id)
    try:
        restore_file(actor=system_actor(found.workspace_id, "Restoring"), file=found)
    except DomainError as error:
        messages.error(request, words_of(error))
    else:
        actor = viewer.actor.within(found.workspace_id)
        entry = ReceiptEntry(
            tool="restore_file", arguments={"file_id": found.public_id},
            reason=say("brought_back_by", person=actor.name),
        )  # fmt: skip
        receipts.record(actor, entry)
        messages.success(request, _("Restored %(name)s.") % {"name": found.name})
    return HttpResponseRedirect(reverse("file", args=[public_id]))


def find_file(viewer: Viewer, public_id: str) -> FileNode:
    """Return a file or folder as far as the person sees it, deleted or not."""
    rows = FileNode.objects.visible_to(viewer.actor).with_public_id(public_id)
    return first_or_404(rows.select_related("account"), "file")


def _folder(
    request: HttpRequest, viewer: Viewer, account: Account, folder: FileNode | None
) -> HttpResponse:
    paginator: Any = BoundedPaginator(queries.standing_in(viewer, account, folder), ON_A_PAGE)
    rows = paginator.get_page(request.GET.get("p"))
    shown: list[Any] = list(rows.object_list)
    names = queries.name_actors(viewer, [row.modified_by for row in shown])
    sent = queries.find_sent(shown)
    for row in shown:
        row.by = names.get(row.modified_by, "")
        row.was_sent = row.blob_id in sent
    breadcrumbs = queries.read_breadcrumbs(viewer, account, folder)
    context = {
        **admin.site.each_context(request),
        "title": folder.name if folder else _("Files"),
        "folder": folder,
        "account": account,
        "breadcrumbs": breadcrumbs if folder else [],
        "back": breadcrumbs[-1] if folder else None,
        "rows": rows,
        "shown": shown,
        "may_change": viewer.may_decide(account.workspace_id),
        "start": "?" if folder else f"?account={account.public_id}&",
    }
    return TemplateResponse(request, "chancery/files/folder.html", context)
