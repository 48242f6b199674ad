"""`python -m tests.fuzz [CALLS]`: a real server, and calls made up from its OpenAPI document.

Prints what came of them; the exit status is 1 where an answer was a 5xx or not as the document
says. `FUZZ_SEED` chooses which calls, `FUZZ_PORT` where the server listens.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import requests
from django.core.management import call_command

from tests.fuzz.calls import Ids, Pace, Run, fuzz, load, say
from tests.fuzz.folder import FOLDER
from tests.fuzz.world import furnish_for_fuzzing

MOST_SHOWN = 30
LONGEST_LOG = 20_000


def main() -> int:
    """Run it; return the exit status."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    port = int(os.environ.get("FUZZ_PORT", "8131"))
    call_command("migrate", verbosity=0)
    token, ids = furnish_for_fuzzing()
    log = FOLDER / "server.log"
    with log.open("wb") as written:
        server = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "project.asgi:application", "--port", str(port),
             "--log-level", "warning"],
            stdout=written, stderr=subprocess.STDOUT,
        )  # fmt: skip
        run = Run()
        try:
            _run(f"http://127.0.0.1:{port}", token, ids, run, calls)
        except KeyboardInterrupt:
            say("interrupted; this is what there is")
        finally:
            server.terminate()
            server.wait(timeout=30)
    _report(run, log)
    return 1 if run.failures else 0


def _run(base: str, token: str, ids: Ids, run: Run, calls: int) -> None:
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {token}"
    _wait_for(base)
    schema = load(session.get(f"{base}/api/openapi.json", timeout=60).json())
    pace = Pace(calls)

    def send(case: object) -> object:
        pace.step()
        return case.call(base_url=base, session=session, timeout=60)  # type: ignore[attr-defined]

    fuzz(schema, ids, send, run, calls=calls, number=int(os.environ.get("FUZZ_SEED", "1")))


def _wait_for(base: str) -> None:
    for _ in range(120):
        try:
            requests.get(f"{base}/api/openapi.json", timeout=60)
        except requests.ConnectionError:
            time.sleep(0.5)
        else:
            return
    raise SystemExit("the server did not come up")


def _report(run: Run, log: Path) -> None:
    say(f"{run.calls} calls of {len(run.by_operation)} operations")
    for status, count in sorted(run.statuses.items()):
        say(f"  {status}: {count}")
    say(f"{len(run.failures)} kinds of failure")
    for kind, words in sorted(run.failures.items())[:MOST_SHOWN]:
        say(f"\n== {kind}\n{words}")
    if run.failures:
        say(f"\nThe end of the server's log:\n{log.read_text(errors='replace')[-LONGEST_LOG:]}")


sys.exit(main())
