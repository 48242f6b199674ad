"""The Django admin with Chancery's own site."""

from django.contrib.admin.apps import AdminConfig


class ChanceryAdminConfig(AdminConfig):
    """Puts `ChanceryAdminSite` in the place of Django's."""

    default_site = "project.admin_site.ChanceryAdminSite"
