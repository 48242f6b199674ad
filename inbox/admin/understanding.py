"""Policies, taxonomies and schemas: what a workspace teaches Chancery."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from inbox.admin.accounts import OperationAdmin
from inbox.admin.forms import PolicyForm, SchemaForm, TaxonomyForm
from inbox.models import ExtractionSchema, ReplyPolicy, Taxonomy
from inbox.templatetags.chancery import when


class VersionedAdmin(OperationAdmin):
    """Rows that get a new version with each change."""

    list_display = ("name", "version", "workspace", "updated_at")
    list_select_related = ("workspace",)
    search_fields = ("name",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """The version counts itself."""
        return ("workspace", "version", "updated_at") if obj else ()


@admin.register(ReplyPolicy)
class PolicyRows(VersionedAdmin):
    """What a reply must be and must not be."""

    form = PolicyForm

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Every version is kept and told."""
        fields = super().get_readonly_fields(request, obj)
        return (*fields, "history") if obj else fields

    @admin.display(description="versions")
    def history(self, policy: ReplyPolicy) -> SafeString:
        """The versions there were."""
        rows = policy.versions.order_by("-version")[:20]
        return format_html_join(
            ", ", "{} of {}", ((row.version, when(row.created_at)) for row in rows)
        )


@admin.register(Taxonomy)
class TaxonomyRows(VersionedAdmin):
    """Intents with their signals and routes."""

    form = TaxonomyForm


@admin.register(ExtractionSchema)
class SchemaRows(VersionedAdmin):
    """What to find in a message."""

    form = SchemaForm
