"""Finishes each app's squashed migration; run by `make migrations`.

The tables are made in one step, and then get the app's database rules. Ours come after everybody
else's: a later change to a table of theirs would have Django work out anew all of ours that refer
to it.
"""

import sys
from importlib import import_module
from pathlib import Path

from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.writer import MigrationWriter

from inbox.tables import CreateTables
from project.settings import BASE_DIR

OURS = ("inbox", "calendar_app", "agents")


def finish(app: str) -> None:
    """Write an app's migration anew: in one step, and with the operations of its database rules."""
    path = BASE_DIR / app / "migrations" / "0001_initial.py"
    found: type[Migration] = import_module(f"{app}.migrations.0001_initial").Migration
    found.operations = [CreateTables(list(found.operations))]
    found.dependencies = list(dict.fromkeys([*found.dependencies, *_latest_of_others()]))
    path.write_text(MigrationWriter(found("0001_initial", app)).as_string())
    if (BASE_DIR / app / "database_rules.py").exists():
        add_rules(path, app)


def _latest_of_others() -> list[tuple[str, str]]:
    """Return the latest migrations of the apps that are not ours, as (app, name)."""
    latest = MigrationLoader(None).graph.leaf_nodes()
    return [(app, name) for app, name in latest if app not in OURS]


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
    for name in OURS:
        finish(name)
        sys.stdout.write(f"{name}: finished\n")
