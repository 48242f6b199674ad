"""`manage.py reference`: make what is made of the declarations: `docs/reference/`, the client."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agents.management.client import modules
from agents.management.reference import find_stale, settings_source, write


class Command(BaseCommand):
    help = "Write docs/reference/ and the methods of the Python client anew from the declarations."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="only fail where something is stale"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        base = Path(settings.BASE_DIR)
        if settings.IS_INSTALLED:
            raise CommandError("The pages are made in the source tree; here is no docs/reference/.")
        folder = base / "docs" / "reference"
        source = settings_source(base)
        if options["check"]:
            stale = [*find_stale(folder, source), *modules.find_stale(base)]
            if stale:
                raise CommandError(f"stale: {', '.join(stale)}; run manage.py reference")
            return
        for name in write(folder, source):
            self.stdout.write(f"docs/reference/{name}")
        for name in modules.write(base):
            self.stdout.write(str(modules.FOLDER / name))
