"""Files and folders of the accounts, their versions, and what was deleted."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from inbox.actor import Actor, system_actor
from inbox.admin.messages.downloads import as_download, as_picture
from inbox.admin.messages.lists import ReadingAdmin
from inbox.admin.restoring import DeletedFilter, RestoringAdmin
from inbox.admin.searching import MOST_FOUND, Found, SearchedAdmin
from inbox.files.images import LARGEST, read_picture
from inbox.models import Account, FileNode, FileVersion
from inbox.operations.files import restore_file
from inbox.search import MOST_SEARCHED
from inbox.search.files import find_file_keys
from inbox.templatetags.chancery import mail, when
from inbox.viewer import Viewer, viewer_of


@admin.register(FileNode)
class FileRows(SearchedAdmin, ReadingAdmin, RestoringAdmin):
    """Files and folders by path; deleted ones stand in a list of their own."""

    searched_as = "files"
    page = "file"
    list_display = ("path_line", "kind", "held", "version", "changed", "account")
    list_select_related = ("account",)
    list_filter = (DeletedFilter, "kind", ("account", admin.RelatedOnlyFieldListFilter))
    search_fields = ("name",)
    ordering = ("account", "path_key")

    def visible(self, rows: QuerySet[Any], viewer: Viewer) -> QuerySet[Any]:
        """Leave out the long columns."""
        return super().visible(rows, viewer).defer(*FileNode.LIST_DEFERRED)

    def found(self, actor: Actor, query: str) -> Found:
        """Return the files that are found, in names and texts; raises DomainError."""
        accounts = list(Account.objects.visible_to(actor).order_by("pk")[:MOST_SEARCHED])
        hits = find_file_keys(actor=actor, accounts=accounts, query=query, limit=MOST_FOUND)
        return Found(list(hits), {})

    def restore(self, row: Any) -> None:
        """Bring a file back, or a folder with what went with it."""
        restore_file(actor=system_actor(row.workspace_id, "Restoring"), file=row)

    @admin.display(description=_("path"), ordering="path_key")
    def path_line(self, file: FileNode) -> SafeString:
        """Where it stands, leading to what is known of it."""
        place = reverse("file", args=[file.public_id])
        return format_html('<a href="{}">{}</a>', place, mail(file.path, 160))

    @admin.display(description=_("size"), ordering="size")
    def held(self, file: FileNode) -> str:
        """How large it is."""
        return "" if file.is_folder else filesizeformat(file.size)

    @admin.display(description=_("changed"), ordering="modified_at")
    def changed(self, file: FileNode) -> SafeString:
        """When it got the content that it has."""
        return when(file.modified_at)


@require_safe
def file_version(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """Hand out what a file held, as a download; deleted ones too, while they are kept."""
    found = _version(request, public_id, number)
    return as_download(_bytes(found), found.file.name)


@require_safe
def file_picture(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """Hand out what a file held as the picture that its bytes are, for the page that shows it."""
    found = _version(request, public_id, number)
    content = _bytes(found) if found.size <= LARGEST else b""
    picture = read_picture(content)
    if picture is None:
        raise Http404("It is no picture that is shown.")
    return as_picture(content, picture.content_type)


def _version(request: HttpRequest, public_id: str, number: int) -> FileVersion:
    files = FileNode.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    rows = FileVersion.objects.filter(file__in=files, number=number)
    found = rows.select_related("file", "blob").first()
    if found is None:
        raise Http404("There is no such file.")
    return found


def _bytes(version: FileVersion) -> bytes:
    try:
        return version.blob.read()
    except (FileNotFoundError, ValueError) as error:
        raise Http404("The storage has lost these bytes.") from error
