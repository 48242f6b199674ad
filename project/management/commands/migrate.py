"""`manage.py migrate`: Django's, which does not call a database good that it cannot update.

A database without tables gets those of the packages first. Django computes all models anew that
are related to one that a migration changes: where ours were there before, every change to a table
that refers to a user would take as long as making all of them.
"""

from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.loader import MIGRATIONS_MODULE_NAME
from django.utils.module_loading import module_has_submodule

from project.schema.comparing import REMEDY, explain, schema_differences

_REMEDY_AFTER = "It was changed just now. Restore your backup of it with the version that made it."


class Command(migrate.Command):
    help = f"{migrate.Command.help} Refuses databases that no release of Chancery made."

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; raises CommandError before and after where the schema is not this version's."""
        self._check(options["database"], REMEDY)
        if not options["app_label"] and _is_empty(options["database"]):
            for label in _labels_of_packages():
                super().handle(*args, **options | {"app_label": label, "run_syncdb": False})
        super().handle(*args, **options)
        self._check(options["database"], _REMEDY_AFTER)

    def _check(self, database: str, remedy: str) -> None:
        differences = schema_differences(connections[database])
        if differences:
            raise CommandError(f"{explain(differences)}\n{remedy}")


def _is_empty(database: str) -> bool:
    return not connections[database].introspection.table_names()


def _labels_of_packages() -> list[str]:
    """Return the apps with migrations that are not ours, in the order of the settings."""
    others = [app for app in apps.get_app_configs() if Path(app.path).parent != settings.BASE_DIR]
    return [app.label for app in others if module_has_submodule(app.module, MIGRATIONS_MODULE_NAME)]
