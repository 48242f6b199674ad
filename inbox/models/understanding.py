"""What a workspace teaches Chancery: intents, schemas to fill in, and how replies must be."""

from typing import ClassVar

from django.db import models
from django.utils.translation import pgettext_lazy

from inbox.models.base import PublicModel, VisibleQuerySet


class Taxonomy(PublicModel):
    """Intents with their signals and routes, in YAML; read by `inbox.classify.triage`."""

    ID_PREFIX = "tax"

    workspace = models.ForeignKey(
        "Workspace", models.CASCADE, related_name="+",
        verbose_name=pgettext_lazy("field", "workspace"),
    )  # fmt: skip
    name = models.CharField(pgettext_lazy("field", "name"), max_length=200)
    source = models.TextField(pgettext_lazy("field", "source"))
    version = models.PositiveIntegerField(pgettext_lazy("field", "version"), default=1)
    updated_at = models.DateTimeField(pgettext_lazy("field", "updated at"), auto_now=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "taxonomy")
        verbose_name_plural = pgettext_lazy("rows", "taxonomies")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "name"], name="taxonomy_name_once")
        ]

    def __str__(self) -> str:
        return self.name


class ExtractionSchema(PublicModel):
    """A JSON Schema (2020-12) of what to find in a message; read by `inbox.extract`."""

    ID_PREFIX = "sch"

    workspace = models.ForeignKey(
        "Workspace", models.CASCADE, related_name="+",
        verbose_name=pgettext_lazy("field", "workspace"),
    )  # fmt: skip
    name = models.CharField(pgettext_lazy("field", "name"), max_length=200)
    schema = models.JSONField(pgettext_lazy("field", "schema"))
    version = models.PositiveIntegerField(pgettext_lazy("field", "version"), default=1)
    updated_at = models.DateTimeField(pgettext_lazy("field", "updated at"), auto_now=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "extraction schema")
        verbose_name_plural = pgettext_lazy("rows", "extraction schemas")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["workspace", "name"], name="extraction_schema_name_once"
            )
        ]

    def __str__(self) -> str:
        return self.name


class ReplyPolicy(PublicModel):
    """What a reply must be and must not be, in YAML; every version is kept."""

    ID_PREFIX = "pol"

    workspace = models.ForeignKey(
        "Workspace", models.CASCADE, related_name="+",
        verbose_name=pgettext_lazy("field", "workspace"),
    )  # fmt: skip
    name = models.CharField(pgettext_lazy("field", "name"), max_length=200)
    source = models.TextField(pgettext_lazy("field", "source"))
    version = models.PositiveIntegerField(pgettext_lazy("field", "version"), default=1)
    updated_at = models.DateTimeField(pgettext_lazy("field", "updated at"), auto_now=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "reply policy")
        verbose_name_plural = pgettext_lazy("rows", "reply policies")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "name"], name="reply_policy_name_once")
        ]

    def __str__(self) -> str:
        return f"{self.name} (version {self.version})"


class KeptVersion(models.Model):
    """What one of these once said, as it was written, and who saved it."""

    version = models.PositiveIntegerField()
    source = models.TextField()
    saved_by_name = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class ReplyPolicyVersion(KeptVersion):
    """A policy as it once stood."""

    policy = models.ForeignKey(ReplyPolicy, models.CASCADE, related_name="versions")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["policy", "version"], name="reply_policy_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.policy.name}, version {self.version}"


class TaxonomyVersion(KeptVersion):
    """A taxonomy as it once stood."""

    taxonomy = models.ForeignKey(Taxonomy, models.CASCADE, related_name="versions")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["taxonomy", "version"], name="taxonomy_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.taxonomy.name}, version {self.version}"


class ExtractionSchemaVersion(KeptVersion):
    """A schema as it once stood, as indented JSON."""

    schema = models.ForeignKey(ExtractionSchema, models.CASCADE, related_name="versions")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["schema", "version"], name="extraction_schema_version_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.schema.name}, version {self.version}"
