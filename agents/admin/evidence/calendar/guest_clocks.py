"""What time a meeting is for its guests: by clocks that they themselves have told, or none."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.urls import reverse
from django.utils.dateformat import format as date_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from calendar_app.icalendar import ItipEvent
from calendar_app.models import Event
from inbox.actor import Actor
from inbox.models import Direction, Message, Submission
from inbox.prepared import Prepared, padded
from inbox.rfc5322.dates import written_offset
from inbox.rfc5322.headers import read_headers

# So many guests are looked up; their newest events and mail are looked through for them.
MOST_GUESTS = 8
_NEWEST = 48
# The Date stands among the first fields.
_HEAD = 65_536


@dataclass(frozen=True, slots=True)
class GuestClock:
    """The time of a meeting on somebody's clock: `where` names the clock, `source` who told it."""

    time: str
    where: str
    source: Promise
    url: str


def read_guest_clocks(
    actor: Actor, submission: Submission, said: ItipEvent, zone: tzinfo
) -> dict[str, GuestClock]:
    """Return, by address in lower case, what the time is for guests whose clock is known.

    By the time zone of the newest invitation that somebody sent, else by the Date of their last
    mail; where that is UTC it tells nothing, for servers write it for whoever they serve. `zone` is
    the clock that the page shows anyway: who is on it is left out. In two queries.
    """
    start, end = said.start, said.end
    if start is None or end is None or said.all_day:
        return {}
    emails = sorted({one.email.lower() for one in said.attendees})[:MOST_GUESTS]
    there = actor.within(submission.workspace_id)
    clocks = {**_by_mail(there, submission, emails), **_by_invitation(there, submission, emails)}
    shown = start.astimezone(zone).utcoffset()
    return {
        email: GuestClock(_told(start, end, clock), where, source, url)
        for email, (clock, where, source, url) in clocks.items()
        if start.astimezone(clock).utcoffset() != shown
    }


def _by_invitation(
    actor: Actor, submission: Submission, emails: list[str]
) -> dict[str, tuple[tzinfo, str, Promise, str]]:
    found: dict[str, tuple[tzinfo, str, Promise, str]] = {}
    rows = _INVITATIONS.rows(actor=actor, account=submission.account_id, emails=padded(emails))
    for event in rows:
        email, zone = event.organizer.lower(), _zone(event.timezone)
        if zone is not None and email not in found:
            place = event.timezone.rpartition("/")[2].replace("_", " ")
            url = reverse("event", args=[event.public_id])
            found[email] = (zone, place, _("by their last invitation"), url)
    return found


def _by_mail(
    actor: Actor, submission: Submission, emails: list[str]
) -> dict[str, tuple[tzinfo, str, Promise, str]]:
    found: dict[str, tuple[tzinfo, str, Promise, str]] = {}
    newest: dict[str, Message] = {}
    for message in _MAIL.rows(actor=actor, account=submission.account_id, emails=padded(emails)):
        newest.setdefault(message.from_email.lower(), message)
    for email, message in newest.items():
        offset = _offset_of(message)
        if offset:
            url = reverse("message", args=[message.public_id])
            clock = timezone(offset)
            found[email] = (clock, str(clock.tzname(None)), _("by their last mail"), url)
    return found


def _invitations(*, actor: Actor, account: int, emails: tuple[str, ...]) -> list[Any]:
    rows = Event.objects.visible_to(actor).filter(calendar__account=account, by_person=False)
    rows = rows.filter(organizer__in=emails, message__isnull=False).exclude(timezone="")
    return [rows.only("organizer", "timezone").order_by("-pk")[:_NEWEST]]


def _mail(*, actor: Actor, account: int, emails: tuple[str, ...]) -> list[Any]:
    rows = Message.objects.visible_to(actor).kept().filter(inbox__account=account)
    rows = rows.filter(from_email__in=emails, direction=Direction.INBOUND).select_related("blob")
    return [rows.only("from_email", "blob").order_by("-received_at", "-id")[:_NEWEST]]


_INVITATIONS, _MAIL = Prepared(_invitations), Prepared(_mail)


def _offset_of(message: Message) -> timedelta | None:
    """Return how far the clock of a message's Date is from UTC; None where nothing tells."""
    try:
        head = message.blob.read_head(_HEAD)
    except OSError:
        return None
    headers, _body = read_headers(head, 0, len(head))
    return written_offset(str(headers.raw("date") or "").strip())


def _zone(name: str) -> tzinfo | None:
    try:
        zone = ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
    return None if zone.key in {"UTC", "Etc/UTC", "GMT"} else zone


def _told(start: datetime, end: datetime, clock: tzinfo) -> str:
    """Return from when until when it is there, with the days where they are others than in UTC."""
    begins, ends = start.astimezone(clock), end.astimezone(clock)
    days = {begins.date(), ends.date(), start.astimezone(UTC).date()}
    form = "H:i" if len(days) == 1 else "D H:i"
    return f"{date_format(begins, form)}–{date_format(ends, form)}"
