"""What attendees answer to our invitations (RFC 5546 3.2.3)."""

from django.db import transaction

from calendar_app.icalendar import Invitee, ItipEvent, ItipMessage
from calendar_app.models import Attendee, Event
from calendar_app.operations.instances import make_instance
from calendar_app.operations.keeping import LONG_AGO, addresses_of, save_event
from inbox.models import Account, Authentication, Message
from inbox.operations.mirror_entries import touched

NOT_FROM_ATTENDEE = "reply_not_from_attendee"
_PARTSTATS = frozenset({"accepted", "declined", "tentative", "delegated"})


def take_reply(*, message: Message, reply: ItipMessage) -> set[str]:
    """Note what an attendee answers; returns what is wrong with it, for the message's anomalies.

    It counts only from the attendee, authenticated, and only for an event that we organise; one
    that is older than what they answered last changes nothing.
    """
    account = message.inbox.account
    problems: set[str] = set()
    with transaction.atomic():
        for said in reply.events:
            if not _take(account, message, said):
                problems.add(NOT_FROM_ATTENDEE)
        touched(account=account, resources=("event_list", "event"))
    return problems


def _take(account: Account, message: Message, said: ItipEvent) -> bool:
    """Note one answer; False where it is not the sender's to give."""
    rows = Event.objects.select_for_update(of=("self",)).filter(
        calendar__account=account, calendar__deleted_at=None, uid=said.uid,
        organizer__in=addresses_of(account),
    )  # fmt: skip
    ours = list(rows.select_related("calendar").order_by("recurrence_id", "pk"))
    sender = message.from_email.lower()
    answer = next((one for one in said.attendees if one.email == sender), None)
    invited = Attendee.objects.filter(event__in=ours, email=sender)
    is_theirs = message.authentication == Authentication.PASS and answer is not None
    if not ours or not is_theirs or answer is None or not invited.exists():
        return False
    for event in _answered(ours, said):
        _note(event, said, answer)
    return True


def _answered(ours: list[Event], said: ItipEvent) -> list[Event]:
    """Return the rows that the answer is about; one instance gets a row to keep its own."""
    if not said.recurrence_id:
        return ours
    named = [event for event in ours if event.recurrence_id == said.recurrence_id]
    series = next((event for event in ours if not event.recurrence_id), None)
    if named or series is None:
        return named
    made = make_instance(series, said.recurrence_id)
    return [made] if made else []


def _note(event: Event, said: ItipEvent, answer: Invitee) -> None:
    attendee = Attendee.objects.filter(event=event, email=answer.email).first()
    if (
        attendee is None
        or answer.partstat not in _PARTSTATS
        or said.sequence < event.latest_sequence
    ):
        return
    said_at = said.dtstamp or LONG_AGO
    before = (attendee.answered_sequence, attendee.answered_at or LONG_AGO)
    if (said.sequence, said_at) <= before:
        return
    attendee.partstat, attendee.rsvp = answer.partstat, False
    attendee.answered_sequence, attendee.answered_at = said.sequence, said_at
    attendee.save()
    save_event(event, "answered")
