"""Bytes, kept once per workspace under the hash of their content."""

import hashlib
from typing import ClassVar

from django.core.files.storage import default_storage
from django.db import models

from inbox.files.storage import blob_name, store_bytes
from inbox.models.base import PublicModel, VisibleQuerySet


class Blob(PublicModel):
    """Bytes in Django's storage (RFC 8620 6), named by their SHA-256."""

    ID_PREFIX = "blb"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "sha256"], name="blob_content_once")
        ]

    def __str__(self) -> str:
        return self.sha256

    def read(self) -> bytes:
        """Return the bytes.

        Raises FileNotFoundError where the storage lost them and ValueError where they changed.
        """
        with default_storage.open(blob_name(self.workspace_id, self.sha256)) as file:
            content: bytes = file.read()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise ValueError(f"the stored bytes of blob {self.sha256} have changed")
        return content

    def read_head(self, size: int) -> bytes:
        """Return the first bytes, no more than `size`; nothing says that they are unchanged.

        Raises FileNotFoundError where the storage lost them.
        """
        with default_storage.open(blob_name(self.workspace_id, self.sha256)) as file:
            content: bytes = file.read(size)
        return content


def store_blob(workspace_id: int, content: bytes) -> Blob:
    """Put bytes into the storage, once, and return their row."""
    sha256 = store_bytes(workspace_id, content)
    blob, _ = Blob.objects.get_or_create(
        workspace_id=workspace_id, sha256=sha256, defaults={"size": len(content)}
    )
    return blob
