"""Calendars at an address of their own, for whoever has it."""

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models import Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class FeedDetail(models.TextChoices):
    """How much a feed tells."""

    FULL = "full", pgettext_lazy("choice", "Full")
    BUSY = "busy", pgettext_lazy("choice", "Free/busy")


class CalendarFeedQuerySet(VisibleQuerySet["CalendarFeed"]):
    """Feeds of calendars."""

    account_path = "calendar__account_id"

    def live(self) -> "CalendarFeedQuerySet":
        """Leave out those that were revoked, or whose calendar is deleted."""
        return self.filter(revoked_at=None, calendar__deleted_at=None)


class CalendarFeed(PublicModel):
    """A calendar that is read at a secret address, without signing in; only its hash is kept."""

    ID_PREFIX = "fed"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    calendar = models.ForeignKey(
        "calendar_app.Calendar", models.CASCADE, related_name="feeds",
        verbose_name=pgettext_lazy("field", "calendar"),
    )  # fmt: skip
    # Whom the address was given to, in the words of who made it; the feed does not tell it.
    name = models.CharField(pgettext_lazy("field", "name"), max_length=100)
    detail = models.CharField(
        pgettext_lazy("field", "detail"), max_length=4, choices=FeedDetail, default=FeedDetail.BUSY
    )
    # SHA-256 in hex of what is secret in the address: 32 random bytes need no slow hash.
    digest = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)
    revoked_at = models.DateTimeField(pgettext_lazy("field", "revoked at"), null=True, blank=True)
    # Reads within a minute count as one.
    last_read_at = models.DateTimeField(
        pgettext_lazy("field", "last read at"), null=True, blank=True
    )
    reads = models.PositiveIntegerField(pgettext_lazy("field", "reads"), default=0)
    # What it said when it was last read (`Feed.etag`), and since when it has said that.
    etag = models.CharField(max_length=64, blank=True)
    changed_at = models.DateTimeField(null=True, blank=True)

    objects = CalendarFeedQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "calendar feed")
        verbose_name_plural = pgettext_lazy("rows", "calendar feeds")

    def __str__(self) -> str:
        return self.name
