"""The Django admin with Chancery's own site."""

from importlib import import_module

from django.apps import AppConfig, apps
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.apps import AdminConfig


class ChanceryAdminConfig(AdminConfig):
    """Puts `ChanceryAdminSite` in the place of Django's."""

    default_site = "project.admin_site.ChanceryAdminSite"

    def ready(self) -> None:
        """Have Celery told of work, where there is a broker; nothing of it is loaded elsewhere."""
        super().ready()
        # A second factor is its person's own, and nobody's to list; no e-mail addresses are kept.
        for model in ("mfa.Authenticator", "account.EmailAddress", "account.EmailConfirmation"):
            if admin.site.is_registered(apps.get_model(model)):
                admin.site.unregister(apps.get_model(model))
        if settings.CELERY_BROKER_URL:
            import_module("project.celery")
            import_module("inbox.background.tasks").ring_on_enqueue()


class ProjectConfig(AppConfig):
    """The set-up as a whole; its commands are for whoever operates it."""

    name = "project"

    def ready(self) -> None:
        """Have signing in noticed by what keeps account of it."""
        import_module("inbox.admin.fresh_login")
        import_module("project.sign_in.required_steps")
        import_module("project.sign_in.sessions")
