"""The days that a message names, and what our calendar has on them."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.utils import timezone

from agents.evidence.claims.readers.moments import read_dates
from agents.models import Approval
from calendar_app.models import Event
from calendar_app.operations.occurrences import Occurrence, list_occurrences
from inbox.actor import Actor
from inbox.rfc5322.text.language import detect_language

MOST_DAYS = 2
_MOST_EVENTS = 200
_LONGEST = 20_000
_DAY, _APART = timedelta(days=1), timedelta(days=31)


@dataclass(frozen=True, slots=True)
class NamedDay:
    """A day, on the reader's clock, and what takes place then, by start."""

    day: date
    events: tuple[Occurrence, ...]


def read_named_days(actor: Actor, approval: Approval, text: str) -> tuple[NamedDay, ...]:
    """Return the first two days from today on that a text names, within a month; four queries."""
    submission = approval.submission
    if submission is None:
        return ()
    days = _named(text[:_LONGEST], timezone.localtime(approval.created_at).date())
    if not days:
        return ()
    rows = Event.objects.visible_to(actor.within(approval.workspace_id)).kept()
    rows = rows.filter(calendar__account_id=submission.account_id)
    since, until = _midnight(days[0]), _midnight(days[-1] + _DAY)
    found = list_occurrences(rows, since=since, until=until, limit=_MOST_EVENTS)
    return tuple(NamedDay(day, tuple(it for it in found if _is_on(it, day))) for day in days)


def _named(text: str, today: date) -> list[date]:
    read = (it.key for it in read_dates(text, today, detect_language(text)))
    days = sorted({it for it in read if isinstance(it, date) and it >= today})
    return [it for it in days if it - days[0] <= _APART][:MOST_DAYS]


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()))


def _is_on(one: Occurrence, day: date) -> bool:
    return one.start < _midnight(day + _DAY) and one.end > _midnight(day)
