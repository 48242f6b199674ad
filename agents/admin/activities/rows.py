"""Corrections among everything there is: their list is a page of its own."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from inbox.admin.base import WorkspaceAdmin
from inbox.models import Correction


@admin.register(Correction)
class CorrectionRows(WorkspaceAdmin):
    """Leads to the page of corrections, and to a correction's own."""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the page of corrections."""
        return HttpResponseRedirect(reverse("corrections"))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the correction's page, where the viewer may see it."""
        row = self.get_object(request, object_id)
        if row is None:
            return HttpResponseRedirect(reverse("corrections"))
        return HttpResponseRedirect(reverse("correction", args=[row.public_id]))
