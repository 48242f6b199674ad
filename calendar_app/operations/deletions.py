"""Events and calendars deleted softly, so that nobody outside is told; and brought back."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from calendar_app.models import Calendar, Event, EventStatus
from calendar_app.operations.keeping import (
    addresses_of,
    lock_uid,
    refuse_read_only,
    remove_instance,
    save_event,
)
from calendar_app.operations.occurrences import Occurrence
from inbox.background.jobs import publish
from inbox.background.periodic import periodic
from inbox.errors import DomainError
from inbox.models import Account, RemoteCollection
from inbox.operations.accounts.sources import change_collection
from inbox.operations.mirror_entries import touched
from inbox.operations.purging import purge
from inbox.reasons import phrase as _

# So many events at a time; an instance of a series is a small row.
_PURGED_AT_ONCE = 2_000


def delete_event(*, occurrence: Occurrence) -> None:
    """Delete an event, a whole series, or leave one instance out of it."""
    event = occurrence.event
    refuse_read_only(event.calendar)
    with transaction.atomic():
        rows = lock_uid(event.calendar, event.uid)
        series = next((row for row in rows if not row.recurrence_id), None)
        if occurrence.series is not None and series is not None:
            remove_instance(series, occurrence.recurrence_id, rows, None)
        else:
            now = timezone.now()
            for row in rows:
                if row.deleted_at is None and event.recurrence_id in {"", row.recurrence_id}:
                    row.deleted_at = now
                    save_event(row, "deleted")
        touched(account=event.calendar.account, resources=("event_list", "event"))


def restore_event(*, event: Event) -> None:
    """Bring a deleted event back with the instances that were deleted together with it."""
    with transaction.atomic():
        rows = lock_uid(event.calendar, event.uid)
        current = next(row for row in rows if row.pk == event.pk)
        if current.deleted_at is None:
            return
        if current.calendar.deleted_at is not None:
            raise DomainError("conflict", _("Its calendar is deleted. Restore the calendar first."))
        together = [row for row in rows if row.deleted_at == current.deleted_at]
        for row in together if not current.recurrence_id else [current]:
            row.deleted_at = None
            save_event(row, "restored")
        _take_back_in(current, rows)
        touched(account=current.calendar.account, resources=("event_list", "event"))


def _take_back_in(instance: Event, rows: list[Event]) -> None:
    """Have a series name an instance again that was left out of it."""
    for series in rows:
        if instance.recurrence_id and instance.recurrence_id in series.exdate:
            series.exdate = [stamp for stamp in series.exdate if stamp != instance.recurrence_id]
            save_event(series, "updated")


def events_with_attendees(calendar: Calendar) -> int:
    """Return how many events to come of a calendar others were invited to by us."""
    own = addresses_of(calendar.account)
    rows = Event.objects.kept().filter(calendar=calendar, organizer__in=own)
    coming = rows.exclude(status=EventStatus.CANCELLED).exclude(last_end__lt=timezone.now())
    return coming.filter(attendees__isnull=False).values("uid").distinct().count()


def delete_calendar(*, calendar: Calendar) -> None:
    """Delete a calendar with what is in it; raises DomainError `conflict` where it must stay.

    The default calendar stays, for invitations go there; so does one with events to come that
    others were invited to, for they would go on expecting them.
    """
    if calendar.is_default:
        raise DomainError("conflict", _("This is the default calendar for invitations, so it "
                                        "cannot be deleted."),
                          field="calendar_id", accepted=_('another calendar'))  # fmt: skip
    with transaction.atomic():
        current = Calendar.objects.select_for_update().get(pk=calendar.pk)
        invited = events_with_attendees(current)
        if invited:
            raise DomainError(
                "conflict",
                _(
                    "Other people are invited to %(invited)s of its upcoming events.",
                    invited=invited,
                ),
                field="calendar_id",
                accepted=_("a calendar whose meetings were canceled first"),
            )
        if current.deleted_at is None:
            current.deleted_at = timezone.now()
            current.save(update_fields=["deleted_at"])
            _tell_of_calendar(current, "deleted")


def restore_calendar(*, calendar: Calendar) -> None:
    """Bring a deleted calendar back with its events; raises DomainError where its name is taken."""
    with transaction.atomic():
        taken = Calendar.objects.kept().filter(account_id=calendar.account_id, name=calendar.name)
        if taken.exists():
            raise DomainError(
                "conflict", _("Another calendar is now named %(name)s.", name=repr(calendar.name))
            )
        Calendar.objects.filter(pk=calendar.pk).update(deleted_at=None)
        parted = RemoteCollection.objects.filter(calendar=calendar, is_taken=False)
        for remote in parted.select_related("source__account"):
            # It is kept in step again.
            change_collection(collection=remote, taken=True, read_only=remote.read_only)
        _tell_of_calendar(calendar, "restored")


def _tell_of_calendar(calendar: Calendar, change: str) -> None:
    account = Account.objects.get(pk=calendar.account_id)
    touched(account=account, resources=("event_list", "event"))
    publish(
        "calendar.changed",
        {"calendar_id": calendar.pk, "change": change},
        workspace_id=calendar.workspace_id,
        priority=7,
    )


@periodic(3600)
def purge_calendars(now: datetime | None = None) -> int:
    """Remove the events and calendars that were deleted 30 days ago, some at a time.

    Returns how many.
    """
    events = purge(Event.objects.all(), now, most=_PURGED_AT_ONCE)
    return events + purge(Calendar.objects.all(), now)
