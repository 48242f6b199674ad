"""A set-up as a place of its own: its folder, its database, its commands."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from project.settings import BASE_DIR


@dataclass
class Place:
    """A folder, and perhaps a database elsewhere, in which `manage.py` works."""

    var: Path
    environment: dict[str, str] = field(default_factory=dict)

    def manage(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        names = ("CHANCERY_", "DATABASE_URL", "DJANGO_")
        clean = {name: text for name, text in os.environ.items() if not name.startswith(names)}
        return subprocess.run(
            [sys.executable, "manage.py", *map(str, arguments)],
            env={**clean, "CHANCERY_VAR": str(self.var), **self.environment},
            cwd=BASE_DIR, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def ask(self, code: str) -> str:
        """Return what Python prints there."""
        done = self.manage("shell", "--no-imports", "-c", code)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
