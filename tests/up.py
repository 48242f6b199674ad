"""`manage.py up` as a process of its own, with its data in a folder of its own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.fork_server import ROOT, Forked, start
from tests.patience import LONG

SHOWN, SEEN = "shown.txt", "seen.json"
READY = re.compile(r"Chancery is at (http://\S+)")


def clean_environment() -> dict[str, str]:
    """Return the environment without anything that would configure Chancery."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CHANCERY_", "DJANGO_")) and name != "DATABASE_URL"
    }


class Up:
    """A running `manage.py up` on a free port; `output` is what it has printed so far."""

    # What was printed when the demo was made.
    shown = ""

    def __init__(self, var: Path, *arguments: str, **environment: str) -> None:
        self._watch(
            start(
                ["manage.py", "up", "--port", "0", *arguments],
                env={**clean_environment(), "CHANCERY_VAR": str(var), **environment},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        )

    def _watch(self, process: Forked | subprocess.Popen[bytes]) -> None:
        self.process = process
        self.output = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.output += line.decode()

    def wait_until_ready(self, seconds: float = LONG) -> str:
        """Return the address once it serves; fails where it ends before."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = READY.search(self.output)
            if found:
                return found[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        self.process.kill()
        raise AssertionError(f"it did not get ready:\n{self.output}")

    def stop(self, by: signal.Signals = signal.SIGTERM) -> tuple[int, float]:
        """Return the exit code, and after how many seconds it ended."""
        started = time.monotonic()
        self.process.send_signal(by)
        code = self.process.wait(timeout=LONG)
        self._reader.join()
        return code, time.monotonic() - started

    def wait(self) -> int:
        """Return the exit code of a run that ends by itself."""
        code = self.process.wait(timeout=LONG)
        self._reader.join()
        return code

    def secret(self, name: str) -> str:
        """Return the password or token that it printed."""
        return re.search(rf"{name}  (\S+)", self.shown + self.output)[1]


class DemoUp(Up):
    """One with the demo, in a copy of a folder where it was made."""

    def __init__(self, made: Path, var: Path, *arguments: str) -> None:
        shutil.copytree(made, var, dirs_exist_ok=True)
        self.shown = (var / SHOWN).read_text()
        super().__init__(var, *arguments)


class StartedUp(Up):
    """One that Python starts, by a command of one's own."""

    def __init__(self, command: Sequence[object], **how: Any) -> None:
        self._watch(
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)
        )


def make_demo_folder(var: Path) -> None:
    """Make the demo as somebody does who starts it; what was seen of that stands in two files.

    `shown.txt` has what was printed, and `seen.json` what it answered to a browser and to an agent,
    its exit code, and after how many seconds it ended.
    """
    up = StartedUp(
        [sys.executable, "manage.py", "up", "--demo", "--port", "0"], cwd=ROOT,
        env={**clean_environment(), "CHANCERY_VAR": str(var)},
    )  # fmt: skip
    url = up.wait_until_ready()
    asked = urllib.request.Request(
        f"{url}/api/tools", headers={"Authorization": f"Bearer {up.secret('token')}"}
    )
    seen: dict[str, Any] = {}
    for name, request in (("login", f"{url}/admin/login/"), ("tools", asked)):
        with urllib.request.urlopen(request, timeout=LONG) as answer:
            seen[name] = answer.read().decode()
    seen["code"], seen["seconds"] = up.stop()
    (var / SEEN).write_text(json.dumps(seen))
    (var / SHOWN).write_text(up.output)
