"""The runner's scenarios for authorization servers: it prints an address, and a person goes there."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import httpx

from tests.ports import free_port
from tests.project.oauth.browsing import Person
from tests.project.oauth.clients import Client

_ADDRESS = re.compile(r"^http\S+/admin/connect/\S+$", re.MULTILINE)


def run_authorization(
    runner: list[str], issuer: str, password: str, revision: str, folder: Path
) -> dict[str, list[Any]]:
    """Run them by a revision, with the demo's reviewer at the browser; return the checks of each."""
    port = free_port()
    client = Client(issuer, redirect=f"http://127.0.0.1:{port}/callback")
    client.register()
    words = ["authorization", "--url", issuer, "--client-id", client.id, "--resource",
             client.resource, "--port", str(port), "--spec-version", revision, "-o", str(folder)]  # fmt: skip
    with subprocess.Popen(
        [*runner, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        cwd=folder.parent,
    ) as process:  # fmt: skip
        for line in process.stdout or ():
            if _ADDRESS.match(line.strip()):
                let_in(issuer, password, line.strip())
    found = {}
    for file in folder.glob("**/checks.json"):
        name = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", file.parent.name).removeprefix(
            "authorization-server-"
        )
        found[name] = json.loads(file.read_text(encoding="utf-8"))
    return found


def let_in(issuer: str, password: str, address: str) -> None:
    """Sign in, allow with what is proposed, and go where that leads."""
    answer = Person(issuer, "reviewer", password).decide(address)
    httpx.get(answer.headers["location"])
