"""Whom we write with, and their cards."""

from typing import ClassVar, Self

from django.db import models
from django.db.models import Exists, Max, Min, OuterRef, Q, Sum
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from inbox.actor import Actor
from inbox.models.accounts import Account
from inbox.models.base import PublicModel, VisibleQuerySet


class PersonQuerySet(VisibleQuerySet["Person"]):
    """People of a workspace; who was granted a part of its accounts knows those of that part."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those in contact with an account that the actor may see, deleted ones too."""
        rows = super().visible_to(actor)
        if actor.account_ids is None:
            return rows
        met = Correspondence.objects.filter(person=OuterRef("pk"), account__in=actor.account_ids)
        return rows.filter(Exists(met) | ~Exists(_withheld(actor)))

    def kept(self) -> Self:
        """Leave out whom somebody deleted."""
        return self.filter(deleted_at=None)

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
    """How often mail went to and fro, and from when to when; None where none did."""

    first_contact_at = models.DateTimeField(null=True, blank=True)
    last_contact_at = models.DateTimeField(
        pgettext_lazy("field", "last contact at"), null=True, blank=True
    )
    # Messages from them to us, messages from us to them, and the sum, by which they are ordered.
    received_count = models.PositiveIntegerField(
        pgettext_lazy("field", "received count"), default=0
    )
    sent_count = models.PositiveIntegerField(pgettext_lazy("field", "sent count"), default=0)
    contact_count = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True


class Person(PublicModel, Contacts):
    """Somebody mail brought or somebody wrote down; the names are those of RFC 6350."""

    ID_PREFIX = "per"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    # The first of their addresses, in lower case; empty where they have none.
    email = models.CharField(max_length=320, blank=True)
    fn = models.CharField(pgettext_lazy("field", "fn"), max_length=300, blank=True)
    # The parts of N: names in the order family, given, additional, prefix, suffix.
    family_name = models.CharField(
        pgettext_lazy("field", "family name"), max_length=300, blank=True
    )
    given_name = models.CharField(pgettext_lazy("field", "given name"), max_length=300, blank=True)
    additional_names = models.CharField(
        pgettext_lazy("field", "additional names"), max_length=300, blank=True
    )
    name_prefix = models.CharField(
        pgettext_lazy("field", "name prefix"), max_length=100, blank=True
    )
    name_suffix = models.CharField(
        pgettext_lazy("field", "name suffix"), max_length=100, blank=True
    )
    org = models.CharField(pgettext_lazy("field", "org"), max_length=300, blank=True)
    # The second part of ORG.
    department = models.CharField(pgettext_lazy("field", "department"), max_length=300, blank=True)
    title = models.CharField(pgettext_lazy("field", "title"), max_length=300, blank=True)
    # The first of their telephone numbers.
    tel = models.CharField(max_length=60, blank=True)
    note = models.TextField(pgettext_lazy("field", "note"), blank=True)
    # What else their vCard said (BDAY, ADR, URL, X-…): [{"name", "group", "params", "value"}, …].
    vcard_properties = models.JSONField(default=list, blank=True)
    # For searching: further names, addresses and numbers, and other forms of words.
    search_extra = models.TextField(blank=True, default="", editable=False)
    created_at = models.DateTimeField(default=timezone.now)
    # When somebody changed it last; mail does not count.
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)
    # When what was deleted was purged: all but the addresses and how often we wrote.
    erased_at = models.DateTimeField(null=True, blank=True)

    objects = PersonQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "person")
        verbose_name_plural = pgettext_lazy("rows", "people")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["workspace", "email"], condition=~Q(email=""), name="person_email_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["workspace", "-contact_count", "-id"], name="person_most_contacted"
            ),
            models.Index(fields=["workspace", "fn", "id"], name="person_by_name"),
            models.Index(fields=["workspace", "last_contact_at", "id"], name="person_last_met"),
            models.Index(
                fields=["deleted_at"], condition=~Q(deleted_at=None), name="person_by_deletion"
            ),
        ]

    def __str__(self) -> str:
        return self.fn or self.email or "(no name)"

    @property
    def is_contact(self) -> bool:
        """Whether somebody wrote a card for them, more than what mail said of itself."""
        return bool(self.given_name or self.family_name)


class PersonEmailQuerySet(VisibleQuerySet["PersonEmail"]):
    """Addresses of people, seen by whoever sees the person."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of people in contact with an account that the actor may see."""
        rows = super().visible_to(actor)
        if actor.account_ids is None:
            return rows
        met = Correspondence.objects.filter(
            person=OuterRef("person"), account__in=actor.account_ids
        )
        return rows.filter(Exists(met) | ~Exists(_withheld(actor)))

    def kept(self) -> Self:
        """Leave out what was taken off its card."""
        return self.filter(removed_at=None)

    def trusted(self) -> Self:
        """Keep those that we wrote to, and those that a person put on a card which is there.

        Who only wrote to us is not among them, nor whom only an agent put on a card.
        """
        on_card = Q(by_person=True, removed_at=None, person__deleted_at=None)
        return self.filter(Q(sent_count__gt=0) | on_card)


class PersonEmail(Contacts):
    """An address, one person's at most, with what mail there was with this very address.

    One that mail came from stays when it is taken off its card: whom we wrote with is known by the
    address itself, so that a new address on an old friend's card is still a new one.
    """

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    person = models.ForeignKey(Person, models.CASCADE, related_name="emails")
    # Lower case, for finding.
    email = models.CharField(pgettext_lazy("field", "email"), max_length=320)
    # Graph's `name` of an address, where it has one of its own.
    name = models.CharField(max_length=300, blank=True)
    # As vCard's TYPE: work, home, ….
    kind = models.CharField(pgettext_lazy("field", "kind"), max_length=20, blank=True)
    position = models.PositiveSmallIntegerField(default=0)
    removed_at = models.DateTimeField(pgettext_lazy("field", "removed at"), null=True, blank=True)
    # A person put it on the card, or saved the card with it; an agent never sets this.
    by_person = models.BooleanField(default=False)

    objects = PersonEmailQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "person email")
        verbose_name_plural = pgettext_lazy("rows", "person emails")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "email"], name="person_address_once")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["workspace", "-contact_count", "-id"], name="address_most_contacted"
            ),
            models.Index(fields=["person", "position"], name="address_of_person"),
        ]

    def __str__(self) -> str:
        return self.email

    @property
    def is_on_card(self) -> bool:
        """Whether it stands on a card that is there; asks for the person."""
        return self.removed_at is None and self.person.deleted_at is None


class SharedAddress(models.Model):
    """An address that a card at a server has though it is another person's here, until it is free.

    An address is one person's; two cards that name it, in one address book or two, are two people.
    """

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    person = models.ForeignKey(Person, models.CASCADE, related_name="shared_addresses")
    email = models.CharField(max_length=320)
    kind = models.CharField(max_length=20, blank=True)
    # Among all addresses of the card, those that are its person's as well.
    position = models.PositiveSmallIntegerField(default=0)
    by_person = models.BooleanField(default=False)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["person", "email"], name="shared_address_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["workspace", "email"], name="shared_address_by_email")
        ]

    def __str__(self) -> str:
        return self.email


class PhoneKind(models.TextChoices):
    """Where a telephone rings."""

    BUSINESS = "business", pgettext_lazy("choice", "Business")
    HOME = "home", pgettext_lazy("choice", "Home")
    MOBILE = "mobile", pgettext_lazy("choice", "Mobile")
    FAX = "fax", pgettext_lazy("choice", "Fax")
    OTHER = "other", pgettext_lazy("choice", "Other")


class PersonPhone(models.Model):
    """A telephone number, as it was written."""

    person = models.ForeignKey(Person, models.CASCADE, related_name="phones")
    number = models.CharField(max_length=60)
    kind = models.CharField(max_length=8, choices=PhoneKind, default=PhoneKind.OTHER)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["person", "position"], name="phone_of_person")]

    def __str__(self) -> str:
        return self.number


class Correspondence(Contacts):
    """What one account has to do with a person; no counts where it only keeps their card."""

    person = models.ForeignKey(Person, models.CASCADE, related_name="correspondences")
    account = models.ForeignKey(
        "Account", models.CASCADE, related_name="+", verbose_name=pgettext_lazy("field", "account")
    )

    class Meta:
        verbose_name = pgettext_lazy("rows", "correspondence")
        verbose_name_plural = pgettext_lazy("rows", "correspondences")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["person", "account"], name="correspondence_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["account", "-person"], name="correspondence_of_account")
        ]

    def __str__(self) -> str:
        return f"{self.person} with {self.account}"
