"""`manage.py create_agent NAME`: make an agent and print its token, once."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from agents.operations.agents import create_agent, known_scopes
from inbox.errors import DomainError
from inbox.models import Inbox, Workspace

_MOST_DAYS = 3650


class Command(BaseCommand):
    help = "Make an agent with a token, which is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what people will know it by")
        parser.add_argument("--workspace", metavar="SLUG", help="needed where there are several")
        parser.add_argument(
            "--scope", action="append", default=[], metavar="SCOPE",
            help="what it may do, such as inbox:read; repeat for more; every scope unless given",
        )  # fmt: skip
        parser.add_argument(
            "--inbox", action="append", default=[], metavar="ADDRESS",
            help="an inbox it may work with; repeat for more; needed where there are several",
        )  # fmt: skip
        parser.add_argument(
            "--tool", action="append", default=[], metavar="TOOL",
            help="have it call only this tool, such as list_threads; repeat for more; every tool "
            "that its scopes open unless given",
        )  # fmt: skip
        parser.add_argument("--days", type=int, metavar="N", help="the token expires after N days")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = self._workspace(options["workspace"])
        days = options["days"]
        if days is not None and not 1 <= days <= _MOST_DAYS:
            raise CommandError(f"--days takes 1 to {_MOST_DAYS}.")
        try:
            agent, token = create_agent(
                workspace=workspace,
                name=options["name"],
                scopes=options["scope"] or known_scopes(),
                tools=options["tool"],
                inboxes=self._inboxes(workspace, options["inbox"]),
                expires_at=timezone.now() + timedelta(days=days) if days else None,
            )
        except DomainError as error:
            accepted = f" Accepted: {error.accepted}." if error.accepted else ""
            raise CommandError(f"{error.message}{accepted}") from error
        self.stderr.write(f"The agent {agent} of {workspace.slug}. Its token is shown this once:")
        self.stdout.write(token)

    def _workspace(self, slug: str | None) -> Workspace:
        slugs = list(Workspace.objects.order_by("slug").values_list("slug", flat=True)[:50])
        if slug is None and len(slugs) == 1:
            slug = slugs[0]
        found = Workspace.objects.filter(slug=slug).first() if slug else None
        if found is None:
            known = ", ".join(slugs) or f"none yet; `{settings.COMMAND} create_workspace` makes one"
            asked = f"There is no workspace {slug!r}." if slug else "Say which --workspace."
            raise CommandError(f"{asked} There are: {known}.")
        return found

    def _inboxes(self, workspace: Workspace, addresses: list[str]) -> list[Inbox]:
        inboxes = {
            inbox.address.lower(): inbox
            for inbox in Inbox.objects.filter(workspace=workspace).order_by("address")
        }
        known = ", ".join(inboxes) or "none yet"
        if not addresses:
            if len(inboxes) > 1:
                raise CommandError(f"Say which --inbox. There are: {known}.")
            return list(inboxes.values())
        unknown = [address for address in addresses if address.strip().lower() not in inboxes]
        if unknown:
            raise CommandError(f"There is no inbox {unknown[0]!r}. There are: {known}.")
        return [inboxes[address.strip().lower()] for address in addresses]
