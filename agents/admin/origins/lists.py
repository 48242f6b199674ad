"""The column of a list that says whose words its rows hold."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from agents.models import Origin, Provenance
from inbox.admin.base import WorkspaceAdmin
from inbox.viewer import Viewer


def origin_chip(public_id: str, origin: str) -> SafeString:
    """Return the label of an origin, which leads to the page about it."""
    strange = " chip-flag" if origin == Origin.STRANGER else ""
    url = reverse("origin", args=[public_id])
    return format_html('<a class="chip{}" href="{}">{}</a>', strange, url, Origin(origin).label)


class OriginColumn(WorkspaceAdmin):
    """Mixed into a list: the column `origin_line`.

    `kind` is what the ids of its rows begin with, `unnoted` the origin where nothing was noted.
    """

    kind: ClassVar[str]
    unnoted: ClassVar[Any] = Value(str(Origin.AGENT))

    def visible(self, rows: QuerySet[Any], viewer: Viewer) -> QuerySet[Any]:
        """Keep the rows that this viewer may see, each with its origin."""
        notes = Provenance.objects.filter(
            workspace=OuterRef("workspace"), kind=self.kind, object_id=OuterRef("pk")
        )
        noted = Coalesce(Subquery(notes.values("origin")[:1]), self.unnoted)
        found: QuerySet[Any] = super().visible(rows, viewer).annotate(origin=noted)
        return found

    @admin.display(description=_("origin"), ordering="origin")
    def origin_line(self, row: Any) -> SafeString:
        """Whose words it holds."""
        return origin_chip(row.public_id, row.origin)
