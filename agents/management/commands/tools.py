"""`manage.py tools`: the list of tools in the form of a vendor of models."""

import argparse
import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.contracts import REGISTRY
from agents.errors import ToolError
from agents.surfaces.forms import FORMATS, list_tools
from agents.surfaces.mcp.profile_names import DEFAULT
from agents.surfaces.mcp.profiles import PROFILES, find_profile


class Command(BaseCommand):
    help = "Print the list of tools as OpenAI, Anthropic, MCP or JSON Schema have it."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--format", choices=FORMATS, default="mcp")
        parser.add_argument(
            "--profile",
            default=DEFAULT,
            help=f"which tools: {', '.join(PROFILES)}, or several joined by + (default: {DEFAULT})",
        )
        parser.add_argument("--indent", type=int, default=2, help="0 for one line")

    def handle(self, *args: Any, **given: Any) -> None:
        every = frozenset(tool.scope for tool in REGISTRY.tools)
        try:
            profile = find_profile(given["profile"])
        except ToolError as error:
            raise CommandError(f"{error.message}: {error.details['accepted']}.") from error
        tools = list_tools(given["format"], profile, every)
        indent = given["indent"] or None
        self.stdout.write(json.dumps({"tools": tools}, indent=indent, ensure_ascii=False))
