"""What invitations do to the calendar (RFC 5546). Nothing is ever answered by itself."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Q

from calendar_app.icalendar import ItipEvent, ItipMessage, read_itip
from calendar_app.models import Attendee, Calendar, Event, EventStatus
from inbox.actor import system_actor
from inbox.jobs import publish
from inbox.models import (
    Account,
    Activity,
    ActivityStatus,
    Attachment,
    Authentication,
    Direction,
    Message,
)
from inbox.operations.activities import update_activities

# What a message's anomalies then say.
UNREADABLE = "invitation_unreadable"
NOT_FROM_ORGANIZER = "invitation_not_from_organizer"

_NOT_FROM_ORGANIZER = "Its invitation is not from the event's organizer and changed nothing."
CALENDAR = "Calendar"

_CALENDAR_PARTS = (
    Q(content_type__in=("text/calendar", "application/ics")) | Q(filename__iendswith=".ics")
)  # fmt: skip
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def take_invitations(*, message_ids: Sequence[int]) -> None:
    """Bring the calendars up to what these messages say; doing so again changes nothing.

    A request makes a tentative event. What changes or cancels one counts only from its organizer,
    authenticated; from anybody else it changes nothing, and the message's anomalies say so.
    """
    for message, invitations in _invitations(message_ids):
        problems: set[str] = set()
        for invitation in invitations:
            if invitation is None:
                problems.add(UNREADABLE)
            elif invitation.method in {"REQUEST", "CANCEL"}:
                problems |= _apply(message, invitation)
        _note(message, problems)
        _tell_activity(message, invitations)


def inform_activities(*, message_ids: Sequence[int]) -> None:
    """Give the activities of these messages their invitations' times, and what is wrong with them.

    A message whose invitation is not from its organizer is put before a person.
    """
    for message, invitations in _invitations(message_ids):
        _tell_activity(message, invitations)


def _invitations(
    message_ids: Sequence[int],
) -> list[tuple[Message, list[ItipMessage | None]]]:
    """Return the messages that hold invitations, oldest first, with what each says.

    None stands for one that cannot be read. Most clients put the same calendar in twice.
    """
    parts = (
        Attachment.objects.filter(_CALENDAR_PARTS, message_id__in=message_ids)
        .filter(message__direction=Direction.INBOUND, message__deleted_at=None)
        .select_related("blob", "message__inbox__account")
        .defer("message__html", "message__text")
        .order_by("message__received_at", "message_id", "position")
    )
    found: dict[int, tuple[Message, dict[int, ItipMessage | None]]] = {}
    for part in parts:
        _, by_blob = found.setdefault(part.message_id, (part.message, {}))
        if part.blob_id not in by_blob:
            by_blob[part.blob_id] = _read(part)
    return [(message, list(by_blob.values())) for message, by_blob in found.values()]


def _read(part: Attachment) -> ItipMessage | None:
    try:
        return read_itip(part.blob.read())
    except (ValueError, FileNotFoundError):
        return None


def _note(message: Message, problems: set[str]) -> None:
    if problems - set(message.anomalies):
        message.anomalies = sorted({*message.anomalies, *problems})
        message.save(update_fields=["anomalies"])


def _tell_activity(message: Message, invitations: Iterable[ItipMessage | None]) -> None:
    events = (event for itip in invitations if itip for event in itip.events if event.start)
    event = next(events, None)
    activities = Activity.objects.filter(message=message)
    if event is not None:
        activities.filter(starts_at=None).update(starts_at=event.start, ends_at=event.end)
    if NOT_FROM_ORGANIZER in message.anomalies:
        for activity in activities.filter(status=ActivityStatus.PROCESSED):
            _raise(activity)


def _raise(activity: Activity) -> None:
    status = ActivityStatus.NEEDS_REVIEW
    with transaction.atomic():
        update_activities(
            actor=system_actor(activity.workspace_id, CALENDAR),
            activities=[activity],
            status=status,
            classification={"reasoning": f"{activity.reasoning} {_NOT_FROM_ORGANIZER}".strip()},
        )
        publish(
            "activity.raised",
            {"activity_id": activity.pk, "status": status, "reason": _NOT_FROM_ORGANIZER,
             "by": CALENDAR},
            workspace_id=activity.workspace_id,
        )  # fmt: skip


# -- what one invitation does ----------------------------------------------------------------------


def _apply(message: Message, invitation: ItipMessage) -> set[str]:
    with transaction.atomic():
        calendar = default_calendar(message.inbox.account)
        # Two workers with two states of one event take turns.
        Calendar.objects.select_for_update().get(pk=calendar.pk)
        stored = {
            (event.uid, event.recurrence_id): event
            for event in Event.objects.filter(
                calendar=calendar, uid__in={event.uid for event in invitation.events}
            )
        }
        problems = set()
        for itip in invitation.events:
            siblings = [event for event in stored.values() if event.uid == itip.uid]
            if not _is_organizer(message, itip, siblings):
                problems.add(NOT_FROM_ORGANIZER)
                continue
            cancels = invitation.method == "CANCEL" or itip.status == "cancelled"
            if cancels:
                _cancel(message, calendar, itip, siblings)
            else:
                _put(message, calendar, itip, stored.get((itip.uid, itip.recurrence_id)))
    return problems


def default_calendar(account: Account) -> Calendar:
    """Return the account's default calendar; make it if there is none."""
    calendar, _ = Calendar.objects.get_or_create(
        account=account,
        is_default=True,
        defaults={"workspace_id": account.workspace_id, "name": "Calendar"},
    )
    return calendar


def _is_organizer(message: Message, itip: ItipEvent, stored: Sequence[Event]) -> bool:
    """Tell whether the sender may say this: as the organizer, and for a change authenticated so.

    A first invitation needs no more than a sender who is not known to be forged: it only makes a
    tentative event, and mail that was imported carries no verdict that could be trusted.
    """
    sender = message.from_email.lower()
    if itip.organizer is None or itip.organizer.email != sender:
        return False
    if not stored:
        return message.authentication != Authentication.FAIL
    return message.authentication == Authentication.PASS and all(
        event.organizer == sender for event in stored
    )


def _is_newer(itip: ItipEvent, event: Event) -> bool:
    """Tell whether this is a later word than the stored one (RFC 5546 2.1.5)."""
    said = (itip.sequence, itip.dtstamp or _LONG_AGO)
    return said > (event.sequence, event.dtstamp or _LONG_AGO)


def _put(message: Message, calendar: Calendar, itip: ItipEvent, event: Event | None) -> None:
    if event is not None and not _is_newer(itip, event):
        return
    moved = event is None or (event.dtstart, event.dtend, event.rrule) != (
        itip.start, itip.end, itip.rrule,
    )  # fmt: skip
    event = event or Event(calendar=calendar, workspace_id=calendar.workspace_id, uid=itip.uid)
    if moved or event.status == EventStatus.CANCELLED:
        event.status = EventStatus.TENTATIVE
    _fill(event, itip, message)
    event.save()
    event.attendees.all().delete()
    Attendee.objects.bulk_create(
        Attendee(event=event, email=one.email, name=one.name, partstat=one.partstat)
        for one in itip.attendees
    )


def _fill(event: Event, itip: ItipEvent, message: Message) -> None:
    if itip.start is None or itip.end is None:
        raise ValueError("an event without times cannot be stored")
    event.message = message
    event.recurrence_id, event.sequence = itip.recurrence_id, itip.sequence
    event.dtstamp, event.dtstart, event.dtend = itip.dtstamp, itip.start, itip.end
    event.all_day, event.timezone, event.rrule = itip.all_day, itip.timezone, itip.rrule
    event.summary, event.description = itip.summary, itip.description
    event.location = itip.location
    event.organizer = itip.organizer.email if itip.organizer else ""


def _cancel(message: Message, calendar: Calendar, itip: ItipEvent, stored: Sequence[Event]) -> None:
    """Cancel an event, or one instance of it; without a RECURRENCE-ID its instances as well."""
    named = [
        event
        for event in stored
        if not itip.recurrence_id or event.recurrence_id == itip.recurrence_id
    ]
    if not named and itip.start is not None:
        # It came before what it cancels, or cancels one instance: kept, so that the order of
        # arrival does not matter.
        event = Event(calendar=calendar, workspace_id=calendar.workspace_id, uid=itip.uid)
        _fill(event, itip, message)
        named = [event]
    for event in named:
        if event.pk is None or _is_newer(itip, event):
            event.status = EventStatus.CANCELLED
            event.sequence, event.dtstamp, event.message = itip.sequence, itip.dtstamp, message
            event.save()
