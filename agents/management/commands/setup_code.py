"""`manage.py setup_code`: where the first person sets an installation up, with a one-time code."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.operations.setup.codes import LASTS_HOURS, is_unowned, setup_address


class Command(BaseCommand):
    help = "Print the address at which the first person sets this installation up."

    def handle(self, *args: Any, **options: Any) -> None:
        if not is_unowned():
            raise CommandError("Somebody can sign in here already; owners add others as members.")
        self.stderr.write(f"Open it in a browser. It works once, within {LASTS_HOURS} hours:")
        self.stdout.write(setup_address())
