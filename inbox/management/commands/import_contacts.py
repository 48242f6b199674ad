"""`manage.py import_contacts`: bring your address book in."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inbox.actor import operator_actor
from inbox.errors import DomainError
from inbox.formats.vcard import LARGEST
from inbox.management.importing import add_file_and_account, find_account, read_file
from inbox.operations.contacts.vcards import import_cards

_MOST_SHOWN = 20


class Command(BaseCommand):
    help = (
        "Bring in contacts from a vCard file (.vcf; 2.1, 3.0 or 4.0). Who is known already keeps "
        "what they have and gets what they lack, so a run can be repeated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_file_and_account(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        account = find_account(options["account"], options["workspace"])
        data = read_file(options["path"], LARGEST)
        actor = operator_actor(account.workspace_id)
        try:
            read = import_cards(actor=actor, account=account, data=data)
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(
            f"{read.made} new, {read.completed} completed, {len(read.refused)} left out."
        )
        for place, why in read.refused[:_MOST_SHOWN]:
            self.stdout.write(f"  card {place}: {why}")
