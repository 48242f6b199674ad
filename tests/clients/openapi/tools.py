"""The linters and generators: what each is run on, and what must come of it."""

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from tests.clients.environments import make_node, make_python, pinned, quiet_environment
from tests.clients.service import Service

HERE = Path(__file__).parent
NODE = "openapi-node"
PYTHON = "openapi-python-client"
SECONDS = 600


@dataclass(frozen=True)
class Try:
    """One run of a tool: the service, its document as a file, and a folder of its own."""

    service: Service
    document: Path
    folder: Path

    def run(self, *command: str | Path, **more: str) -> str:
        """Return what it printed; raises AssertionError with that where it failed."""
        done = subprocess.run(
            command, cwd=self.folder, env={**quiet_environment(self.folder), **more},
            capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        said = done.stdout + done.stderr
        assert done.returncode == 0, said[-1500:]
        return said


def lint_with_redocly(tried: Try) -> None:
    """Lint by the recommended rules; warnings count as well."""
    rules = ["--extends=recommended", "--format=json"]
    told = tried.run(_bin("redocly"), "lint", tried.document, *rules, REDOCLY_TELEMETRY="off")
    found = json.loads(told[told.index("{") : told.rindex("}") + 1])
    problems = [f"{one['ruleId']}: {one['message']}" for one in found["problems"]]
    assert problems == [], problems[:5]


def lint_with_spectral(tried: Try) -> None:
    """Lint by the rules for OpenAPI; hints count as well."""
    rules = tried.folder / "spectral.json"
    rules.write_text('{"extends": ["spectral:oas"]}')
    tried.run(_bin("spectral"), "lint", tried.document, "-r", rules, "--fail-severity=hint")


def generate_python(tried: Try) -> None:
    """Make a client of all of it, have it checked, and call."""
    python = make_python(PYTHON)
    # As it is made: a linter that it would run afterwards has ideas of its own about types.
    settings = tried.folder / "settings.json"
    settings.write_text('{"post_hooks": []}')
    made = ["generate", "--path", tried.document, "--meta=none", "--output-path=generated"]
    more = ["--config", settings, "--fail-on-warning"]
    tried.run(python.parent / "openapi-python-client", *made, *more)
    shutil.copy(HERE / "call.py", tried.folder)
    tried.run(python, "-m", "mypy", "generated")
    tried.run(python, "-m", "mypy", "--strict", "call.py")
    _look_at(tried.run(python, "call.py", tried.service.url, tried.service.token))


def generate_typescript(tried: Try) -> None:
    """Make the types of all of it, compile what calls by them, and call."""
    folder = make_node(HERE, NODE)
    types = folder / "generated.d.ts"
    # Else a field that has a default counts as required.
    tried.run(
        _bin("openapi-typescript"), tried.document, "-o", types, "--default-non-nullable=false"
    )
    tried.run(_bin("tsc"), "-p", folder)
    called = folder / "dist" / "call.js"
    _look_at(tried.run("node", called, tried.service.url, tried.service.token))


# Each with the package that says its version.
TOOLS: dict[str, Callable[[Try], None]] = {
    "@redocly/cli": lint_with_redocly,
    "@stoplight/spectral-cli": lint_with_spectral,
    "openapi-python-client": generate_python,
    "openapi-typescript": generate_typescript,
}


def version_of(name: str) -> str:
    """Return the version that is tried."""
    if name == PYTHON:
        return pinned(PYTHON)
    package = json.loads((HERE / "package.json").read_text())
    return str(package["dependencies"][name])


def try_tool(tool: Callable[[Try], None], service: Service, folder: Path) -> str:
    """Return why a tool is not content with our document; nothing where it is."""
    folder.mkdir(parents=True)
    document = folder / "openapi.json"
    with urlopen(f"{service.url}/api/openapi.json", timeout=60) as response:
        document.write_bytes(response.read())
    try:
        tool(Try(service, document, folder))
    except AssertionError as error:
        return str(error)
    return ""


def _bin(name: str) -> Path:
    return make_node(HERE, NODE) / "node_modules" / ".bin" / name


def _look_at(printed: str) -> None:
    """See that threads came, and that an id that is none was refused as such."""
    threads, refused = printed.strip().splitlines()[:2]
    assert len([one for one in threads.split() if one.startswith("thr_")]) == 2, printed
    assert refused == "not_found", printed
