"""`manage.py migrate`: Django's, which does not call a database good that it cannot update."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections

from project.schema.comparing import REMEDY, explain, schema_differences


class Command(migrate.Command):
    help = f"{migrate.Command.help} Refuses databases that an unreleased version of Chancery made."

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; raises CommandError before and after where the schema is not this version's."""
        self._check(options["database"])
        super().handle(*args, **options)
        self._check(options["database"])

    def _check(self, database: str) -> None:
        differences = schema_differences(connections[database])
        if differences:
            raise CommandError(f"{explain(differences)}\n{REMEDY}")
