"""Corrections among everything there is: their list is a page of its own."""

from django.contrib import admin

from inbox.admin.base import OwnPageAdmin
from inbox.models import Correction, LearnedModel


@admin.register(Correction)
class CorrectionRows(OwnPageAdmin):
    """Leads to the page of corrections, and to a correction's own."""

    page, list_page = "correction", "corrections"


@admin.register(LearnedModel)
class LearnedRows(OwnPageAdmin):
    """Leads to the page of what is learned."""

    page, list_page = "learned-version", "learned"
