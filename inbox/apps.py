"""The domain of mail and people."""

from functools import partial

from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import pgettext_lazy

from inbox.database_rules import add_sqlite_functions
from inbox.loading import load
from inbox.planner_statistics import describe_tables


class InboxConfig(AppConfig):
    """Mail, people, activities, and what is to leave."""

    name = "inbox"
    verbose_name = pgettext_lazy("rows", "Inbox")

    def ready(self) -> None:
        """Give SQLite connections the triggers' hash, and figures; find all handlers of jobs."""
        connection_created.connect(add_sqlite_functions, dispatch_uid="inbox.sqlite_functions")
        post_migrate.connect(describe_tables, self, dispatch_uid="inbox.planner_statistics")
        load(partial(autodiscover_modules, "job_handlers"))
