"""Calendars, and the events that invitations brought."""

from typing import ClassVar

from django.db import models

from inbox.models import Account, Message, Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class CalendarQuerySet(VisibleQuerySet):
    """Calendars."""

    account_path = "account_id"


class Calendar(PublicModel):
    """A calendar of an account."""

    ID_PREFIX = "cal"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    account = models.ForeignKey(Account, models.CASCADE, related_name="calendars")
    name = models.CharField(max_length=200)
    is_default = models.BooleanField(default=False)

    objects = CalendarQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["account", "name"], name="calendar_name_once"),
            models.UniqueConstraint(
                fields=["account"],
                condition=models.Q(is_default=True),
                name="calendar_default_once",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class EventStatus(models.TextChoices):
    """Whether an event takes place (RFC 5545 3.8.1.11)."""

    TENTATIVE = "tentative"
    CONFIRMED = "confirmed"
    CANCELLED = "cancelled"


class Partstat(models.TextChoices):
    """What an attendee answered (RFC 5545 3.2.12)."""

    NEEDS_ACTION = "needs-action"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    TENTATIVE = "tentative"
    DELEGATED = "delegated"


class EventQuerySet(VisibleQuerySet):
    """Events."""

    account_path = "calendar__account_id"


class Event(PublicModel):
    """An event (RFC 5545 3.6.1). An invitation makes it tentative; no answer is sent by itself."""

    ID_PREFIX = "evt"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    calendar = models.ForeignKey(Calendar, models.CASCADE, related_name="events")
    # The message that brought its latest state.
    message = models.ForeignKey(
        Message, models.SET_NULL, null=True, blank=True, related_name="events"
    )
    uid = models.CharField(max_length=255)
    # Which instance of a series (RFC 5545 3.8.4.4) as written; empty: the event or series itself.
    recurrence_id = models.CharField(max_length=64, blank=True)
    sequence = models.PositiveIntegerField(default=0)
    # RFC 5545 3.8.7.2; orders two messages of the same sequence.
    dtstamp = models.DateTimeField(null=True, blank=True)
    summary = models.TextField(blank=True)
    description = models.TextField(blank=True)
    location = models.TextField(blank=True)
    dtstart = models.DateTimeField()
    dtend = models.DateTimeField()
    all_day = models.BooleanField(default=False)
    # The zone it was written in, an IANA name; empty: UTC.
    timezone = models.CharField(max_length=64, blank=True)
    # As written (RFC 5545 3.8.5.3); empty: does not recur.
    rrule = models.TextField(blank=True)
    status = models.CharField(max_length=9, choices=EventStatus, default=EventStatus.TENTATIVE)
    organizer = models.CharField(max_length=320, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = EventQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["calendar", "uid", "recurrence_id"], name="event_uid_once"
            )
        ]
        indexes: ClassVar = [models.Index(fields=["calendar", "dtstart"], name="event_by_start")]

    def __str__(self) -> str:
        return self.summary or "(no title)"


class Attendee(models.Model):
    """Somebody invited to an event (RFC 5545 3.8.4.1)."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="attendees")
    email = models.CharField(max_length=320)
    name = models.CharField(max_length=300, blank=True)
    partstat = models.CharField(max_length=12, choices=Partstat, default=Partstat.NEEDS_ACTION)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "email"], name="attendee_once")
        ]

    def __str__(self) -> str:
        return self.name or self.email
