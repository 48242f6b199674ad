"""What a workspace teaches Chancery: intents, schemas to fill in, and how replies must be."""

from typing import ClassVar

from django.db import models

from inbox.models.accounts import Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class Taxonomy(PublicModel):
    """Intents with their signals and routes, in YAML; read by `inbox.triage`."""

    ID_PREFIX = "tax"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    name = models.CharField(max_length=200)
    source = models.TextField()
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(auto_now=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "taxonomies"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "name"], name="taxonomy_name_once")
        ]

    def __str__(self) -> str:
        return self.name


class ExtractionSchema(PublicModel):
    """A JSON Schema (2020-12) of what to find in a message; read by `inbox.extract`."""

    ID_PREFIX = "sch"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    name = models.CharField(max_length=200)
    schema = models.JSONField()
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(auto_now=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
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

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    name = models.CharField(max_length=200)
    source = models.TextField()
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(auto_now=True)

    objects = VisibleQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "reply policies"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "name"], name="reply_policy_name_once")
        ]

    def __str__(self) -> str:
        return f"{self.name} (version {self.version})"


class ReplyPolicyVersion(models.Model):
    """A policy as it once stood."""

    policy = models.ForeignKey(ReplyPolicy, models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    source = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["policy", "version"], name="reply_policy_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.policy.name}, version {self.version}"
