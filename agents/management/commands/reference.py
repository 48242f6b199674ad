"""`manage.py reference`: make the pages in `docs/reference/` from the declarations."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agents.management.reference import find_stale, settings_source, write


class Command(BaseCommand):
    help = "Write docs/reference/ anew from the declarations of tools, errors and settings."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="only fail where a page is stale")

    def handle(self, *args: Any, **options: Any) -> None:
        base = Path(settings.BASE_DIR)
        if settings.IS_INSTALLED:
            raise CommandError("The pages are made in the source tree; here is no docs/reference/.")
        folder = base / "docs" / "reference"
        source = settings_source(base)
        if options["check"]:
            stale = find_stale(folder, source)
            if stale:
                raise CommandError(f"stale: {', '.join(stale)}; run manage.py reference")
            return
        for name in write(folder, source):
            self.stdout.write(f"docs/reference/{name}")
