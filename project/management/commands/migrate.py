"""`manage.py migrate`: Django's, which does not call a database good that it cannot update."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections

from project.schema.comparing import REMEDY, explain, schema_differences

_REMEDY_AFTER = "It was changed just now. Restore your backup of it with the version that made it."


class Command(migrate.Command):
    help = f"{migrate.Command.help} Refuses databases that no release of Chancery made."

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; raises CommandError before and after where the schema is not this version's."""
        self._check(options["database"], REMEDY)
        super().handle(*args, **options)
        self._check(options["database"], _REMEDY_AFTER)

    def _check(self, database: str, remedy: str) -> None:
        differences = schema_differences(connections[database])
        if differences:
            raise CommandError(f"{explain(differences)}\n{remedy}")
