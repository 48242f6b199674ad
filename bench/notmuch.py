"""The anchor of mail: notmuch, which indexes and threads a Maildir in C++ with Xapian."""

import os
import shutil
import subprocess
import time
from pathlib import Path


class Notmuch:
    """The notmuch database of a Maildir that is, or will be, in a folder."""

    def __init__(self, maildir: Path, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        config = folder / "config"
        config.write_text(
            f"[database]\npath={folder}\nmail_root={maildir}\n"
            "[user]\nname=Bench\nprimary_email=bench@lantern.example\n[new]\ntags=new\n"
            "[maildir]\nsynchronize_flags=false\n"
        )
        self._environment = {**os.environ, "NOTMUCH_CONFIG": str(config)}

    @staticmethod
    def is_installed() -> bool:
        """Return whether there is a notmuch to compare with."""
        return shutil.which("notmuch") is not None

    def index(self) -> float:
        """Read all mail; return the seconds."""
        return self._timed("new", "--no-hooks", "--quiet")

    def search(self, *words: str) -> float:
        """Search for messages with all of the words; return the seconds."""
        return self._timed("search", "--limit=10", *words)

    def count_threads(self) -> int:
        """Return how many threads it found."""
        return int(self._run("count", "--output=threads", "*"))

    def _timed(self, *arguments: str) -> float:
        start = time.perf_counter()
        self._run(*arguments)
        return time.perf_counter() - start

    def _run(self, *arguments: str) -> str:
        run = subprocess.run(
            ["notmuch", *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return run.stdout
