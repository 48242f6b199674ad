"""What invitations do to the calendar (RFC 5546). Nothing is ever answered by itself."""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Q

from calendar_app.icalendar import ItipEvent, ItipMessage, read_itip
from calendar_app.models import Calendar, Event, EventStatus, Partstat
from calendar_app.operations.answers import NOT_FROM_ATTENDEE, take_reply
from calendar_app.operations.keeping import (
    addresses_of,
    default_calendar,
    fill_event,
    is_moved,
    is_newer,
    replace_attendees,
    save_event,
    stamp_of,
)
from inbox.actor import system_actor
from inbox.background.jobs import publish
from inbox.models import (
    Activity,
    ActivityStatus,
    Attachment,
    Authentication,
    Direction,
    Message,
)
from inbox.operations.activities.activities import update_activities
from inbox.operations.mirror_entries import touched
from inbox.reasons import ReasonText, say, together

# What a message's anomalies then say.
UNREADABLE = "invitation_unreadable"
NOT_FROM_ORGANIZER = "invitation_not_from_organizer"

CALENDAR = "Calendar"
_RAISED = {
    NOT_FROM_ORGANIZER: say("not_from_organizer"),
    NOT_FROM_ATTENDEE: say("not_from_attendee"),
}
# What an attendee asks of us; only a person answers.
_ASKS = {
    "COUNTER": say("proposes_time"),
    "REFRESH": say("asks_for_event"),
}
_CALLED_OFF = say("called_off")
_CALENDAR_PARTS = (
    Q(content_type__in=("text/calendar", "application/ics")) | Q(filename__iendswith=".ics")
)  # fmt: skip


def take_invitations(*, message_ids: Sequence[int]) -> None:
    """Bring the calendars up to what these messages say; doing so again changes nothing.

    A request makes a tentative event. What changes or cancels one counts only from its organizer,
    an answer only from its attendee, both authenticated; from anybody else it changes nothing, and
    the message's anomalies say so.
    """
    for message, invitations in _invitations(message_ids):
        problems: set[str] = set()
        for invitation in invitations:
            if invitation is None:
                problems.add(UNREADABLE)
            elif invitation.method in {"REQUEST", "CANCEL", "ADD"}:
                problems |= _apply(message, invitation)
            elif invitation.method == "REPLY":
                problems |= take_reply(message=message, reply=invitation)
        _note(message, problems)
        _tell_activity(message, invitations)


def inform_activities(*, message_ids: Sequence[int]) -> None:
    """Give the activities of these messages their invitations' times, and what is wrong with them.

    A message whose invitation is not from its organizer is put before a person, and so is one that
    asks something of us as the organizer.
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
    said = [itip for itip in invitations if itip]
    activities = Activity.objects.filter(message=message)
    event = next((event for itip in said for event in itip.events if event.start), None)
    if event is not None:
        activities.filter(starts_at=None).update(starts_at=event.start, ends_at=event.end)
    words = [_RAISED[code] for code in sorted(_RAISED) if code in message.anomalies]
    words += [_ASKS[itip.method] for itip in said if itip.method in _ASKS]
    if words:
        for activity in activities.filter(status=ActivityStatus.PROCESSED):
            _move(activity, ActivityStatus.NEEDS_REVIEW, words[0])


def _move(activity: Activity, status: ActivityStatus, why: ReasonText) -> None:
    """Put it before a person, or take it off their desk; the fact has a receipt written."""
    with transaction.atomic():
        update_activities(
            actor=system_actor(activity.workspace_id, CALENDAR),
            activities=[activity],
            status=status,
            classification={"reasoning": together(activity.reasoning, why)},
        )
        publish(
            "activity.raised",
            {
                "activity_id": activity.pk,
                "status": status,
                "reason": why.as_json(),
                "by": CALENDAR,
            },
            workspace_id=activity.workspace_id,
        )


# -- what one invitation does ----------------------------------------------------------------------


def _apply(message: Message, invitation: ItipMessage) -> set[str]:
    with transaction.atomic():
        account = message.inbox.account
        calendar = default_calendar(account)
        # Two workers with two states of one event take turns.
        Calendar.objects.select_for_update().get(pk=calendar.pk)
        # It may have been moved to another calendar of the account.
        known = Event.objects.filter(
            calendar__account=account, calendar__deleted_at=None,
            uid__in={event.uid for event in invitation.events},
        )  # fmt: skip
        stored = list(known.select_related("calendar").order_by("pk"))
        own = addresses_of(account)
        problems = set()
        for itip in invitation.events:
            siblings = [event for event in stored if event.uid == itip.uid]
            if not _is_organizer(message, itip, siblings):
                problems.add(NOT_FROM_ORGANIZER)
            elif invitation.method == "CANCEL" or itip.status == "cancelled":
                _cancel(message, calendar, itip, siblings)
            elif invitation.method == "ADD":
                _add(message, itip, siblings)
            else:
                stored.append(_put(message, calendar, itip, siblings, own))
        touched(account=account, resources=("event_list", "event"))
    return problems


def _is_organizer(message: Message, itip: ItipEvent, stored: Sequence[Event]) -> bool:
    """Return True if the sender may say this: as the organizer, and for a change authenticated so.

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


def _put(
    message: Message,
    calendar: Calendar,
    itip: ItipEvent,
    siblings: Sequence[Event],
    own: frozenset[str],
) -> Event:
    event = next((one for one in siblings if one.recurrence_id == itip.recurrence_id), None)
    if event is not None and not is_newer(itip, event):
        return event
    moved = event is None or is_moved(event, itip)
    change = "updated" if event else "created"
    home = next((one.calendar for one in siblings), calendar)
    event = event or Event(calendar=home, workspace_id=home.workspace_id, uid=itip.uid)
    if moved or event.status == EventStatus.CANCELLED:
        event.status, event.partstat = EventStatus.TENTATIVE, ""
    fill_event(event, itip)
    event.message, event.deleted_at, event.by_person = message, None, False
    me = next((one for one in itip.attendees if one.email in own), None)
    if me is not None and (moved or not event.partstat):
        event.partstat = me.partstat
        if me.partstat == Partstat.ACCEPTED:
            event.status = EventStatus.CONFIRMED
    save_event(event, change)
    replace_attendees(event, itip)
    return event


def _add(message: Message, itip: ItipEvent, siblings: Sequence[Event]) -> None:
    """Take one more instance into a series (RFC 5546 3.2.4), if the series is known."""
    series = next((one for one in siblings if not one.recurrence_id), None)
    if series is None or itip.start is None or not is_newer(itip, series):
        return
    stamp = stamp_of(series, itip.start)
    series.rdate = sorted({*series.rdate, stamp})
    series.sequence, series.dtstamp, series.message = itip.sequence, itip.dtstamp, message
    lasts = itip.end - itip.start if itip.end else series.dtend - series.dtstart
    if series.last_end is not None:
        series.last_end = max(series.last_end, itip.start + lasts)
    save_event(series, "updated")


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
        home = next((event.calendar for event in stored), calendar)
        event = Event(calendar=home, workspace_id=home.workspace_id, uid=itip.uid)
        fill_event(event, itip)
        named = [event]
    asked = {event.message_id for event in named}
    for event in named:
        if event.pk is None or is_newer(itip, event):
            event.status = EventStatus.CANCELLED
            event.sequence, event.dtstamp, event.message = itip.sequence, itip.dtstamp, message
            save_event(event, "cancelled")
    if not itip.recurrence_id:
        _settle({key for key in asked if key is not None and key != message.pk})


def _settle(message_ids: set[int]) -> None:
    """Let nobody decide any more on an invitation to what was called off."""
    waiting = Activity.objects.filter(
        message_id__in=message_ids, status=ActivityStatus.NEEDS_REVIEW
    )
    for activity in waiting.order_by("pk"):
        _move(activity, ActivityStatus.PROCESSED, _CALLED_OFF)
