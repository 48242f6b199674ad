"""What a person does with files. Nothing is done by GET; each change has its receipt."""

from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from agents.admin.activities.finding import say_done
from agents.admin.files.views import find_file
from agents.operations.by_hand import files as by_hand
from inbox.actor import Actor
from inbox.admin.finding import first_or_404, let_decide
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Account, FileNode
from inbox.viewer import viewer_of

MOST_AT_ONCE = 50


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    """Put the given files into a folder, or at the top of an account."""
    account, folder = _place(request)
    actor = _person(request, account.workspace_id)
    given: list[Any] = request.FILES.getlist("file")
    if not given:
        messages.error(request, _("Choose a file first."))
    elif len(given) > MOST_AT_ONCE:
        most = _("You can upload at most %(most)s files at once.")
        messages.error(request, most % {"most": MOST_AT_ONCE})
    else:
        _upload(request, actor, account, folder, given)
    return _to(account, folder)


def _upload(
    request: HttpRequest, actor: Actor, account: Account, folder: FileNode | None,
    given: list[Any],
) -> None:  # fmt: skip
    stored = 0
    for one in given:
        name = one.name or ""
        try:
            by_hand.check_size(one.size or 0)
            by_hand.upload_file(
                actor=actor, account=account, path=by_hand.path_in(folder, name),
                content=one.read(),
            )  # fmt: skip
        except DomainError as error:
            messages.error(request, f"{name[:120]}: {words_of(error)}")
        else:
            stored += 1
    if stored:
        words = ngettext("%(number)s file uploaded.", "%(number)s files uploaded.", stored)
        messages.success(request, words % {"number": stored})


@require_POST
def make_folder(request: HttpRequest) -> HttpResponse:
    """Make a folder in a folder, or at the top of an account."""
    account, folder = _place(request)
    actor = _person(request, account.workspace_id)
    try:
        path = by_hand.path_in(folder, request.POST.get("name", "").strip())
        made = by_hand.make_folder(actor=actor, account=account, path=path)
    except DomainError as error:
        messages.error(request, words_of(error))
        return _to(account, folder)
    messages.success(request, _("Folder %(name)s created.") % {"name": made.name})
    return _to(account, made)


@require_POST
def new_version(request: HttpRequest, public_id: str) -> HttpResponse:
    """Make what is given the newest version of a file."""
    found, actor = _file(request, public_id)
    given = request.FILES.get("file")
    if not isinstance(given, UploadedFile):
        messages.error(request, _("Choose a file first."))
        return _back(found)
    try:
        by_hand.check_size(given.size or 0)
        written = by_hand.write_version(actor=actor, file=found, content=given.read())
    except DomainError as error:
        messages.error(request, words_of(error))
    else:
        words = _("Version %(number)s of %(name)s uploaded. Earlier versions are kept.")
        messages.success(request, words % {"number": written.version, "name": written.name})
    return _back(found)


@require_POST
def move(request: HttpRequest, public_id: str) -> HttpResponse:
    """Rename a file or folder, or put it elsewhere: `path` is where it is to stand."""
    found, actor = _file(request, public_id)
    path, before = request.POST.get("path", "").strip(), found.path
    try:
        moved = by_hand.move(actor=actor, file=found, path=path)
    except DomainError as error:
        messages.error(request, words_of(error))
        return _back(found)
    if moved.path != before:
        words = _("Moved to %(path)s.") % {"path": moved.path}
        say_done(request, words, reverse("file-move", args=[found.public_id]), path=before)
    return _back(found)


@require_POST
def delete(request: HttpRequest, public_id: str) -> HttpResponse:
    """Delete a file, or a folder with all in it, and lead to where it stood."""
    found, actor = _file(request, public_id)
    try:
        by_hand.delete(actor=actor, file=found)
    except DomainError as error:
        messages.error(request, words_of(error))
        return _back(found)
    words = _("Deleted %(name)s.") % {"name": found.name}
    say_done(request, words, reverse("file-restore", args=[found.public_id]))
    return _to(found.account, found.parent)


def _person(request: HttpRequest, workspace_id: int) -> Actor:
    let_decide(request, workspace_id)
    return viewer_of(request).actor.within(workspace_id)


def _file(request: HttpRequest, public_id: str) -> tuple[FileNode, Actor]:
    found = find_file(viewer_of(request), public_id)
    return found, _person(request, found.workspace_id)


def _place(request: HttpRequest) -> tuple[Account, FileNode | None]:
    """Return where something is to be put, as far as the person sees it: account and folder."""
    viewer, folder = viewer_of(request), request.POST.get("folder", "")
    if folder:
        found = find_file(viewer, folder)
        return found.account, found if found.is_folder else found.parent
    rows = Account.objects.visible_to(viewer.actor)
    return first_or_404(rows.with_public_id(request.POST.get("account", "")), "account"), None


def _back(file: FileNode) -> HttpResponse:
    return HttpResponseRedirect(reverse("file", args=[file.public_id]))


def _to(account: Account, folder: FileNode | None) -> HttpResponse:
    if folder is not None:
        return HttpResponseRedirect(reverse("file", args=[folder.public_id]))
    return HttpResponseRedirect(f"{reverse('files')}?account={account.public_id}")
