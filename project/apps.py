"""The Django admin with Chancery's own site."""

from importlib import import_module

from django.apps import AppConfig
from django.conf import settings
from django.contrib.admin.apps import AdminConfig


class ChanceryAdminConfig(AdminConfig):
    """Puts `ChanceryAdminSite` in the place of Django's."""

    default_site = "project.admin_site.ChanceryAdminSite"

    def ready(self) -> None:
        """Have Celery told of work, where there is a broker; nothing of it is loaded elsewhere."""
        super().ready()
        if settings.CELERY_BROKER_URL:
            import_module("project.celery")
            import_module("inbox.tasks").ring_on_enqueue()


class ProjectConfig(AppConfig):
    """The set-up as a whole; its commands are for whoever operates it."""

    name = "project"
