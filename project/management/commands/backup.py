"""`manage.py backup`: everything that is kept, in one file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from project.backups.archive import BackupError
from project.backups.making import make_backup
from project.management.passphrases import add_passphrase, read_passphrase


class Command(BaseCommand):
    help = "Write the database, the stored bytes and, with a passphrase, the keys into one file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the file to make; it must not be there yet")
        add_passphrase(parser, "encrypts the keys into the backup, too")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        try:
            made = make_backup(file.absolute(), passphrase=read_passphrase(options))
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{file}: the database, {made.blobs} stored contents, {made.files} files")
        if not made.has_keys:
            self.stdout.write(
                "The keys are not in it: keep CHANCERY_CREDENTIAL_KEYS, or credentials.key of the "
                "data folder, elsewhere. Without them stored passwords cannot be opened."
            )
        for name in made.missing:
            self.stderr.write(f"the storage has lost {name}")
        if made.missing:
            raise CommandError(f"{len(made.missing)} stored contents are missing from the storage")
