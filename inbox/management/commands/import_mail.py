"""`manage.py import_mail`: bring your mail in."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from inbox.errors import DomainError
from inbox.intake.sources import Source, open_source
from inbox.models import Import, Inbox
from inbox.operations.mail.imports import ImportStoppedError, import_mail
from inbox.providers.presets import with_known_networks
from inbox.rfc5322.authentication import OwnServers

_MOST_SHOWN = 20


class Command(BaseCommand):
    help = (
        "Bring in mail from a Maildir, an mbox, a folder of .eml files or one message. "
        "Messages that are there already are skipped, so a run that was stopped can be repeated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, help="where the mail is")
        parser.add_argument("--inbox", required=True, metavar="ADDRESS", help="where it goes")
        parser.add_argument(
            "--workspace", metavar="SLUG", help="needed where two workspaces serve the address"
        )
        parser.add_argument(
            "--own-servers", default="", metavar="DOMAINS",
            help=(
                "domains and networks of the servers that the mail was read from, with blanks "
                "between: their Authentication-Results count though they bear no name; the "
                "networks of outlook.com and others are known"
            ),
        )  # fmt: skip

    def handle(self, *_: Any, **options: Any) -> None:
        inbox = find_inbox(options["inbox"], options["workspace"])
        try:
            source = open_source(options["path"])
        except DomainError as error:
            raise CommandError(f"{error.message} What can be read: {error.accepted}.") from error
        try:
            servers = with_known_networks(OwnServers.read(options["own_servers"]))
        except ValueError as error:
            raise CommandError(f"--own-servers: {error}.") from error
        run = self._import(inbox, source, servers)
        self._say(run)

    def _import(self, inbox: Inbox, source: Source, servers: OwnServers) -> Import:
        # The bar's own thread would keep the import from forking.
        tqdm.monitor_interval = 0
        with tqdm(total=source.total, unit=" messages", desc=source.kind) as bar:
            try:
                return import_mail(
                    inbox=inbox, source=source, on_progress=bar.update, servers=servers
                )
            except ImportStoppedError as error:
                raise CommandError(f"{error} Run the same command again to go on.") from error
            except KeyboardInterrupt:
                raise CommandError("Stopped. Run the same command again to go on.") from None

    def _say(self, run: Import) -> None:
        lost = run.total - run.stored - run.known
        self.stdout.write(
            f"{run.total} in {run.source}: {run.stored} stored, {run.known} known already"
            + (f", {lost} not stored." if lost else ".")
        )
        problems = run.problems.order_by("id")
        count = problems.count()
        for problem in problems[:_MOST_SHOWN]:
            self.stdout.write(f"  {problem.source}: {problem.problem}")
        if count > _MOST_SHOWN:
            self.stdout.write(f"  … and {count - _MOST_SHOWN} more problems, listed in the admin.")


def find_inbox(address: str, workspace: str | None) -> Inbox:
    """Return the inbox of an address; raises CommandError naming those that there are."""
    inboxes = Inbox.objects.select_related("account", "workspace").order_by("address")
    if workspace:
        inboxes = inboxes.filter(workspace__slug=workspace)
    found: list[Inbox] = list(inboxes.filter(address__iexact=address.strip()))
    if len(found) == 1:
        return found[0]
    if found:
        slugs = ", ".join(inbox.workspace.slug for inbox in found)
        raise CommandError(f"Several workspaces serve {address}: say --workspace, one of {slugs}.")
    there = ", ".join(f"{inbox.address} ({inbox.workspace.slug})" for inbox in inboxes[:20])
    raise CommandError(
        f"There is no inbox {address}. "
        + (f"There is: {there}." if there else "There is none yet; make an account first.")
    )
