"""`manage.py verify_receipts`: work out the chain of receipts anew."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from agents.dispatching.dispatch import ABANDONED_AFTER
from agents.models import ReceiptHead
from agents.receipts import left_open, verify
from inbox.models import Workspace


class Command(BaseCommand):
    help = "Check every workspace's chain of receipts and name the first broken link."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", metavar="SLUG", help="only this workspace")

    def handle(self, *args: Any, **options: Any) -> None:
        workspaces = Workspace.objects.order_by("slug")
        if options["workspace"]:
            workspaces = workspaces.filter(slug=options["workspace"])
            if not workspaces:
                raise CommandError(f"There is no workspace {options['workspace']!r}.")
        broken = [workspace.slug for workspace in workspaces if not self._check(workspace)]
        if broken:
            raise CommandError(f"The receipts of {', '.join(broken)} are not as they were written.")

    def _check(self, workspace: Workspace) -> bool:
        """Print what was found; tell whether the chain holds."""
        for receipt in left_open(workspace, timezone.now() - ABANDONED_AFTER):
            since = f"{receipt.opened_at:%Y-%m-%d %H:%M:%S} UTC"
            self.stdout.write(
                f"{workspace.slug}: {receipt.public_id} open since {since}: {receipt}"
            )
        broken = verify(workspace)
        for link in broken:
            name = f" ({link.receipt_id})" if link.receipt_id else ""
            place = link.seq or "an open receipt"
            self.stdout.write(f"{workspace.slug}: broken at {place}{name}: {link.problem}")
        head = ReceiptHead.objects.filter(workspace=workspace).first()
        if not broken:
            last = f", the last {head.hash}" if head and head.seq else ""
            self.stdout.write(f"{workspace.slug}: {head.seq if head else 0} receipts hold{last}")
        return not broken
