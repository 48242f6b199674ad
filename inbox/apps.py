"""The domain of mail and people."""

from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.utils.module_loading import autodiscover_modules

from inbox.database_rules import add_sqlite_functions


class InboxConfig(AppConfig):
    """Mail, people, activities, and what is to leave."""

    name = "inbox"

    def ready(self) -> None:
        """Give SQLite connections the triggers' hash; find every app's handlers of jobs."""
        connection_created.connect(add_sqlite_functions, dispatch_uid="inbox.sqlite_functions")
        autodiscover_modules("job_handlers")
