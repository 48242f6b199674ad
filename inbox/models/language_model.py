"""What a language model is used for, how much it was, and what it said."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models.base import PublicModel, VisibleQuerySet


class ModelTask(models.TextChoices):
    """What a model may be asked for."""

    CHECK = "check", pgettext_lazy("choice", "Check what proposals claim")
    DRAFT = "draft", pgettext_lazy("choice", "Draft replies")
    EXTRACT = "extract", pgettext_lazy("choice", "Extract data from messages")
    TRIAGE = "triage", pgettext_lazy("choice", "Sort messages by a taxonomy")
    SUMMARISE = "summarise", pgettext_lazy("choice", "Summarize threads")


class ModelSetting(models.Model):
    """What an owner lets the model be used for in their workspace; no row, no task: nothing."""

    workspace = models.OneToOneField("Workspace", models.CASCADE, related_name="+")
    # Values of `ModelTask`.
    tasks = models.JSONField(default=list)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    changed_at = models.DateTimeField(auto_now=True)

    objects = VisibleQuerySet.as_manager()

    def __str__(self) -> str:
        return f"the model in {self.workspace_id}"


class ModelUseQuerySet(VisibleQuerySet["ModelUse"]):
    """Counts of what the model was used."""

    account_path = "account_id"


class ModelUse(models.Model):
    """How much the model was used for an account on a day (UTC), with what is under way."""

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    account = models.ForeignKey("Account", models.CASCADE, related_name="+")
    day = models.DateField()
    tokens = models.PositiveBigIntegerField(default=0)
    milliseconds = models.PositiveBigIntegerField(default=0)
    questions = models.PositiveIntegerField(default=0)

    objects = ModelUseQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "use of the model")
        verbose_name_plural = pgettext_lazy("rows", "uses of the model")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["account", "day"], name="model_use_once")
        ]

    def __str__(self) -> str:
        return f"{self.account_id} on {self.day}"


class ModelAnswerQuerySet(VisibleQuerySet["ModelAnswer"]):
    """What the model said."""

    account_path = "account_id"


class ModelAnswer(PublicModel):
    """What a model said to one question, so that what came of it can be checked.

    `prompt_sha256` is the hash of all that it was asked. `outcome` is empty for an answer that
    could be read, else a code of `inbox.language_model.errors`.
    """

    ID_PREFIX = "mda"

    workspace = models.ForeignKey("Workspace", models.CASCADE, related_name="+")
    account = models.ForeignKey("Account", models.CASCADE, related_name="+")
    # A value of `ModelTask`.
    task = models.CharField(max_length=20)
    # The public id of what it was asked about.
    about = models.CharField(max_length=64)
    model = models.CharField(max_length=220)
    prompt_version = models.PositiveSmallIntegerField()
    prompt_sha256 = models.CharField(max_length=64)
    answer = models.TextField(blank=True)
    outcome = models.CharField(max_length=20, blank=True)
    # How many parts of it were used, and how many were dropped for what they quote stands nowhere.
    used = models.PositiveSmallIntegerField(default=0)
    dropped = models.PositiveSmallIntegerField(default=0)
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    milliseconds = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ModelAnswerQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "answer of the model")
        verbose_name_plural = pgettext_lazy("rows", "answers of the model")
        indexes: ClassVar = [
            models.Index(fields=["workspace", "about", "-id"], name="model_answer_about"),
            models.Index(fields=["created_at"], name="model_answer_old"),
        ]

    def __str__(self) -> str:
        return f"{self.model} on {self.about}"
