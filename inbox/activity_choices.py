"""What an activity may be, as the rules, persons and corrections say it."""

from django.db import models
from django.utils.translation import pgettext_lazy


class ActivityType(models.TextChoices):
    """What kind of thing it is."""

    REQUEST = "request", pgettext_lazy("choice", "Request")
    INFORMATION = "information", pgettext_lazy("choice", "Information")
    ACTION_REQUIRED = "action_required", pgettext_lazy("choice", "Action Required")
    FYI = "fyi", pgettext_lazy("choice", "Fyi")
    EVENT = "event", pgettext_lazy("choice", "Event")


class Urgency(models.TextChoices):
    """How pressing it is."""

    LOW = "low", pgettext_lazy("choice", "Low")
    NORMAL = "normal", pgettext_lazy("choice", "Normal")
    HIGH = "high", pgettext_lazy("choice", "High")
