"""Whom we write with."""

from typing import ClassVar, Self

from django.db import models
from django.db.models import Exists, Max, Min, OuterRef, Q, Sum

from inbox.actor import Actor
from inbox.models.accounts import Account, Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class PersonQuerySet(VisibleQuerySet):
    """People of a workspace; who was granted a part of its accounts knows those of that part."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those in contact with an account that the actor may see."""
        rows = super().visible_to(actor)
        if actor.account_ids is None:
            return rows
        met = Correspondence.objects.filter(person=OuterRef("pk"), account__in=actor.account_ids)
        return rows.filter(Exists(met) | ~Exists(_withheld(actor)))

    def counted_for(self, actor: Actor) -> Self:
        """Keep whom the actor may see, with `received`, `sent`, `contacts`, `first` and `last`.

        These are of the accounts that it may see, and of no other.
        """
        rows = self.visible_to(actor)
        if actor.account_ids is None or not _withheld(actor).exists():
            return rows.annotate(
                received=models.F("received_count"), sent=models.F("sent_count"),
                contacts=models.F("contact_count"), first=models.F("first_contact_at"),
                last=models.F("last_contact_at"),
            )  # fmt: skip
        known = Q(correspondences__account__in=actor.account_ids)
        return rows.annotate(
            received=Sum("correspondences__received_count", filter=known),
            sent=Sum("correspondences__sent_count", filter=known),
            contacts=Sum("correspondences__contact_count", filter=known),
            first=Min("correspondences__first_contact_at", filter=known),
            last=Max("correspondences__last_contact_at", filter=known),
        )


def _withheld(actor: Actor) -> models.QuerySet[Account]:
    accounts = Account.objects.filter(workspace__in=actor.workspace_ids)
    return accounts.exclude(pk__in=actor.account_ids or ())


class Contacts(models.Model):
    """How often mail went to and fro, and from when to when."""

    first_contact_at = models.DateTimeField()
    last_contact_at = models.DateTimeField()
    # Messages from them to us, messages from us to them, and the sum, by which they are ordered.
    received_count = models.PositiveIntegerField(default=0)
    sent_count = models.PositiveIntegerField(default=0)
    contact_count = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True


class Person(PublicModel, Contacts):
    """A correspondent; the names are those of RFC 6350 (fn, org, tel)."""

    ID_PREFIX = "per"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    # Lower case, for finding; one row an address and workspace.
    email = models.CharField(max_length=320)
    fn = models.CharField(max_length=300, blank=True)
    org = models.CharField(max_length=300, blank=True)
    tel = models.CharField(max_length=60, blank=True)

    objects = PersonQuerySet.as_manager()

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


class Correspondence(Contacts):
    """What one account has to do with a person."""

    person = models.ForeignKey(Person, models.CASCADE, related_name="correspondences")
    account = models.ForeignKey(Account, models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["person", "account"], name="correspondence_once")
        ]

    def __str__(self) -> str:
        return f"{self.person} with {self.account}"
