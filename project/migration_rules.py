"""Finishes each app's squashed migration; run by `make migrations`.

Indexes and constraints go into the making of their table where its columns are all there: an
operation of its own for each has Django work out anew, every time, what all tables around it are.
Then the app's database rules are added.
"""

import sys
from importlib import import_module
from pathlib import Path

from django.db.migrations import AddConstraint, AddIndex, CreateModel, Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.writer import MigrationWriter

from project.settings import BASE_DIR


def fold(operations: list[Operation]) -> list[Operation]:
    """Return the operations with indexes and constraints in the making of their tables."""
    made = {each.name_lower: each for each in operations if isinstance(each, CreateModel)}
    kept: list[Operation] = []
    for each in operations:
        table = (
            made.get(each.model_name_lower) if isinstance(each, AddIndex | AddConstraint) else None
        )
        if table is None or not _fits(each, table):
            kept.append(each)
        elif isinstance(each, AddIndex):
            table.options.setdefault("indexes", []).append(each.index)
        elif isinstance(each, AddConstraint):
            table.options.setdefault("constraints", []).append(each.constraint)
    return kept


def _fits(operation: Operation, table: CreateModel) -> bool:
    """Tell whether all columns that an index or a constraint names are made with the table."""
    what = operation.index if isinstance(operation, AddIndex) else operation.constraint  # type: ignore[attr-defined]
    columns = {name for name, _ in table.fields}
    named = {name.lstrip("-") for name in getattr(what, "fields", ())}
    named |= {name.split("__")[0] for name, _ in _leaves(getattr(what, "condition", None))}
    return named <= columns and not getattr(what, "expressions", ())


def _leaves(condition: object) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for child in getattr(condition, "children", ()):
        found += [child] if isinstance(child, tuple) else _leaves(child)
    return found


def finish(app: str) -> None:
    """Write an app's migration anew: folded, and with the operations of its database rules."""
    path = BASE_DIR / app / "migrations" / "0001_initial.py"
    found: type[Migration] = import_module(f"{app}.migrations.0001_initial").Migration
    found.operations = fold(list(found.operations))
    path.write_text(MigrationWriter(found("0001_initial", app)).as_string())
    if (BASE_DIR / app / "database_rules.py").exists():
        add_rules(path, app)


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
    for name in ("inbox", "calendar_app", "agents"):
        finish(name)
        sys.stdout.write(f"{name}: finished\n")
