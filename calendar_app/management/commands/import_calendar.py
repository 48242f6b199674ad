"""`manage.py import_calendar`: bring a calendar in."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from calendar_app.icalendar import MAX_FILE_BYTES
from calendar_app.models import Calendar
from calendar_app.operations.calendar_files import import_calendar
from calendar_app.operations.keeping import default_calendar
from inbox.errors import DomainError
from inbox.management.importing import add_file_and_account, find_account, read_file

_MOST_SHOWN = 20


class Command(BaseCommand):
    help = (
        "Bring in an .ics file. Nobody is told of it. Events that are there already change only "
        "where the file has a later word, so a run that was stopped can be repeated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_file_and_account(parser)
        parser.add_argument("--calendar", metavar="NAME", help="made if it is not there")

    def handle(self, *_: Any, **options: Any) -> None:
        account = find_account(options["account"], options["workspace"])
        calendar = default_calendar(account)
        if options["calendar"]:
            calendar, _made = Calendar.objects.get_or_create(
                account=account, name=options["calendar"], deleted_at=None,
                defaults={"workspace_id": account.workspace_id},
            )  # fmt: skip
        content = read_file(options["path"], MAX_FILE_BYTES)
        try:
            run = import_calendar(calendar=calendar, content=content)
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{run.total} events: {run.stored} stored in {calendar}.")
        for problem in run.problems[:_MOST_SHOWN]:
            self.stdout.write(f"  not stored: {problem}")
        if len(run.problems) > _MOST_SHOWN:
            self.stdout.write(f"  … and {len(run.problems) - _MOST_SHOWN} more.")
