"""`manage.py tools`: the list of tools in the form of a vendor of models."""

import argparse
import json
from typing import Any

from django.core.management.base import BaseCommand

from agents.contracts import REGISTRY
from agents.surfaces.forms import FORMATS, list_tools
from agents.surfaces.mcp.profiles import DEFAULT, PROFILES


class Command(BaseCommand):
    help = "Print the list of tools as OpenAI, Anthropic, MCP or JSON Schema have it."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--format", choices=FORMATS, default="mcp")
        parser.add_argument(
            "--profile",
            choices=PROFILES,
            default=DEFAULT,
            help="which tools (default: %(default)s)",
        )
        parser.add_argument("--indent", type=int, default=2, help="0 for one line")

    def handle(self, *args: Any, **given: Any) -> None:
        every = frozenset(tool.scope for tool in REGISTRY.tools)
        tools = list_tools(given["format"], PROFILES[given["profile"]], every)
        indent = given["indent"] or None
        self.stdout.write(json.dumps({"tools": tools}, indent=indent, ensure_ascii=False))
