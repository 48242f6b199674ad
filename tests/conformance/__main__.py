"""`python -m tests.conformance`: run every scenario for servers, those of authorization among them,
by every revision; exit code 1 on a difference from scenarios.toml.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from tests.conformance.authorization import run_authorization

REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
# The runner is of today's Node; npm brings that one along where the machine's is older.
RUNNER = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NODE = "node@22.23.3"
NPX = ["npx", "--yes", "-p", NODE, "-p", RUNNER, "conformance"]
AUTHORIZATION = {"authorization-server-metadata-endpoint", "authorization-code-grant"}
HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PORT = int(os.environ.get("CONFORMANCE_PORT", "8119"))
MAKE_DATA = (
    "from agents.operations.setup.demo import make_demo; keys = make_demo().keys; "
    "print(keys.token, keys.password)"
)
_BAD = {"FAILURE", "WARNING"}


def main() -> int:
    """Return how it ended: 0 where everything that applies passes."""
    if shutil.which("npx") is None:
        sys.stderr.write("npx is missing: install Node.js with npm.\n")
        return 2
    expected = tomllib.loads((HERE / "scenarios.toml").read_text(encoding="utf-8"))
    differences = []
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as (url, password):
        issuer = url.removesuffix("/mcp")
        for revision in REVISIONS:
            ours = run(url, revision, Path(folder) / f"ours-{revision}")
            theirs = run(f"{url}/conformance", revision, Path(folder) / f"theirs-{revision}")
            differences += compare(revision, ours, theirs, expected)
            signed_in = run_authorization(
                NPX, issuer, password, revision, Path(folder) / f"authorization-{revision}"
            )
            differences += compare_authorization(revision, signed_in)
    for difference in differences:
        sys.stdout.write(f"  DIFFERENT {difference}\n")
    return 1 if differences else 0


def compare(revision: str, ours: dict, theirs: dict, expected: dict) -> list[str]:
    """Print what holds by a revision; return what is not as expected."""
    excused, found = expected["not_applicable"], []
    counts = {"passed": 0, "with their tools": 0, "not applicable": 0}
    for scenario in sorted(ours):
        is_theirs = scenario in expected["with_their_tools"]
        bad = bad_checks(scenario, (theirs if is_theirs else ours)[scenario], expected)
        if scenario in excused or f"{scenario}@{revision}" in excused:
            counts["not applicable"] += 1
            found += [] if bad else [f"{revision} {scenario}: passes, though not applicable"]
        elif bad:
            found.append(f"{revision} {scenario}: {', '.join(bad)}")
        else:
            counts["with their tools" if is_theirs else "passed"] += 1
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    sys.stdout.write(f"{revision}: {len(ours)} scenarios: {told}\n")
    return found


def compare_authorization(revision: str, found: dict[str, list]) -> list[str]:
    """Print which scenarios of authorization pass; return what does not."""
    bad = [
        f"{revision} {scenario}: {check['id']}"
        for scenario, checks in found.items()
        for check in checks
        if check["status"] != "SUCCESS"
    ]
    sys.stdout.write(f"{revision}: {len(found)} scenarios of authorization, {len(bad)} differ\n")
    return bad if set(found) == AUTHORIZATION else [*bad, f"{revision} ran {sorted(found)}"]


def bad_checks(scenario: str, checks: list, expected: dict) -> list[str]:
    """Return the checks of a scenario that failed or warned, and are not excused one by one."""
    named = sorted({check["id"] for check in checks if check["status"] in _BAD})
    return [name for name in named if f"{scenario}:{name}" not in expected["not_applicable_checks"]]


def run(url: str, revision: str, folder: Path) -> dict[str, list]:
    """Run the scenarios of a revision; return the checks of each."""
    words = ["server", "--url", url, "--suite", "all", "--spec-version", revision]
    done = subprocess.run(
        [*NPX, *words, "-o", str(folder)],
        cwd=folder.parent, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    found = {}
    for file in folder.glob("**/checks.json"):
        name = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", file.parent.name).removeprefix("server-")
        found[name] = json.loads(file.read_text(encoding="utf-8"))
    if not found:
        raise RuntimeError(f"the runner did not run:\n{done.stdout}\n{done.stderr}")
    return found


@contextmanager
def serve(folder: Path) -> Iterator[tuple[str, str]]:
    """Serve the demo's data on a port of its own; yield the address, and the reviewer's password."""
    environment = {**os.environ, "CHANCERY_VAR": str(folder / "var")}
    environment.pop("DATABASE_URL", None)
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "-v", "0"], cwd=ROOT, env=environment, check=True)
    made = subprocess.run(
        [*manage, "shell", "-v", "0", "-c", MAKE_DATA],
        cwd=ROOT, env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    environment["CONFORMANCE_TOKEN"], password = made.stdout.split()[-2:]
    server = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "tests.conformance.asgi:application", "--port", str(PORT),
         "--lifespan", "off", "--log-level", "warning"],
        cwd=ROOT, env=environment,
    )  # fmt: skip
    try:
        wait_for(f"http://127.0.0.1:{PORT}/mcp")
        yield f"http://127.0.0.1:{PORT}/mcp", password
    finally:
        server.terminate()
        server.wait(timeout=30)


def wait_for(url: str) -> None:
    """Wait until it answers; GET is refused with 405, which is an answer."""
    for _ in range(300):
        try:
            urlopen(url, timeout=5)
        except HTTPError:
            return
        except URLError:
            time.sleep(0.1)
    raise RuntimeError(f"nothing answers at {url}")


if __name__ == "__main__":
    sys.exit(main())
