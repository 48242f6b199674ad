"""What persons taught: of a sender, a domain or a list, by changing items, by what they decide."""

from collections.abc import Collection, Mapping
from typing import ClassVar, Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.activity_choices import ActivityType, Urgency
from inbox.models.activities import Activity, ActivityStatus
from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.models.understanding import Taxonomy
from inbox.reasons.fields import ReasonField


class CorrectionScope(models.TextChoices):
    """Whose mail a correction is about."""

    SENDER = "sender", pgettext_lazy("choice", "Sender")
    DOMAIN = "domain", pgettext_lazy("choice", "Domain")
    LIST = "list", pgettext_lazy("choice", "List")


class CorrectionRoute(models.TextChoices):
    """Where that mail goes; empty: where its tier leads."""

    SURFACE = "surface", pgettext_lazy("choice", "always surfaced")
    REVIEW = "review", pgettext_lazy("choice", "put up for review")
    NOTE = "note", pgettext_lazy("choice", "noted, never surfaced")
    DISMISS = "dismiss", pgettext_lazy("choice", "dismissed")


class CorrectionQuerySet(VisibleQuerySet["Correction"]):
    """Corrections."""

    def in_force(self) -> "CorrectionQuerySet":
        """Keep those that nobody revoked."""
        return self.filter(revoked_at=None)

    def in_force_for(
        self, workspace_ids: Collection[int], names: Mapping[str, Collection[str]]
    ) -> "CorrectionQuerySet":
        """Keep those in force there for any of these names, which are given by scope."""
        # Each branch says all of it: only then does the index find what is in force.
        theirs = models.Q(pk__in=[])
        for scope, values in names.items():
            theirs |= models.Q(
                workspace_id__in=workspace_ids, scope=scope, value__in=values, revoked_at=None
            )
        return self.filter(theirs)


class Correction(PublicModel):
    """What a person says of all mail from a sender, a domain or a list; the rules then heed it.

    Set parts take the place of the rules' own; a part that is empty stays theirs. What lowers
    attention counts only for mail that is proven to come from there.
    """

    ID_PREFIX = "crn"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    scope = models.CharField(max_length=6, choices=CorrectionScope)
    # An address, a domain or a List-Id, in lower case.
    value = models.CharField(max_length=320)
    # Of a list: the domain that proved the message it was made from; empty where none did.
    vouched_by = models.CharField(max_length=255, blank=True)
    route = models.CharField(max_length=7, choices=CorrectionRoute, blank=True)
    activity_type = models.CharField(max_length=16, choices=ActivityType, blank=True)
    urgency = models.CharField(max_length=6, choices=Urgency, blank=True)
    autonomy_tier = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(4)]
    )
    note = models.CharField(max_length=1000, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    created_by_name = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = CorrectionQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "correction")
        verbose_name_plural = pgettext_lazy("rows", "corrections")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["workspace", "scope", "value"],
                condition=models.Q(revoked_at=None),
                name="correction_in_force_once",
            )
        ]
        indexes: ClassVar = [models.Index(fields=["workspace", "-id"], name="correction_newest")]

    def __str__(self) -> str:
        return f"{self.get_scope_display().lower()} {self.value}"


class ActivityChangeQuerySet(VisibleQuerySet["ActivityChange"]):
    """Changes of activities."""

    account_path = "activity__message__inbox__account_id"


class ActivityChange(PublicModel):
    """One change of an activity after it was classified: what it was, what it became, by whom."""

    ID_PREFIX = "chg"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    activity = models.ForeignKey("Activity", models.CASCADE, related_name="changes")
    # As rows name actors: agent:7, person:3, system:0.
    by = models.CharField(max_length=40)
    by_name = models.CharField(max_length=200)
    # The columns that changed, by name.
    before = models.JSONField()
    after = models.JSONField()
    correction = models.ForeignKey(
        Correction, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)
    # The change that this one took back: once, whoever asks at the same time.
    undoes = models.OneToOneField(
        "self", models.SET_NULL, null=True, blank=True, related_name="undone_by"
    )

    objects = ActivityChangeQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["activity", "-id"], name="activity_change_newest")
        ]

    def __str__(self) -> str:
        return f"{', '.join(self.after)} of {self.activity_id} by {self.by_name}"


class CorrectionOfferQuerySet(VisibleQuerySet["CorrectionOffer"]):
    """Offered corrections."""

    account_path = "activity__message__inbox__account_id"


class CorrectionOffer(PublicModel):
    """A correction that is offered, once: people decided alike of all mail from there.

    Taken it has its correction; dismissed it has none. Neither is offered again.
    """

    ID_PREFIX = "cof"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    scope = models.CharField(max_length=6, choices=CorrectionScope)
    value = models.CharField(max_length=320)
    route = models.CharField(max_length=7, choices=CorrectionRoute)
    # How many decisions were alike, and the newest item of these.
    count = models.PositiveIntegerField()
    activity = models.ForeignKey("Activity", models.CASCADE, related_name="+")
    correction = models.ForeignKey(
        Correction, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by_name = models.CharField(max_length=150, blank=True)

    objects = CorrectionOfferQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "offered correction")
        verbose_name_plural = pgettext_lazy("rows", "offered corrections")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["workspace", "scope", "value"], name="correction_offer_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_scope_display().lower()} {self.value}"


class LearnedState(models.TextChoices):
    """Whether a version is asked: only watched, followed, or neither."""

    SHADOW = "shadow", pgettext_lazy("choice", "watched")
    ON = "on", pgettext_lazy("choice", "on")
    OFF = "off", pgettext_lazy("choice", "off")


class LearnedModelQuerySet(VisibleQuerySet["LearnedModel"]):
    """Versions of what was learned."""

    def asked(self) -> Self:
        """Keep those whose answer is worked out: followed, or only watched."""
        return self.filter(state__in=[LearnedState.ON, LearnedState.SHADOW])


class LearnedModel(PublicModel):
    """A version of what a workspace's decisions taught; watched until a person turns it on."""

    ID_PREFIX = "lrn"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    # Which taxonomy's intents it knows; null: it says who should see a message.
    taxonomy = models.ForeignKey(Taxonomy, models.CASCADE, null=True, blank=True, related_name="+")
    # "judge", or "triage:" and the taxonomy's key.
    about = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    state = models.CharField(max_length=6, choices=LearnedState, default=LearnedState.SHADOW)
    # The classifier, as `inbox.learning.training` writes it.
    content = models.JSONField()
    # What it is worth on senders it did not see: counts, accuracy, calibration error, bins.
    figures = models.JSONField()
    trained_at = models.DateTimeField()
    # Who turned it on or off last; empty with a reason: it was turned off by itself.
    switched_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    switched_by_name = models.CharField(max_length=150, blank=True)
    switched_at = models.DateTimeField(null=True, blank=True)
    reason = ReasonField(blank=True)

    objects = LearnedModelQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "learned version")
        verbose_name_plural = pgettext_lazy("rows", "learned versions")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["workspace", "about", "version"], name="learned_model_version_once"
            ),
            models.UniqueConstraint(
                fields=["workspace", "about"],
                condition=models.Q(state="on"),
                name="learned_model_on_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.about}, version {self.version}"


class LearnedOpinionQuerySet(VisibleQuerySet["LearnedOpinion"]):
    """Opinions."""

    account_path = "activity__message__inbox__account_id"


class LearnedOpinion(PublicModel):
    """Where a learned version would have an item elsewhere than the rules, and whether it has."""

    ID_PREFIX = "lop"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    model = models.ForeignKey(LearnedModel, models.CASCADE, related_name="opinions")
    activity = models.ForeignKey(Activity, models.CASCADE, related_name="learned_opinions")
    # unwanted, aside or wanted.
    said = models.CharField(max_length=10)
    confidence = models.FloatField()
    # The features that said most, with their weights: [["w/invoice", 1.2], …].
    weights = models.JSONField(default=list)
    by_rules = models.CharField(max_length=12, choices=ActivityStatus)
    would = models.CharField(max_length=12, choices=ActivityStatus)
    # Whether the item went there.
    was_followed = models.BooleanField()
    at = models.DateTimeField(auto_now_add=True)

    objects = LearnedOpinionQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["model", "-id"], name="learned_opinion_newest")]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["model", "activity"], name="learned_opinion_once")
        ]

    def __str__(self) -> str:
        return f"{self.said} of {self.activity_id}"
