"""`manage.py export_decision APPROVAL`: print the record of a decision as JSON."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.models import Approval
from agents.oversight.exporting import export_decision
from inbox.actor import system_actor


class Command(BaseCommand):
    help = "Print the record of a decision as JSON: who, when, seeing what, and what came of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("approval", metavar="APPROVAL", help="its id, as apr_…")

    def handle(self, *args: Any, **options: Any) -> None:
        found = Approval.objects.with_public_id(options["approval"]).first()
        if found is None:
            raise CommandError(f"There is no approval {options['approval']!r}.")
        actor = system_actor(found.workspace_id, "manage.py export_decision")
        self.stdout.write(export_decision(actor, found).model_dump_json(indent=2))
