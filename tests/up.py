"""`manage.py up` as a process of its own, with its data in a folder of its own."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from project.settings import BASE_DIR
from tests.patience import LONG

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

    def __init__(self, var: Path, *arguments: str) -> None:
        self._start(
            [sys.executable, "manage.py", "up", "--port", "0", *arguments],
            cwd=BASE_DIR,
            env={**clean_environment(), "CHANCERY_VAR": str(var)},
        )

    def _start(self, command: list[str], **how: Any) -> None:
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how
        )
        self.output = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.output += line

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
        return re.search(rf"{name}  (\S+)", self.output)[1]
