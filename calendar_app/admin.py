"""Calendars and the events that invitations brought: read only."""

from django.contrib import admin
from django.utils.safestring import SafeString

from calendar_app.models import Attendee, Calendar, Event
from inbox.admin.base import KeptInline, WorkspaceAdmin
from inbox.templatetags.chancery import address, mail


@admin.register(Calendar)
class CalendarRows(WorkspaceAdmin):
    """Calendars of the accounts."""

    list_display = ("name", "account", "is_default")
    list_select_related = ("account",)
    fields = ("name", "account", "is_default")


class AttendeesInline(KeptInline):
    """Who is invited, and what they answered."""

    model = Attendee
    fields = ("name", "email", "partstat")
    readonly_fields = fields


@admin.register(Event)
class EventRows(WorkspaceAdmin):
    """Events, the next first."""

    list_display = ("summary_line", "dtstart", "dtend", "status", "organizer_line", "calendar")
    list_select_related = ("calendar",)
    list_filter = ("status",)
    search_fields = ("summary", "organizer", "location")
    date_hierarchy = None
    ordering = ("-dtstart", "-id")
    fields = (
        "summary", "status", "dtstart", "dtend", "all_day", "timezone", "rrule", "location",
        "description", "organizer", "calendar", "updated_at",
    )  # fmt: skip
    inlines = (AttendeesInline,)

    @admin.display(description="summary", ordering="summary")
    def summary_line(self, event: Event) -> SafeString:
        """What it is."""
        return mail(event.summary or "(no title)", 160)

    @admin.display(description="organizer", ordering="organizer")
    def organizer_line(self, event: Event) -> SafeString:
        """Who called it."""
        return address(event.organizer)
