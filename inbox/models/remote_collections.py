"""Calendars, address books, lists of to-dos and files that a server has as well."""

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.models.remote import Synced
from inbox.reasons.fields import ShortFailureField


class RemoteSourceQuerySet(VisibleQuerySet["RemoteSource"]):
    """Servers of accounts."""

    account_path = "account_id"


class RemoteSource(Synced, PublicModel):
    """A server where collections of an account lie, with how to sign in there.

    Who holds `fence` until `leased_until` is the only one to sync it.
    """

    ID_PREFIX = "src"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    account = models.ForeignKey(
        "Account", models.CASCADE, related_name="sources",
        verbose_name=pgettext_lazy("field", "account"),
    )  # fmt: skip
    # A name in `inbox.providers.PROVIDERS`.
    provider = models.CharField(pgettext_lazy("field", "provider"), max_length=20)
    name = models.CharField(pgettext_lazy("field", "name"), max_length=200)
    # What the provider's declaration asks for: an address, a user name.
    settings = models.JSONField(default=dict, blank=True)
    # The password or the tokens, encrypted by `inbox.accounts.credentials`; never shown again.
    secret = models.BinaryField(null=True, blank=True, editable=False)
    # Until when somebody has the sole right to renew the tokens; null: nobody does.
    renewing_until = models.DateTimeField(null=True, blank=True, editable=False)
    # Nothing is written there, whatever the server would allow.
    read_only = models.BooleanField(pgettext_lazy("field", "read only"), default=False)
    # When its collections were listed last; null: not yet.
    listed_at = models.DateTimeField(null=True)
    # How many requests the last sync made.
    calls = models.PositiveIntegerField(default=0)
    # How many were made in the hour that began then, which its provider's limits are held against.
    calls_in_hour = models.PositiveIntegerField(default=0, editable=False)
    hour_began_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = RemoteSourceQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "connected server")
        verbose_name_plural = pgettext_lazy("rows", "connected servers")
        indexes: ClassVar = [
            models.Index(
                fields=["next_at"], condition=~models.Q(next_at=None), name="remote_source_due"
            )
        ]

    def __str__(self) -> str:
        return self.name


class RemoteCollectionQuerySet(VisibleQuerySet["RemoteCollection"]):
    """Collections at servers."""

    account_path = "source__account_id"


class RemoteCollection(PublicModel):
    """A collection at a server, and how far ours is in step with it.

    `position` is as of when all its changes were noted in its items; what they still lack is
    `stale`. It is the server's, and only its provider reads it.
    """

    ID_PREFIX = "col"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    source = models.ForeignKey(RemoteSource, models.CASCADE, related_name="collections")
    kind = models.CharField(max_length=10)
    # The server's id of it: a href, an id.
    href = models.CharField(max_length=1000)
    name = models.CharField(pgettext_lazy("field", "name"), max_length=200)
    color = models.CharField(max_length=7, blank=True)
    # Whether it is kept in step; what is not is only listed.
    is_taken = models.BooleanField(pgettext_lazy("field", "is taken"), default=False)
    # What the server allows, and what its owner wants.
    is_writable = models.BooleanField(default=True)
    read_only = models.BooleanField(pgettext_lazy("field", "read only"), default=False)
    # A person says that it is theirs: whom they put there is known, and what it says is their word.
    # Not so one that others write, such as a calendar that is only subscribed to.
    is_own = models.BooleanField(default=False)
    # Of files: the folder of ours that it is.
    folder = models.OneToOneField(
        "FileNode", models.SET_NULL, null=True, related_name="remote_collection"
    )
    # The server does not list it any more; what we have of it stays.
    is_gone = models.BooleanField(default=False)
    position = models.TextField(blank=True)
    first_done_at = models.DateTimeField(null=True)
    # When our rows were last known to be as the server's.
    current_at = models.DateTimeField(null=True)
    problem = ShortFailureField(max_length=500, blank=True)

    objects = RemoteCollectionQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "remote collection")
        verbose_name_plural = pgettext_lazy("rows", "remote collections")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["source", "kind", "href"], name="remote_collection_once"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def may_write(self) -> bool:
        """Whether what is changed here is told there."""
        return self.is_writable and not (self.read_only or self.is_gone or self.source.read_only)


class RemoteItem(models.Model):
    """An item of a collection, here and there, and what both agreed on last.

    `raw` is the item as the server had it then, and `agreed` what our rows said. What the server's
    differs from `raw` was changed there, what our rows differ from `agreed` was changed here.
    Without a `href` it was made here and the server has yet to be told.
    """

    collection = models.ForeignKey(RemoteCollection, models.CASCADE, related_name="items")
    # The server's id of it; null: it has none yet.
    href = models.CharField(max_length=1000, null=True)
    # The id that we chose for one made here; known before the server is told, so that a second
    # telling finds the first.
    offered_name = models.CharField(max_length=255, blank=True)
    # What our rows call it: the UID of an event, the key of a row; empty: there is none here.
    key = models.CharField(max_length=255, blank=True)
    etag = models.CharField(max_length=500, blank=True)
    raw = models.BinaryField(default=bytes, editable=False)
    agreed = models.JSONField(default=dict)
    # Of files: where it stands there below the collection; a folder's ends with a slash.
    path = models.TextField(blank=True)
    # Bytes of a file, where the server says so.
    size = models.BigIntegerField(null=True)
    # When it was changed there, where the server says so.
    modified_at = models.DateTimeField(null=True)
    # The server has another state of it, which was not read yet.
    stale = models.BooleanField(default=False)
    # The server has it no more, which was not followed yet.
    gone = models.BooleanField(default=False)
    # Something was changed here that the server has yet to be told; `touched` counts how often.
    dirty = models.BooleanField(default=False)
    # We changed it there after the position: the next list of changes has to name it. Where it does
    # not, it was changed back, or deleted, before anybody could be told.
    unconfirmed = models.BooleanField(default=False)
    touched = models.PositiveIntegerField(default=0)
    problem = ShortFailureField(max_length=500, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["collection", "href"], name="remote_item_once"),
            models.UniqueConstraint(
                fields=["collection", "key"],
                condition=~models.Q(key=""),
                name="remote_item_of_key_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["collection", "-modified_at", "-id"],
                condition=models.Q(stale=True),
                name="remote_item_stale",
            ),
            models.Index(
                fields=["collection"], condition=models.Q(gone=True), name="remote_item_gone"
            ),
            models.Index(
                fields=["collection"], condition=models.Q(dirty=True), name="remote_item_dirty"
            ),
            models.Index(
                fields=["collection"],
                condition=models.Q(unconfirmed=True),
                name="remote_item_unconfirmed",
            ),
            models.Index(
                fields=["collection"], condition=~models.Q(problem=""), name="remote_item_problem"
            ),
        ]

    def __str__(self) -> str:
        return self.path or self.href or self.key

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of files."""
        return self.path.endswith("/")


class SyncConflict(models.Model):
    """What was changed here and there at once: the server's stayed, and ours is kept in this row.

    `ours` and `theirs` are the fields that differed, by name.
    """

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    collection = models.ForeignKey(RemoteCollection, models.CASCADE, related_name="conflicts")
    key = models.CharField(max_length=255)
    title = models.CharField(max_length=300, blank=True)
    ours = models.JSONField(default=dict)
    theirs = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)
    # A person has looked at it.
    seen_at = models.DateTimeField(null=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["collection", "-created_at"], name="sync_conflict_newest")
        ]

    def __str__(self) -> str:
        return self.title or self.key
