"""Calendars and their events (RFC 5545)."""

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models import Account, Message, RemoteCollection, Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class CalendarQuerySet(VisibleQuerySet["Calendar"]):
    """Calendars."""

    account_path = "account_id"

    def kept(self) -> "CalendarQuerySet":
        """Leave out what was deleted."""
        return self.filter(deleted_at=None)


class Calendar(PublicModel):
    """A calendar of an account."""

    ID_PREFIX = "cal"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    account = models.ForeignKey(
        Account, models.CASCADE, related_name="calendars",
        verbose_name=pgettext_lazy("field", "account"),
    )  # fmt: skip
    name = models.CharField(pgettext_lazy("field", "name"), max_length=200)
    # CSS hexadecimal, such as #2c6e49; empty: none was chosen.
    color = models.CharField(max_length=7, blank=True)
    is_default = models.BooleanField(pgettext_lazy("field", "is default"), default=False)
    # Where it lies at a server as well; null: nowhere else.
    remote = models.OneToOneField(
        RemoteCollection, models.SET_NULL, null=True, blank=True, related_name="calendar"
    )
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)
    # Soft: a person restores it for 30 days, with the events it held.
    deleted_at = models.DateTimeField(pgettext_lazy("field", "deleted at"), null=True, blank=True)

    objects = CalendarQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "calendar")
        verbose_name_plural = pgettext_lazy("rows", "calendars")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["account", "name"],
                condition=models.Q(deleted_at=None),
                name="calendar_name_once",
            ),
            models.UniqueConstraint(
                fields=["account"],
                condition=models.Q(is_default=True, deleted_at=None),
                name="calendar_default_once",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class EventStatus(models.TextChoices):
    """Whether an event takes place (RFC 5545 3.8.1.11)."""

    TENTATIVE = "tentative", pgettext_lazy("choice", "Tentative")
    CONFIRMED = "confirmed", pgettext_lazy("choice", "Confirmed")
    CANCELLED = "cancelled", pgettext_lazy("choice", "Cancelled")


class Partstat(models.TextChoices):
    """What an attendee answered (RFC 5545 3.2.12)."""

    NEEDS_ACTION = "needs-action", pgettext_lazy("choice", "Needs Action")
    ACCEPTED = "accepted", pgettext_lazy("choice", "Accepted")
    DECLINED = "declined", pgettext_lazy("choice", "Declined")
    TENTATIVE = "tentative", pgettext_lazy("choice", "Tentative")
    DELEGATED = "delegated", pgettext_lazy("choice", "Delegated")


class Transparency(models.TextChoices):
    """Whether an event takes up its time (RFC 5545 3.8.2.7)."""

    OPAQUE = "opaque", pgettext_lazy("choice", "Opaque")
    TRANSPARENT = "transparent", pgettext_lazy("choice", "Transparent")


class Role(models.TextChoices):
    """What an attendee is there for (RFC 5545 3.2.16)."""

    CHAIR = "chair", pgettext_lazy("choice", "Chair")
    REQUIRED = "req-participant", pgettext_lazy("choice", "Required")
    OPTIONAL = "opt-participant", pgettext_lazy("choice", "Optional")
    NONE = "non-participant", pgettext_lazy("choice", "None")


class EventQuerySet(VisibleQuerySet["Event"]):
    """Events."""

    account_path = "calendar__account_id"

    def kept(self) -> "EventQuerySet":
        """Leave out what was deleted, and what lies in a deleted calendar."""
        return self.filter(deleted_at=None, calendar__deleted_at=None)


class Event(PublicModel):
    """An event, a series of them, or one changed instance of a series (RFC 5545 3.6.1).

    A series is the row with an `rrule` or `rdate`; an instance that differs from it is a row of the
    same UID with a `recurrence_id`. An invitation makes it tentative; nothing answers by itself.
    """

    ID_PREFIX = "evt"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    calendar = models.ForeignKey(
        Calendar, models.CASCADE, related_name="events",
        verbose_name=pgettext_lazy("field", "calendar"),
    )  # fmt: skip
    # The message that brought its latest state.
    message = models.ForeignKey(
        Message, models.SET_NULL, null=True, blank=True, related_name="events"
    )
    uid = models.CharField(max_length=255)
    # Which instance of a series (RFC 5545 3.8.4.4): its first start, 20260302T120000Z in UTC or
    # 20260302 of a series of whole days; empty: the event or the series itself.
    recurrence_id = models.CharField(max_length=64, blank=True)
    sequence = models.PositiveIntegerField(default=0)
    # The highest it had before, where a server or another program took it back.
    highest_sequence = models.PositiveIntegerField(default=0)
    # RFC 5545 3.8.7.2; orders two messages of the same sequence.
    dtstamp = models.DateTimeField(null=True, blank=True)
    summary = models.TextField(pgettext_lazy("field", "summary"), blank=True)
    description = models.TextField(pgettext_lazy("field", "description"), blank=True)
    location = models.TextField(pgettext_lazy("field", "location"), blank=True)
    # For searching: who is invited, and other forms of words.
    search_extra = models.TextField(blank=True, default="", editable=False)
    dtstart = models.DateTimeField()
    dtend = models.DateTimeField()
    all_day = models.BooleanField(default=False)
    # The zone it was written in, an IANA name; empty: UTC.
    timezone = models.CharField(pgettext_lazy("field", "timezone"), max_length=64, blank=True)
    # As written (RFC 5545 3.8.5.3); empty: does not recur.
    rrule = models.TextField(blank=True)
    # Further and left out starts (RFC 5545 3.8.5.1, 3.8.5.2), in the form of `recurrence_id`.
    rdate = models.JSONField(default=list, blank=True)
    exdate = models.JSONField(default=list, blank=True)
    # When its last instance ends; null: never.
    last_end = models.DateTimeField(null=True, blank=True)
    status = models.CharField(
        pgettext_lazy("field", "status"), max_length=9, choices=EventStatus,
        default=EventStatus.TENTATIVE,
    )  # fmt: skip
    transparency = models.CharField(
        max_length=11, choices=Transparency, default=Transparency.OPAQUE
    )
    organizer = models.CharField(pgettext_lazy("field", "organizer"), max_length=320, blank=True)
    organizer_name = models.CharField(max_length=300, blank=True)
    # A person brought it in, or approved the invitation that made it; no mail that came in did.
    by_person = models.BooleanField(default=False)
    # What the account itself answered; empty: it was not asked.
    partstat = models.CharField(max_length=12, choices=Partstat, blank=True)
    # Rises with every change, whoever makes it.
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    # Soft: a person restores it for 30 days.
    deleted_at = models.DateTimeField(pgettext_lazy("field", "deleted at"), null=True, blank=True)

    objects = EventQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "event")
        verbose_name_plural = pgettext_lazy("rows", "events")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["calendar", "uid", "recurrence_id"], name="event_uid_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["calendar", "dtstart"], name="event_by_start"),
            models.Index(fields=["calendar", "last_end"], name="event_by_end"),
            models.Index(fields=["workspace", "-dtstart", "-id"], name="event_of_workspace"),
            models.Index(
                fields=["calendar", "recurrence_id"],
                name="event_changed",
                condition=models.Q(recurrence_id__gt=""),
            ),
            models.Index(fields=["workspace", "updated_at", "id"], name="event_by_change"),
            models.Index(fields=["deleted_at"], name="event_by_deletion"),
        ]

    def __str__(self) -> str:
        return self.summary or "(no title)"

    @property
    def latest_sequence(self) -> int:
        """The highest sequence that was ever said: whoever was told of it takes no lower one."""
        return max(self.sequence, self.highest_sequence)

    @property
    def recurs(self) -> bool:
        """Whether it is a series."""
        return bool(self.rrule or self.rdate)


class Attendee(models.Model):
    """Somebody invited to an event (RFC 5545 3.8.4.1)."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="attendees")
    email = models.CharField(pgettext_lazy("field", "email"), max_length=320)
    name = models.CharField(pgettext_lazy("field", "name"), max_length=300, blank=True)
    partstat = models.CharField(max_length=12, choices=Partstat, default=Partstat.NEEDS_ACTION)
    role = models.CharField(
        pgettext_lazy("field", "role"), max_length=15, choices=Role, default=Role.REQUIRED
    )
    rsvp = models.BooleanField(default=False)
    # The SEQUENCE and DTSTAMP of their answer, so that an older one does not undo it.
    answered_sequence = models.PositiveIntegerField(default=0)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = pgettext_lazy("rows", "attendee")
        verbose_name_plural = pgettext_lazy("rows", "attendees")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "email"], name="attendee_once")
        ]
        indexes: ClassVar = [models.Index(fields=["email"], name="attendee_by_email")]

    def __str__(self) -> str:
        return self.name or self.email


# What takes place once and lasts for longer has a row here too. All else that goes on at some time
# began less than so long before.
LONG = timedelta(days=8)


class Expansion(models.Model):
    """The starts of a series for some time around now, so that a reading need not follow its rule.

    The database itself makes one for each series, and for each long event, and empties it when the
    event changes in what it was worked out from, whoever changes it (`database_rules`). While it is
    empty, and outside of its time, a reading follows the rule.
    """

    event = models.OneToOneField(Event, models.CASCADE, primary_key=True, related_name="expansion")
    # That of the event, so that a reading of some calendars begins here.
    calendar = models.ForeignKey(Calendar, models.CASCADE, related_name="+")
    # All that takes place between these two is known; null: nothing is.
    since = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)
    # How long an instance lasts, and their starts (`packed_starts`).
    starts = models.BinaryField(null=True)
    # When it is worked out, or worked out anew for a later stretch of time.
    renew_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["renew_at"], name="expansion_by_renewal")]

    def __str__(self) -> str:
        return f"{self.since} to {self.until}"
