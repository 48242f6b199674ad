"""A set-up as a place of its own: its folder, its database, its commands."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.fork_server import run
from tests.up import clean_environment


@dataclass
class Place:
    """A folder, and perhaps a database elsewhere, in which `manage.py` works."""

    var: Path
    environment: dict[str, str] = field(default_factory=dict)

    def manage(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        environment = {**clean_environment(), "CHANCERY_VAR": str(self.var), **self.environment}
        return run(["manage.py", *arguments], env=environment)

    def ask(self, code: str) -> str:
        """Return what Python prints there."""
        done = self.manage("shell", "--no-imports", "-c", code)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
