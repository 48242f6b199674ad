"""The domain of calendars."""

from django.apps import AppConfig


class CalendarConfig(AppConfig):
    """Calendars and events."""

    name = "calendar_app"
    verbose_name = "Calendar"
