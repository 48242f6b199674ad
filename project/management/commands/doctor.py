"""`manage.py doctor`: what is wrong with this set-up, and what to do."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from project.doctor.visit import visit


class Command(BaseCommand):
    help = "Say in plain words what is wrong with this set-up; fails where something is."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--reach", action="store_true", help="also try the mail servers of all accounts"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        styles = {"good": self.style.SUCCESS, "warn": self.style.WARNING, "bad": self.style.ERROR}
        counts = {"warn": 0, "bad": 0}
        for finding in visit(reach=options["reach"]):
            kind = styles[finding.kind](f"{finding.kind:<4}")
            self.stdout.write(f"{kind}  {finding.about:<9} {finding.words}")
            if finding.remedy and finding.kind != "good":
                self.stdout.write(f"                → {finding.remedy}")
            if finding.kind in counts:
                counts[finding.kind] += 1
        if counts["bad"]:
            raise CommandError(f"{counts['bad']} to mend, {counts['warn']} to look at.")
        self.stdout.write(f"Nothing to mend, {counts['warn']} to look at.")
