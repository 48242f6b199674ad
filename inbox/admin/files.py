"""Files and folders of the accounts, their versions, and what was deleted."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from inbox.actor import system_actor
from inbox.admin.base import KeptInline
from inbox.admin.downloads import as_download
from inbox.admin.restoring import DeletedFilter, RestoringAdmin
from inbox.models import FileNode, FileVersion
from inbox.operations.files import restore_file
from inbox.templatetags.chancery import mail, when
from inbox.viewer import Viewer, viewer_of


def _download(file: FileNode, number: int, words: str) -> SafeString:
    place = reverse("file-version", args=[file.public_id, number])
    return format_html('<a href="{}" download>{}</a>', place, words)


class VersionsInline(KeptInline):
    """What the file held, the newest first."""

    model = FileVersion
    verbose_name_plural = "versions"
    fields = ("number", "held", "created_at", "created_by", "content")
    readonly_fields = fields
    ordering = ("-number",)

    @admin.display(description="size")
    def held(self, version: FileVersion) -> str:
        """How large it was."""
        return filesizeformat(version.size)

    @admin.display(description="content")
    def content(self, version: FileVersion) -> SafeString:
        """A link that downloads it."""
        return _download(version.file, version.number, "Download")


@admin.register(FileNode)
class FileRows(RestoringAdmin):
    """Files and folders by path; deleted ones stand in a list of their own."""

    list_display = ("path_line", "kind", "held", "version", "changed", "account", "content")
    list_display_links = None
    list_select_related = ("account",)
    list_filter = (DeletedFilter, "kind", ("account", admin.RelatedOnlyFieldListFilter))
    search_fields = ("name",)
    ordering = ("account", "path_key")
    fields = (
        "path", "kind", "account", "held", "content_type", "version", "created_at", "modified_at",
        "modified_by", "deleted_at", "says",
    )  # fmt: skip
    readonly_fields = ("held", "says")
    inlines = (VersionsInline,)

    def visible(self, rows: QuerySet[Any], viewer: Viewer) -> QuerySet[Any]:
        """Leave out the long columns."""
        return super().visible(rows, viewer).defer(*FileNode.LIST_DEFERRED)

    def restore(self, row: Any) -> None:
        """Bring a file back, or a folder with what went with it."""
        restore_file(actor=system_actor(row.workspace_id, "Restoring"), file=row)

    @admin.display(description="path", ordering="path_key")
    def path_line(self, file: FileNode) -> SafeString:
        """Where it stands, leading to what is known of it."""
        place = reverse("admin:inbox_filenode_change", args=[file.pk])
        return format_html('<a href="{}">{}</a>', place, mail(file.path, 160))

    @admin.display(description="size", ordering="size")
    def held(self, file: FileNode) -> str:
        """How large it is."""
        return "" if file.is_folder else filesizeformat(file.size)

    @admin.display(description="changed", ordering="modified_at")
    def changed(self, file: FileNode) -> SafeString:
        """When it got the content that it has."""
        return when(file.modified_at)

    @admin.display(description="content")
    def content(self, file: FileNode) -> SafeString | str:
        """A link that downloads it."""
        return "" if file.is_folder else _download(file, file.version, "Download")

    @admin.display(description="text")
    def says(self, file: FileNode) -> SafeString:
        """The beginning of what a search finds in it."""
        return format_html('<div class="kept">{}</div>', mail(file.text[:2000] or "(none)", 2000))


@require_safe
def file_version(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """Hand out what a file held, as a download; deleted ones too, while they are kept."""
    rows = FileVersion.objects.filter(
        file__in=FileNode.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    )
    found = rows.filter(number=number).select_related("file", "blob").first()
    if found is None:
        raise Http404("There is no such file.")
    try:
        return as_download(found.blob.read(), found.file.name)
    except (FileNotFoundError, ValueError) as error:
        raise Http404("The storage has lost these bytes.") from error
