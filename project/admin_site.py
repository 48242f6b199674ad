"""The one admin site: every page of Chancery that a person sees."""

from django.contrib.admin import AdminSite


class ChanceryAdminSite(AdminSite):
    """Django's admin under Chancery's name."""

    site_title = "Chancery"
    site_header = "Chancery"
    index_title = "Everything"
