"""Adds each app's database rules to its squashed migration; run by `make migrations`."""

import sys
from pathlib import Path

from project.settings import BASE_DIR


def add_rules(migration: Path, module: str) -> None:
    """Append `*database_rules.OPERATIONS` of `module` to the operations of a migration file."""
    text = migration.read_text()
    end = text.rindex("    ]")
    text = f"{text[:end]}        *database_rules.OPERATIONS,\n{text[end:]}"
    migration.write_text(
        text.replace(
            "from django.db import",
            f"from {module} import database_rules\nfrom django.db import",
            1,
        )
    )


if __name__ == "__main__":
    for app in ("inbox", "agents"):
        add_rules(BASE_DIR / app / "migrations" / "0001_initial.py", app)
        sys.stdout.write(f"{app}: database rules added\n")
