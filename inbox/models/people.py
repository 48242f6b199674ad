"""Whom we write with."""

from typing import ClassVar

from django.db import models

from inbox.models.accounts import Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class Person(PublicModel):
    """A correspondent; the names are those of RFC 6350 (fn, org, tel)."""

    ID_PREFIX = "per"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    # Lower case, for finding; one row an address and workspace.
    email = models.CharField(max_length=320)
    fn = models.CharField(max_length=300, blank=True)
    org = models.CharField(max_length=300, blank=True)
    tel = models.CharField(max_length=60, blank=True)
    first_contact_at = models.DateTimeField()
    last_contact_at = models.DateTimeField()
    # Messages from them to us, messages from us to them, and the sum, by which they are ordered.
    received_count = models.PositiveIntegerField(default=0)
    sent_count = models.PositiveIntegerField(default=0)
    contact_count = models.PositiveIntegerField(default=0)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "people"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "email"], name="person_email_once")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["workspace", "-contact_count", "-id"], name="person_most_contacted"
            )
        ]

    def __str__(self) -> str:
        return self.fn or self.email
