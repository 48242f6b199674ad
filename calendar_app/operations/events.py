"""What is to become of an event, planned as the iTIP message that would tell of it (RFC 5546).

Nothing is written here: `sent.apply` does that, at once where nobody else is reached, and when the
message has left where somebody is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import uuid4
from zoneinfo import available_timezones

from django.db.models import Max
from django.utils import timezone

from calendar_app.icalendar import MAX_EVENTS, Invitee, ItipEvent, ItipMessage
from calendar_app.models import Calendar, Event, EventStatus
from calendar_app.operations.keeping import addresses_of, refuse_read_only, said_of
from calendar_app.operations.occurrences import Occurrence
from calendar_app.series_moves import move_instance, move_series
from inbox.errors import DomainError, invalid
from inbox.models import Account
from inbox.operations.accounts.accounts import identities_of
from inbox.reasons import of_error
from inbox.reasons import phrase as _
from inbox.rfc5322.text.unicode_text import clean, clean_line

LONGEST_EVENT = timedelta(days=366)
_LONGEST_SUMMARY = 500


@dataclass(frozen=True, slots=True)
class Invitation:
    """An iTIP message, and whom it reaches; `also` are messages to others that belong to it."""

    calendar: Calendar
    message: ItipMessage
    recipients: tuple[Invitee, ...] = ()
    also: tuple["Invitation", ...] = field(default=())

    @property
    def event(self) -> ItipEvent:
        """The event, or the series, that it is about."""
        return self.message.events[0]


@dataclass(frozen=True, slots=True)
class EventValues:
    """What an event is to be like; None leaves as it is."""

    summary: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    timezone: str | None = None
    location: str | None = None
    description: str | None = None
    attendees: Sequence[str] | None = None


def plan_event(*, calendar: Calendar, wanted: EventValues) -> Invitation:
    """Plan a new event; with attendees it becomes a REQUEST from the account's default identity.

    Raises DomainError naming the field.
    """
    if wanted.start is None or wanted.end is None:
        raise invalid("start", _("An event needs a start and an end."))
    refuse_read_only(calendar)
    blank = ItipEvent(
        uid=f"{uuid4()}@{calendar.account.address.rpartition('@')[2]}", sequence=0,
        recurrence_id="", dtstamp=timezone.now().replace(microsecond=0), start=wanted.start,
        end=wanted.end, all_day=False, timezone="", rrule="", summary="", description="",
        location="", status="confirmed", organizer=None, attendees=(),
    )  # fmt: skip
    event = _with_organizer(_changed(blank, wanted), calendar.account)
    return Invitation(calendar, ItipMessage("REQUEST", (event,)), event.attendees)


def plan_update(*, occurrence: Occurrence, wanted: EventValues) -> Invitation:
    """Plan a change of an event, of a whole series, or of the one instance that was named.

    Raises DomainError: `conflict` where somebody else organises it, or it was called off.
    """
    refuse_read_only(occurrence.event.calendar)
    _check_ours(occurrence.event)
    before = _said_now(occurrence)
    after = _changed(before, wanted)
    after = replace(after, sequence=_next_sequence(occurrence.event), dtstamp=_now())
    if _is_moved(before, after):
        after = replace(after, attendees=tuple(_unanswered(one) for one in after.attendees))
    after = _with_organizer(after, occurrence.event.calendar.account)
    after = _moved_along(occurrence, before, after)
    events = (after, *_instances_after(occurrence, before, after))
    kept = {one.email for one in after.attendees} | addresses_of(occurrence.event.calendar.account)
    removed = tuple(one for one in before.attendees if one.email not in kept)
    return _change_of(occurrence.event.calendar, events, removed, before, after)


def _change_of(
    calendar: Calendar,
    events: tuple[ItipEvent, ...],
    removed: tuple[Invitee, ...],
    before: ItipEvent,
    after: ItipEvent,
) -> Invitation:
    if not removed:
        return Invitation(calendar, ItipMessage("REQUEST", events), after.attendees)
    # RFC 5546 3.2.5: without STATUS it takes back an invitation, and the event stays.
    taken_back = replace(before, attendees=removed, status="", sequence=after.sequence,
                         dtstamp=after.dtstamp)  # fmt: skip
    uninviting = Invitation(calendar, ItipMessage("CANCEL", (taken_back,)), removed)
    if after.attendees:
        told = ItipMessage("REQUEST", events)
        return Invitation(calendar, told, after.attendees, also=(uninviting,))
    rest = replace(after, attendees=before.attendees, organizer=before.organizer,
                   sequence=before.sequence, dtstamp=before.dtstamp)  # fmt: skip
    if rest != before:
        raise DomainError(
            "conflict",
            _("No one would be left to notify of the change."),
            field="updates/attendees",
            accepted=_("guests first, then the rest"),
        )
    return uninviting


def plan_cancellation(*, occurrence: Occurrence) -> Invitation:
    """Plan to call off an event, a series, or the one instance that was named."""
    refuse_read_only(occurrence.event.calendar)
    said = _said_now(occurrence)
    called_off = replace(
        said, status="cancelled", sequence=_next_sequence(occurrence.event), dtstamp=_now(),
        rrule="" if occurrence.series else said.rrule,
    )  # fmt: skip
    # Many clients name the organizer among the attendees; nobody is told by their own mail.
    own = addresses_of(occurrence.event.calendar.account)
    others = tuple(one for one in said.attendees if one.email not in own)
    recipients = others if is_ours(occurrence.event) else ()
    message = ItipMessage("CANCEL", (called_off,))
    return Invitation(occurrence.event.calendar, message, recipients)


def plan_reply(*, occurrence: Occurrence, partstat: str, comment: str = "") -> Invitation:
    """Plan our answer to an invitation: accepted, declined or tentative (RFC 5546 3.2.3).

    Raises DomainError: `conflict` where there is nobody to answer, `permission_denied` in a
    calendar that is only read from its server.
    """
    event, account = occurrence.event, occurrence.event.calendar.account
    refuse_read_only(event.calendar)
    if not event.organizer or is_ours(event):
        raise DomainError("conflict", _("You organize this event yourself."), field="event_id",
                          accepted=_("an event that someone else invited to"))  # fmt: skip
    if event.status == EventStatus.CANCELLED:
        raise DomainError("conflict", _("The event was canceled."), field="event_id")
    said = _said_now(occurrence)
    own = addresses_of(account)
    asked = next((one for one in said.attendees if one.email in own), None)
    me = asked or _account_as_invitee(account)
    answer = replace(
        said, attendees=(replace(me, partstat=partstat, rsvp=False),), dtstamp=_now(), rrule="",
        rdate=(), exdate=(), status="", description="", comment=clean(comment)[0],
        sequence=event.latest_sequence,
    )  # fmt: skip
    organizer = Invitee(event.organizer, event.organizer_name)
    return Invitation(event.calendar, ItipMessage("REPLY", (answer,)), (organizer,))


def is_ours(event: Event) -> bool:
    """Whether the event is the account's own to change: nobody else organises it."""
    return not event.organizer or event.organizer in addresses_of(event.calendar.account)


def _check_ours(event: Event) -> None:
    if not is_ours(event):
        raise DomainError(
            "conflict",
            _(
                "Only %(organizer)s, who organizes this event, can change it.",
                organizer=event.organizer,
            ),
            field="event_id",
            accepted=_("an event of this account, or an answer to this one"),
        )
    if event.status == EventStatus.CANCELLED:
        raise DomainError("conflict", _("The event was canceled."), field="event_id")


def _said_now(occurrence: Occurrence) -> ItipEvent:
    """Return the event as it stands; of an instance, that instance alone."""
    said = said_of(occurrence.event)
    if occurrence.series is None:
        return said
    return replace(
        said, recurrence_id=occurrence.recurrence_id, start=occurrence.start, end=occurrence.end,
        rrule="", rdate=(), exdate=(),
    )  # fmt: skip


def _next_sequence(event: Event) -> int:
    of_uid = Event.objects.filter(calendar_id=event.calendar_id, uid=event.uid)
    said = of_uid.aggregate(now=Max("sequence"), before=Max("highest_sequence"))
    return max(said["now"] or 0, said["before"] or 0) + 1


def _now() -> datetime:
    return timezone.now().replace(microsecond=0)


def _unanswered(invitee: Invitee) -> Invitee:
    return replace(invitee, partstat="needs-action", rsvp=True)


def _is_moved(before: ItipEvent, after: ItipEvent) -> bool:
    return (before.start, before.end, before.rrule) != (after.start, after.end, after.rrule)


# -- one event, changed ----------------------------------------------------------------------------


def _changed(event: ItipEvent, wanted: EventValues) -> ItipEvent:
    """Return the event with what is wanted of it; raises DomainError naming the field."""
    changed = replace(
        event,
        summary=event.summary if wanted.summary is None else _summary(wanted.summary),
        location=event.location if wanted.location is None else clean_line(wanted.location)[0],
        description=(
            event.description if wanted.description is None else clean(wanted.description)[0]
        ),
    )
    changed = _with_times(changed, wanted)
    if wanted.attendees is None:
        return changed
    return replace(changed, attendees=_attendees(event.attendees, wanted.attendees))


def _summary(text: str) -> str:
    line = clean_line(text)[0]
    if not 0 < len(line) <= _LONGEST_SUMMARY:
        raise invalid("subject", _('The subject is empty or too long.'),
                      _('one line of 1 to %(most)s characters', most=_LONGEST_SUMMARY))  # fmt: skip
    return line


def _with_times(event: ItipEvent, wanted: EventValues) -> ItipEvent:
    start, end = wanted.start or event.start, wanted.end or event.end
    if start is None or end is None:
        raise invalid("start", _("An event needs a start and an end."))
    moves = wanted.start is not None or wanted.end is not None
    if wanted.timezone is not None and not moves:
        raise invalid("timezone", _("A time zone needs a start or an end to go with it."),
                      _('start or end as well'))  # fmt: skip
    if end <= start:
        raise invalid("end", _("The end must be after the start."), _("a time after the start"))
    if end - start > LONGEST_EVENT:
        raise invalid(
            "end", _("The event is too long."), _("at most %(days)s days", days=LONGEST_EVENT.days)
        )
    zone = event.timezone if wanted.timezone is None else check_zone(wanted.timezone)
    return replace(event, start=start, end=end, timezone=zone, all_day=event.all_day and not moves)


def check_zone(name: str) -> str:
    """Return an IANA zone's name, empty for UTC; raises DomainError for any other."""
    if name in {"UTC", "Etc/UTC"}:
        return ""
    if name not in available_timezones():
        raise invalid(
            "timezone",
            _(
                "%(name)s is not a time zone. Use an IANA name such as Europe/Berlin.",
                name=repr(name[:64]),
            ),
            _("like Europe/Berlin"),
        )
    return name


def _attendees(before: Iterable[Invitee], emails: Sequence[str]) -> tuple[Invitee, ...]:
    known = {one.email: one for one in before}
    wanted = dict.fromkeys(email.lower() for email in emails)
    return tuple(known.get(email, Invitee(email, rsvp=True)) for email in wanted)


def _with_organizer(event: ItipEvent, account: Account) -> ItipEvent:
    """Return the event with the account as its organizer where it has attendees, not among them."""
    own = addresses_of(account)
    others = tuple(one for one in event.attendees if one.email not in own)
    if not others:
        return replace(event, attendees=())
    if event.organizer is not None:
        return replace(event, attendees=others)
    return replace(event, attendees=others, organizer=_account_as_invitee(account))


def _account_as_invitee(account: Account) -> Invitee:
    identity = identities_of(account)[0]
    return Invitee(identity.email.lower(), identity.name)


# -- a series, changed -----------------------------------------------------------------------------


def _moved_along(occurrence: Occurrence, before: ItipEvent, after: ItipEvent) -> ItipEvent:
    if occurrence.series is not None:
        return after
    try:
        return move_series(before, after)
    except ValueError as error:
        raise invalid(
            "start",
            _("The series cannot be moved: %(error)s.", error=of_error(error)),
            _("a start on a day of the rule, or one instance alone"),
        ) from error


def _instances_after(
    occurrence: Occurrence, before: ItipEvent, after: ItipEvent
) -> tuple[ItipEvent, ...]:
    """Return the changed instances of a series that is told anew: a REQUEST replaces them all."""
    event = occurrence.event
    if occurrence.series is not None or not event.recurs:
        return ()
    changed = Event.objects.kept().filter(calendar_id=event.calendar_id, uid=event.uid)
    rows = changed.filter(recurrence_id__gt="").order_by("recurrence_id")
    return tuple(
        move_instance(said_of(row), before, after)
        for row in rows.prefetch_related("attendees")[: MAX_EVENTS - 1]
    )
