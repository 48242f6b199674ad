"""`manage.py mcp --agent NAME`: serve an agent over MCP on the standard streams."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from agents.dispatching.actors import current_actor
from agents.errors import ToolError
from agents.models import Agent
from agents.surfaces.mcp.profile_names import DEFAULT, FAMILIES, JOINT, read_names
from agents.surfaces.mcp.transports.lines import serve


class Command(BaseCommand):
    help = "Serve an agent over MCP on stdin and stdout, with what its valid tokens allow."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", required=True, metavar="NAME", help="whom to act as")
        parser.add_argument("--workspace", metavar="SLUG", help="needed where several have one")
        parser.add_argument(
            "--profile", default=DEFAULT, metavar="PROFILE",
            help=f"which tools to show: {', '.join(FAMILIES)}, or several joined by + "
            f"(default: {DEFAULT})",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            profile = JOINT.join(read_names(options["profile"]))
            agent = self._agent(options["agent"], options["workspace"])
        except ToolError as error:
            raise CommandError(f"{error.message}: {error.details['accepted']}.") from error
        except DatabaseError as error:
            begin = f"start `{settings.COMMAND} up` once"
            raise CommandError(f"There is no data yet ({error}); {begin}.") from error
        if not current_actor(agent).scopes:
            raise CommandError(f"{agent} has no valid token, so it may do nothing; make one first.")
        serve(agent, profile)

    def _agent(self, name: str, slug: str | None) -> Agent:
        """Return the agent; raises CommandError that says which there are."""
        agents = Agent.objects.filter(person=None).select_related("workspace")
        agents = agents.order_by("workspace__slug", "name")
        found = agents.filter(name=name)
        if slug is not None:
            found = found.filter(workspace__slug=slug)
        first = found.first()
        if first is None:
            known = ", ".join(f"{one.name} ({one.workspace.slug})" for one in agents[:20])
            raise CommandError(f"There is no agent {name!r}. There are: {known or 'none yet'}.")
        if len(found[:2]) > 1:
            raise CommandError(f"Several workspaces have an agent {name!r}; say which --workspace.")
        return first
