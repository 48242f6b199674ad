"""The Django admin with Chancery's own site."""

import logging
from importlib import import_module

from django.apps import AppConfig, apps
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.apps import AdminConfig

from inbox.loading import load

log = logging.getLogger(__name__)


class ChanceryAdminConfig(AdminConfig):
    """Puts `ChanceryAdminSite` in the place of Django's."""

    default_site = "project.admin_site.ChanceryAdminSite"

    def ready(self) -> None:
        """Have the pages loaded, and Celery told of work where there is a broker."""
        load(self._load_pages)
        if settings.CELERY_BROKER_URL:
            # Nothing of it is loaded elsewhere.
            load(_tell_celery)

    def _load_pages(self) -> None:
        super().ready()
        # A second factor is its person's own, and nobody's to list; no e-mail addresses are kept.
        for model in ("mfa.Authenticator", "account.EmailAddress", "account.EmailConfirmation"):
            if admin.site.is_registered(apps.get_model(model)):
                admin.site.unregister(apps.get_model(model))
        # Clients and their codes are listed with the tokens of their agents.
        for row in apps.get_app_config("oauth2_provider").get_models():
            if admin.site.is_registered(row):
                admin.site.unregister(row)


def _tell_celery() -> None:
    import_module("project.celery")
    import_module("inbox.background.tasks").ring_on_enqueue()


class ProjectConfig(AppConfig):
    """The set-up as a whole; its commands are for whoever operates it."""

    name = "project"

    def ready(self) -> None:
        """Have signing in noticed by what keeps account of it."""
        load(_load_sign_in)
        if settings.OTLP_ENDPOINT:
            _collect_spans()


def _load_sign_in() -> None:
    import_module("inbox.admin.fresh_login")
    import_module("project.oauth.registration")
    import_module("project.sign_in.required_steps")
    import_module("project.sign_in.sessions")


def _collect_spans() -> None:
    """Have spans collected; a set-up without the packages for it works on, and says so."""
    try:
        import_module("project.monitoring.tracing").begin()
    except ImportError as error:
        log.warning(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set and no spans are sent: %s. "
            "Install chancery[otel], or requirements/otel.txt.", error,
        )  # fmt: skip
