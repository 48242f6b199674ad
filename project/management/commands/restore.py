"""`manage.py restore`: a backup into an empty place."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from project.backups.archive import BackupError
from project.backups.restoring import restore_backup
from project.management.passphrases import add_passphrase, read_passphrase


class Command(BaseCommand):
    help = "Put a backup back into an empty place; what was about to leave waits for a person."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the file that `backup` made")
        add_passphrase(parser, "opens the keys in the backup and puts them into the data folder")

    def handle(self, *args: Any, **options: Any) -> None:
        given = "CHANCERY_CREDENTIAL_KEYS" in os.environ
        try:
            restored = restore_backup(
                options["file"], passphrase=read_passphrase(options), keep_keys=given
            )
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Restored as of {restored.made_at[:19]} UTC: {restored.blobs} stored contents, "
            f"{restored.files} files."
        )
        self.stdout.write(
            f"Messages that had not left by then, and now wait for a person: {restored.held}."
        )
        if restored.keys_lack:
            self.stdout.write(
                "The keys that stored passwords were encrypted with are not here: set "
                "CHANCERY_CREDENTIAL_KEYS to those of then, or enter the passwords anew."
            )
