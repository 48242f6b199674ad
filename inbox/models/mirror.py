"""The mirror of a remote account as a cache: how old what we hold is, and how well that serves."""

from typing import ClassVar

from django.db import models

from inbox.models.base import VisibleQuerySet


class MirrorEntryQuerySet(VisibleQuerySet["MirrorEntry"]):
    """Entries of the mirror."""

    account_path = "account_id"


class MirrorEntry(models.Model):
    """One thing that is asked for, such as a list of mail by its parameters.

    It holds no data: those are our own rows. It says when the provider was asked last, and counts.
    """

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    account = models.ForeignKey("Account", models.CASCADE, related_name="+")
    # `email_list:acc_…:3f0c…`: the resource, the account, and a digest or the row's id.
    name = models.CharField(max_length=200)
    resource = models.CharField(max_length=20)
    # How it was answered last: fresh, stale or miss.
    status = models.CharField(max_length=5)
    # When the provider was asked last; null once it was invalidated.
    cached_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField()
    bytes = models.PositiveBigIntegerField(default=0)
    hits = models.PositiveBigIntegerField(default=0)
    misses = models.PositiveBigIntegerField(default=0)

    objects = MirrorEntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "mirror entries"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["account", "name"], name="mirror_entry_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["account", "used_at"], name="mirror_entry_used"),
            models.Index(fields=["used_at"], name="mirror_entry_unused"),
        ]

    def __str__(self) -> str:
        return self.name
