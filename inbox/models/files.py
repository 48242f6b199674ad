"""Files and folders of an account, and what each file was before."""

from typing import ClassVar, Self

from django.db import models
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from inbox.models.base import PublicModel, VisibleQuerySet


class NodeKind(models.TextChoices):
    """What stands at a path."""

    FILE = "file", pgettext_lazy("choice", "File")
    FOLDER = "folder", pgettext_lazy("choice", "Folder")


class FileNodeQuerySet(VisibleQuerySet["FileNode"]):
    """Files and folders."""

    account_path = "account_id"

    def kept(self) -> Self:
        """Leave out what was deleted."""
        return self.filter(deleted_at=None)

    def below(self, folder: "FileNode") -> Self:
        """Keep what stands in a folder, at any depth."""
        return self.filter(account=folder.account_id, path_key__startswith=f"{folder.path_key}/")


class FileNode(PublicModel):
    """A file or folder; the root of an account has no row.

    Its content is the bytes of `blob`, kept once per workspace whoever has them.
    """

    ID_PREFIX = "fil"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    account = models.ForeignKey(
        "Account", models.CASCADE, related_name="+", verbose_name=pgettext_lazy("field", "account")
    )
    parent = models.ForeignKey(
        "self", models.CASCADE, null=True, blank=True, related_name="children"
    )
    kind = models.CharField(pgettext_lazy("field", "kind"), max_length=6, choices=NodeKind)
    name = models.CharField(max_length=255)
    # The whole path as written, like /Offers/June.pdf, and the same without regard to case.
    path = models.TextField()
    path_key = models.TextField()
    # None for a folder.
    blob = models.ForeignKey("Blob", models.PROTECT, null=True, blank=True, related_name="+")
    size = models.PositiveBigIntegerField(default=0)
    content_type = models.CharField(max_length=255, blank=True)
    # How many versions there were; the last one is the content.
    version = models.PositiveIntegerField(pgettext_lazy("field", "version"), default=0)
    created_at = models.DateTimeField(default=timezone.now)
    # Of the content.
    modified_at = models.DateTimeField(default=timezone.now)
    # Actor.key of who wrote the content.
    modified_by = models.CharField(max_length=40, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    # The name in words, and the words of scripts written without spaces.
    search_extra = models.TextField(blank=True)
    # What it says, for searching; cut.
    text = models.TextField(blank=True)

    objects = FileNodeQuerySet.as_manager()

    LIST_DEFERRED: ClassVar = ("text", "search_extra")

    class Meta:
        verbose_name = pgettext_lazy("rows", "file")
        verbose_name_plural = pgettext_lazy("rows", "files")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["account", "path_key"],
                condition=models.Q(deleted_at=None),
                name="file_path_once",
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["account", "parent", "-modified_at", "-id"], name="file_newest"),
            models.Index(fields=["workspace", "-modified_at", "-id"], name="file_of_workspace"),
            models.Index(fields=["workspace", "created_at", "id"], name="file_by_creation"),
            models.Index(fields=["workspace", "size", "id"], name="file_by_size"),
            models.Index(
                fields=["deleted_at"],
                condition=~models.Q(deleted_at=None),
                name="file_by_deletion",
            ),
        ]

    def __str__(self) -> str:
        return self.path

    @property
    def is_folder(self) -> bool:
        """Whether others stand in it."""
        return self.kind == NodeKind.FOLDER


class FileVersion(models.Model):
    """What a file held from a time on."""

    file = models.ForeignKey(FileNode, models.CASCADE, related_name="versions")
    # From 1 on.
    number = models.PositiveIntegerField()
    blob = models.ForeignKey("Blob", models.PROTECT, related_name="+")
    size = models.PositiveBigIntegerField()
    content_type = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=40, blank=True)

    class Meta:
        verbose_name = pgettext_lazy("rows", "file version")
        verbose_name_plural = pgettext_lazy("rows", "file versions")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["file", "number"], name="file_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.file} {self.number}"
