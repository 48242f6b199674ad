"""Tenants, the people in them and what they sign in with, and the mail accounts they connect."""

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, pgettext_lazy

from inbox.actor import Actor
from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.reasons.fields import FailureField


class StartPassword(models.Model):
    """Somebody's password is one that was made for them: they choose their own before all else."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="start_password"
    )
    # Whoever has not come by then is refused.
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"the start password of {self.user}"


def device_words(software: str, system: str) -> str:
    """Return what a browser is, by the names that we know."""
    if software and system:
        return gettext("%(browser)s on %(system)s") % {"browser": software, "system": system}
    return software or system or gettext("Unknown browser")


class PersonBrowser(models.Model):
    """A browser in which somebody has signed in, and their session in it, while there is one."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="browsers")
    # The random name that the browser keeps in a signed cookie.
    name = models.CharField(max_length=43)
    session_key = models.CharField(max_length=40, blank=True)
    # Names of ours, by what the browser says of itself: nothing of its own words is kept.
    software = models.CharField(max_length=20, blank=True)
    system = models.CharField(max_length=20, blank=True)
    address = models.CharField(max_length=45, blank=True)
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "name"], name="person_browser_once")
        ]

    def __str__(self) -> str:
        return f"a browser of {self.user_id}"

    @property
    def device(self) -> str:
        """What it is, in words."""
        return device_words(self.software, self.system)


class OutsideIdentity(models.Model):
    """Who somebody is where they sign in elsewhere: the name that it never gives to another."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="outside_identities"
    )
    issuer = models.CharField(max_length=500)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "outside identities"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="outside_subject_once"),
            models.UniqueConstraint(fields=["issuer", "user"], name="outside_user_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} at {self.issuer}"


class CacheEntry(models.Model):
    """A row of Django's cache in the database, which alone reads and writes it."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.cache_key


class WorkspaceQuerySet(models.QuerySet["Workspace"]):
    """Workspaces."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep the workspaces of the actor."""
        return self.filter(pk__in=actor.workspace_ids)


class Workspace(PublicModel):
    """A tenant: nothing in one workspace is seen from another."""

    ID_PREFIX = "wsp"

    name = models.CharField(pgettext_lazy("field", "name"), max_length=200)
    slug = models.SlugField(pgettext_lazy("field", "slug"), unique=True)
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)

    objects = WorkspaceQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "workspace")
        verbose_name_plural = pgettext_lazy("rows", "workspaces")

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    """What a person may do in a workspace: a viewer reads, a reviewer decides, an owner sets up."""

    OWNER = "owner", pgettext_lazy("choice", "Owner")
    REVIEWER = "reviewer", pgettext_lazy("choice", "Reviewer")
    VIEWER = "viewer", pgettext_lazy("choice", "Viewer")


class Membership(models.Model):
    """A person's place in a workspace."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.REVIEWER)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "workspace"], name="membership_once")
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.workspace}"


class AccountQuerySet(VisibleQuerySet["Account"]):
    """Accounts."""

    account_path = "id"


class Account(PublicModel):
    """A mailbox of somebody's at a provider; its settings and its encrypted credential."""

    ID_PREFIX = "acc"

    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="accounts",
        verbose_name=pgettext_lazy("field", "workspace"),
    )  # fmt: skip
    address = models.EmailField(pgettext_lazy("field", "address"), max_length=254)
    name = models.CharField(pgettext_lazy("field", "name"), max_length=200, blank=True)
    provider = models.CharField(max_length=20, default="local")
    # For imap_smtp: where its servers are and how to log in, as
    # `inbox.accounts.account_settings` says.
    settings = models.JSONField(default=dict, blank=True)
    # The password or the tokens, encrypted by `inbox.accounts.credentials`; never shown again.
    secret = models.BinaryField(null=True, blank=True, editable=False)
    # Until when somebody has the sole right to renew the tokens; null: nobody does.
    renewing_until = models.DateTimeField(null=True, blank=True, editable=False)
    # Nothing is sent before this, for the server refused the login (`sending_problem` says how);
    # null: nothing stands against it. The pauses grow with the refusals since the last success.
    sending_resumes_at = models.DateTimeField(null=True, blank=True, editable=False)
    sending_problem = FailureField(blank=True, editable=False)
    sending_failures = models.PositiveSmallIntegerField(default=0, editable=False)
    # Whether it has servers with collections of its own (`RemoteSource`).
    has_sources = models.BooleanField(default=False, editable=False)
    undo_seconds = models.PositiveSmallIntegerField(default=10)
    # Whether it may send notices to the people of its workspace, where the operator has no server.
    sends_notices = models.BooleanField(default=False)
    # Authentication-Results (RFC 8601) count only when they carry this authserv-id.
    authserv_id = models.CharField(max_length=253, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = AccountQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "account")
        verbose_name_plural = pgettext_lazy("rows", "accounts")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "address"], name="account_address_once")
        ]

    def __str__(self) -> str:
        return self.address


class IdentityQuerySet(VisibleQuerySet["Identity"]):
    """Identities."""

    account_path = "account_id"

    def offered(self) -> Self:
        """Keep those that may be sent as: not what the provider has stopped to name."""
        return self.exclude(is_listed=False)


class Identity(PublicModel):
    """An address that an account may send as (RFC 8621 6).

    One that its provider named once and does not any more stays, for drafts were written as it.
    """

    ID_PREFIX = "idn"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    account = models.ForeignKey(
        Account, models.CASCADE, related_name="identities",
        verbose_name=pgettext_lazy("field", "account"),
    )  # fmt: skip
    email = models.EmailField(pgettext_lazy("field", "email"), max_length=254)
    name = models.CharField(pgettext_lazy("field", "name"), max_length=200, blank=True)
    is_default = models.BooleanField(pgettext_lazy("field", "is default"), default=False)
    # Whether the provider names it as an alias; null: it never did.
    is_listed = models.BooleanField(pgettext_lazy("field", "alias at the provider"), null=True)

    objects = IdentityQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "identity")
        verbose_name_plural = pgettext_lazy("rows", "identities")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["account", "email"], name="identity_email_once")
        ]

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>" if self.name else self.email
