"""What came in, as something that may want a person's attention."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.activity_choices import ActivityType, Urgency
from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.reasons.fields import ReasonField, ReasonListField


class ActivityStatus(models.TextChoices):
    """Where an activity stands; `pending` is not classified yet, `archived` was dismissed."""

    PENDING = "pending", pgettext_lazy("choice", "Pending")
    NEEDS_REVIEW = "needs_review", pgettext_lazy("choice", "Needs Review")
    QUARANTINED = "quarantined", pgettext_lazy("choice", "Quarantined")
    SURFACED = "surfaced", pgettext_lazy("choice", "Surfaced")
    PROCESSED = "processed", pgettext_lazy("choice", "Processed")
    ARCHIVED = "archived", pgettext_lazy("choice", "Archived")


class ActivitySource(models.TextChoices):
    """Where an activity came from."""

    EMAIL = "email", pgettext_lazy("choice", "Email")
    CALENDAR = "calendar", pgettext_lazy("choice", "Calendar")
    CONVERSATION = "conversation", pgettext_lazy("choice", "Conversation")
    NOTE = "note", pgettext_lazy("choice", "Note")
    FILE = "file", pgettext_lazy("choice", "File")


_SURFACED = models.Q(status=ActivityStatus.SURFACED)
_HIGH, _LOW = models.Q(urgency=Urgency.HIGH), models.Q(urgency=Urgency.LOW)
_WEIGHTY = models.Q(autonomy_tier=4)
_PRESSING: tuple[tuple[models.Q, int], ...] = (
    (models.Q(is_superseded=True), 70),
    (_SURFACED & _HIGH & _WEIGHTY, 10),
    (_SURFACED & _HIGH, 11),
    (_SURFACED & _WEIGHTY & ~_LOW, 30),
    (_SURFACED & ~_LOW, 31),
    (_HIGH, 40),
    (_SURFACED, 41),
    (~_LOW, 50),
)


class ActivityQuerySet(VisibleQuerySet["Activity"]):
    """Activities."""

    account_path = "message__inbox__account_id"


class Activity(PublicModel):
    """One thing that came in, classified and routed."""

    ID_PREFIX = "act"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    source = models.CharField(max_length=12, choices=ActivitySource)
    # The public id of what it came from.
    source_id = models.CharField(max_length=80)
    message = models.ForeignKey(
        "Message", models.CASCADE, null=True, blank=True, related_name="activities"
    )
    person = models.ForeignKey("Person", models.SET_NULL, null=True, blank=True, related_name="+")
    sender = models.CharField(max_length=320, blank=True)
    title = models.TextField(blank=True)
    content = models.TextField(blank=True)
    summary = models.TextField(blank=True)
    status = models.CharField(
        pgettext_lazy("field", "status"), max_length=12, choices=ActivityStatus,
        default=ActivityStatus.PENDING,
    )  # fmt: skip
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    personas = models.JSONField(default=list)
    activity_type = models.CharField(
        pgettext_lazy("field", "activity type"), max_length=16, choices=ActivityType, blank=True
    )
    urgency = models.CharField(
        pgettext_lazy("field", "urgency"), max_length=6, choices=Urgency, blank=True
    )
    # 1 silent, 2 noted, 3 a request: draft and suggest, 4 urgent or weighty; None: not classified.
    autonomy_tier = models.PositiveSmallIntegerField(
        pgettext_lazy("field", "autonomy tier"), null=True, blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(4)],
    )  # fmt: skip
    confidence = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0), MaxValueValidator(1)]
    )
    reasoning = ReasonField(blank=True)
    suggested_actions = ReasonListField(default=list)
    option_framing = ReasonField(null=True, blank=True)
    created_at = models.DateTimeField()
    # A newer one of its thread stands for it in the queue.
    is_superseded = models.BooleanField(default=False)
    # How pressing it is, the least first; the database works it out.
    pressing = models.GeneratedField(
        expression=models.Case(
            *(models.When(condition, then=models.Value(level)) for condition, level in _PRESSING),
            default=models.Value(60),
        ),
        output_field=models.PositiveSmallIntegerField(),
        db_persist=True,
    )
    # The correction of a person by which it was classified.
    correction = models.ForeignKey(
        "Correction", models.SET_NULL, null=True, blank=True, related_name="activities",
        db_index=False,
    )  # fmt: skip
    # It is out of the open tabs until then.
    snoozed_until = models.DateTimeField(null=True, blank=True)

    objects = ActivityQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "activity")
        verbose_name_plural = pgettext_lazy("rows", "activities")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["workspace", "source", "source_id"], name="activity_source_once"
            ),
            # Options are put to a person by what is of tier 3 or 4.
            models.CheckConstraint(
                condition=models.Q(option_framing=None) | models.Q(autonomy_tier__gte=3),
                name="activity_options_of_tier",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["workspace", "-created_at", "-id"], name="activity_newest"),
            models.Index(
                fields=["workspace", "status", "-created_at", "-id"], name="activity_status_newest"
            ),
            models.Index(
                fields=["workspace", "status", "pressing", "created_at", "id"],
                name="activity_in_queue",
            ),
            # However few of very many were noted, or handled silently.
            models.Index(
                fields=["workspace", "status", "autonomy_tier", "-created_at", "-id"],
                name="activity_tier_newest",
            ),
            # What the figures of oversight are counted by, without the rows.
            models.Index(
                fields=["workspace", "created_at", "autonomy_tier", "confidence", "message"],
                name="activity_counted",
            ),
            models.Index(
                fields=["correction", "-id"],
                condition=models.Q(correction__isnull=False),
                name="activity_of_correction",
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.source_id
