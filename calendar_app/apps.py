"""The domain of calendars."""

from django.apps import AppConfig
from django.utils.translation import pgettext_lazy


class CalendarConfig(AppConfig):
    """Calendars and events."""

    name = "calendar_app"
    verbose_name = pgettext_lazy("rows", "Calendar")
