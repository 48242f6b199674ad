"""Chancery with the demo, on a port of its own, its agent and its person."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examples.chancery_api import Chancery, Person
from tests.clients.environments import ROOT
from tests.up import StartedUp, clean_environment


@dataclass(frozen=True)
class Service:
    """A running Chancery."""

    url: str
    token: str
    person: Person
    chancery: Chancery

    def tools(self, profile: str) -> dict[str, dict[str, Any]]:
        """Return what a profile has: each tool's schema by its name."""
        return {tool["name"]: tool["inputSchema"] for tool in self.chancery.tools("mcp", profile)}

    def approval(self, approval_id: str) -> dict[str, Any]:
        """Return how an approval stands."""
        arguments = json.dumps({"approval_id": approval_id})
        stands: dict[str, Any] = self.chancery.call("get_approval", arguments, key="").value
        return stands


@contextmanager
def serve_demo(var: Path) -> Iterator[Service]:
    """Serve the demo; its data lie in `var`."""
    command = [sys.executable, "manage.py", "up", "--demo", "--port", "0"]
    up = StartedUp(command, cwd=ROOT, env={**clean_environment(), "CHANCERY_VAR": str(var)})
    url = up.wait_until_ready()
    try:
        token = up.secret("token")
        person = Person(url, "reviewer", up.secret("password"))
        yield Service(url, token, person, Chancery(url, token))
    finally:
        up.stop()
