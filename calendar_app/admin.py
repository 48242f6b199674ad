"""Calendars and their events in the admin: read, and restored where they were deleted."""

from datetime import datetime, timedelta

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from calendar_app import todo_rows
from calendar_app.event_search import find_all_events
from calendar_app.models import Attendee, Calendar, Event, Partstat
from calendar_app.models.events import EventQuerySet
from calendar_app.operations.deletions import restore_calendar, restore_event
from calendar_app.operations.events import is_ours
from calendar_app.operations.occurrences import list_occurrences
from calendar_app.rule_words import rule_in_words
from inbox.actor import Actor
from inbox.admin.base import KeptInline
from inbox.admin.restoring import DeletedFilter, RestoringAdmin
from inbox.admin.searching import MOST_FOUND, Found, SearchedAdmin
from inbox.templatetags.chancery import address, mail, when

__all__ = ["CalendarRows", "EventRows", "todo_rows"]

_AHEAD = timedelta(weeks=5)
_MOST_AHEAD = 60


@admin.register(Calendar)
class CalendarRows(RestoringAdmin):
    """Calendars of the accounts; deleted ones are restored here with their events."""

    list_display = ("name", "account", "is_default")
    list_select_related = ("account",)
    list_filter = (DeletedFilter,)
    fields = ("name", "account", "is_default", "next_weeks", "created_at", "deleted_at")
    readonly_fields = ("next_weeks",)

    def restore(self, row: Model) -> None:
        """Bring it back with its events."""
        if isinstance(row, Calendar):
            restore_calendar(calendar=row)

    @admin.display(description=_("next five weeks"))
    def next_weeks(self, calendar: Calendar) -> SafeString:
        """What takes place in it, series as their instances."""
        return instances(_events_of(calendar.workspace_id).filter(calendar=calendar))


class AttendeesInline(KeptInline):
    """Who is invited, and what they answered."""

    model = Attendee
    fields = ("name", "email", "answer", "role", "answered")
    readonly_fields = fields
    verbose_name_plural = _("Guests")

    @admin.display(description=_("answer"))
    def answer(self, attendee: Attendee) -> str:
        """What they told us."""
        if attendee.partstat == Partstat.NEEDS_ACTION:
            return gettext("none yet")
        return str(attendee.get_partstat_display())

    @admin.display(description=_("answered"))
    def answered(self, attendee: Attendee) -> SafeString:
        """When they told us."""
        return when(attendee.answered_at)


@admin.register(Event)
class EventRows(SearchedAdmin, RestoringAdmin):
    """Events, the next first; deleted ones are restored here."""

    searched_as = "events"
    list_display = (
        "summary_line", "starts", "ends", "status", "recurs_line", "organizer_line", "calendar",
    )  # fmt: skip
    list_select_related = ("calendar",)
    list_filter = (DeletedFilter, "status")
    search_fields = ("summary", "organizer", "location")
    date_hierarchy = None
    ordering = ("-dtstart", "-id")
    fields = (
        "summary", "status", "our_answer", "starts", "ends", "timezone", "rule", "next_weeks",
        "location", "description", "organizer", "calendar", "changed", "deleted_at",
    )  # fmt: skip
    readonly_fields = ("our_answer", "starts", "ends", "rule", "next_weeks", "changed")
    inlines = (AttendeesInline,)

    def found(self, actor: Actor, query: str) -> Found:
        """Return the events that are found; raises DomainError."""
        return Found(list(find_all_events(actor, query, MOST_FOUND)), {})

    def restore(self, row: Model) -> None:
        """Bring it back with the instances that were deleted together with it."""
        if isinstance(row, Event):
            restore_event(event=row)

    @admin.display(description=_("summary"), ordering="summary")
    def summary_line(self, event: Event) -> SafeString:
        """What it is."""
        return mail(event.summary or gettext("(no title)"), 160)

    @admin.display(description=_("starts"), ordering="dtstart")
    def starts(self, event: Event) -> SafeString:
        """When it begins, or the day."""
        return _whole_day(event.dtstart) if event.all_day else when(event.dtstart)

    @admin.display(description=_("ends"), ordering="dtend")
    def ends(self, event: Event) -> SafeString:
        """When it ends, or the last of its days: iCalendar names the day after (RFC 5545 3.6.1)."""
        if not event.all_day:
            return when(event.dtend)
        return mail(date_format(event.dtend - timedelta(days=1)))

    @admin.display(description=_("our answer"))
    def our_answer(self, event: Event) -> str:
        """What we told its organizer; nothing for an event of our own."""
        return "—" if is_ours(event) else event.get_partstat_display()

    @admin.display(description=_("rule"))
    def rule(self, event: Event) -> str:
        """By which rule it takes place again and again (RFC 5545 3.3.10)."""
        return rule_in_words(event.rrule) if event.rrule else "—"

    @admin.display(description=_("changed"))
    def changed(self, event: Event) -> SafeString:
        """When anything of it was last changed."""
        return when(event.updated_at)

    @admin.display(description=_("repeats"))
    def recurs_line(self, event: Event) -> str:
        """Whether it is a series, or an instance that differs from its series."""
        if event.recurrence_id:
            return gettext("moved or changed")
        return gettext("series") if event.recurs else ""

    @admin.display(description=_("organizer"), ordering="organizer")
    def organizer_line(self, event: Event) -> SafeString:
        """Who called it."""
        return address(event.organizer)

    @admin.display(description=_("next five weeks"))
    def next_weeks(self, event: Event) -> SafeString:
        """When it takes place next, with the instances that were changed."""
        rows = _events_of(event.workspace_id)
        return instances(rows.filter(calendar_id=event.calendar_id, uid=event.uid))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        """Leave out the events of deleted calendars, which come back with them."""
        return super().get_queryset(request).filter(calendar__deleted_at=None)


def _events_of(workspace_id: int) -> EventQuerySet:
    """Return the events of the workspace of a row that the page shows, and so of the viewer's."""
    return Event.objects.filter(workspace_id=workspace_id).kept()


def instances(rows: QuerySet[Event]) -> SafeString:
    """Return a list of what takes place in the next weeks."""
    now = timezone.now()
    found = list_occurrences(rows, since=now, until=now + _AHEAD, limit=_MOST_AHEAD)  # type: ignore[arg-type]
    lines = (
        (
            _whole_day(one.start) if one.event.all_day else when(one.start),
            mail(one.event.summary or gettext("(no title)"), 120),
            one.event.get_status_display(),
        )
        for one in found
    )
    return format_html_join("", "<div>{} {} <span class='quiet'>{}</span></div>", lines) or mail(
        gettext("Nothing.")
    )


def _whole_day(day: datetime) -> SafeString:
    return mail(gettext("%(day)s, all day") % {"day": date_format(day)})
