"""`manage.py rotate_keys`: encrypt stored secrets under the newest key; older ones can go."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db.models import Model

from agents.models import A2APush, WebhookEndpoint
from agents.models.notices import NoticeSettings
from inbox.accounts.credential_keys import drop_old_keys, put_new_key_first
from inbox.models import Account, RemoteSource
from inbox.operations.accounts.key_rotation import reencrypt_column, reencrypt_second_factors
from inbox.operations.worker_processes import GONE_AFTER, started_before

# Everything that is encrypted at rest.
ENCRYPTED: tuple[tuple[type[Model], str], ...] = (
    (Account, "secret"),
    (RemoteSource, "secret"),
    (WebhookEndpoint, "secret"),
    (WebhookEndpoint, "previous_secret"),
    (NoticeSettings, "webhook_secret"),
    (A2APush, "secret"),
)


class Command(BaseCommand):
    help = (
        "Encrypt every password, token, webhook secret and second factor anew, under the newest "
        "key. First --new-key and a restart of every process, then this, then --drop-old-keys "
        "and another restart."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        steps = parser.add_mutually_exclusive_group()
        steps.add_argument(
            "--new-key", action="store_true", help="put a new key before those that are there"
        )
        steps.add_argument(
            "--drop-old-keys",
            action="store_true",
            help="encrypt anew and, once nothing needs them, remove every key but the newest",
        )

        parser.add_argument(
            "--anyway", action="store_true",
            help="drop them though a process at work does not know the new key yet",
        )  # fmt: skip

    def handle(self, *_: Any, **options: Any) -> None:
        if options["new_key"]:
            self._add_key()
            return
        path: Path | None = settings.CREDENTIAL_KEYS_FILE
        if options["drop_old_keys"] and path is None:
            raise CommandError("The keys are in CHANCERY_CREDENTIAL_KEYS: remove the old there.")
        if options["drop_old_keys"] and path is not None and not options["anyway"]:
            _refuse_while_old_ones_run(path)
        self._reencrypt()
        if options["drop_old_keys"] and path is not None:
            dropped = drop_old_keys(path)
            self.stdout.write(f"{dropped} old keys are removed. Restart every process.")

    def _add_key(self) -> None:
        path: Path | None = settings.CREDENTIAL_KEYS_FILE
        if path is None:
            self.stderr.write("Put this before the others in CHANCERY_CREDENTIAL_KEYS:")
            self.stdout.write(Fernet.generate_key().decode())
            return
        put_new_key_first(path)
        self.stdout.write(f"A new key is in {path}. Restart every process, then run rotate_keys.")

    def _reencrypt(self) -> None:
        """Encrypt everything anew; raises CommandError where something does not open."""
        refused = []
        for model, field in ENCRYPTED:
            done = reencrypt_column(model, field)
            name = f"{model._meta.verbose_name} {field.replace('_', ' ')}"
            self.stdout.write(f"{name}: {done.count} encrypted anew.")
            refused += [f"{name} of row {key}" for key in done.unopened]
        factors = reencrypt_second_factors()
        self.stdout.write(f"second factors: {factors.count} encrypted anew.")
        refused += [f"second factor of row {key}" for key in factors.unopened]
        if refused:
            shown = "; ".join(map(str, refused[:10]))
            words = f"No key opens {len(refused)}: {shown}. Keep every key, or connect those anew."
            raise CommandError(words)


def _refuse_while_old_ones_run(path: Path) -> None:
    """Raise CommandError where a process at work began before the newest key was put there.

    It could open nothing that is encrypted anew, and nobody could open later what it encrypts.
    """
    put_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    if old := started_before(put_at):
        raise CommandError(
            f"Nothing was changed: {', '.join(old)} began before the newest key was put into "
            f"{path}, and does not know it. Restart every process, those that serve the web too, "
            f"and run this again {GONE_AFTER.seconds} seconds later; or say --anyway."
        )
