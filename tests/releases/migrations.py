"""Write migrations: from the models, as Django does, and from the rules of the database.

`python -m tests.releases.migrations NAME` writes what is new since the last ones: `make migration`.
`python -m tests.releases.migrations --squash` writes one of each app in place of all it has, by which
new databases are made in a fraction of the time: `make squash`. Databases that have some of those go
on by the others.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module, invalidate_caches
from importlib.util import find_spec
from pathlib import Path

import django
from django.apps import apps
from django.core.management import call_command
from django.db.migrations import Migration
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.migrations.writer import MigrationWriter
from django.utils import translation

from inbox.database_rules import DatabaseRules
from inbox.tables import CreateTables
from project.schema.shape import APPS, even
from tests.releases.archive import SUMS, releases

ROOT = Path(__file__).resolve().parent.parent.parent
_MADE = re.compile(
    r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?P<kind>TRIGGER|INDEX|VIRTUAL TABLE|FUNCTION)\s+(?P<name>\w+)"
    r"|\s*ALTER\s+TABLE\s+(?P<table>\w+)\s+ADD\s+(?P<column>COLUMN)\s+(?P<of>\w+)"
)
_DROPPED = re.compile(
    r"\s*DROP\s+(?P<kind>TRIGGER|INDEX|TABLE|FUNCTION)\s+(?P<name>\w+)"
    r"|\s*ALTER\s+TABLE\s+(?P<table>\w+)\s+DROP\s+(?P<column>COLUMN)\s+(?P<of>\w+)"
)
_ON = re.compile(r"\bON\s+(\w+)")
# Each before what it needs: a function after its triggers, a column after its indexes.
_DROPS = {
    "TRIGGER": "DROP TRIGGER {name}", "INDEX": "DROP INDEX {name}", "TABLE": "DROP TABLE {name}",
    "COLUMN": "ALTER TABLE {table} DROP COLUMN {name}", "FUNCTION": "DROP FUNCTION {name}()",
}  # fmt: skip


@dataclass(frozen=True)
class Rule:
    """Something that a statement makes: a trigger, a function, an index, a table or a column."""

    kind: str
    name: str
    table: str
    statement: str

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.kind, self.name, self.table if self.kind == "COLUMN" else "")

    @property
    def drop(self) -> str:
        # A trigger belongs to its table on PostgreSQL; SQLite has but one of each name.
        on = f" ON {self.table}" if "EXECUTE FUNCTION" in self.statement else ""
        return _DROPS[self.kind].format(name=self.name, table=self.table) + on


def rule_of(statement: str) -> Rule | None:
    """Return what a statement makes, or None for one that makes nothing."""
    found = _MADE.match(statement)
    if found is None:
        return None
    kind = (found["kind"] or found["column"]).removeprefix("VIRTUAL ")
    on = _ON.search(statement)
    table = found["table"] or (on[1] if on and kind in {"TRIGGER", "INDEX"} else "")
    return Rule(kind, found["name"] or found["of"], table, statement)


def rules_after(statements: Iterable[str]) -> dict[tuple[str, str, str], Rule]:
    """Return what is there once the statements were run."""
    there: dict[tuple[str, str, str], Rule] = {}
    for statement in statements:
        if rule := rule_of(statement):
            there[rule.key] = rule
        elif gone := _DROPPED.match(statement):
            kind, name = gone["kind"] or gone["column"], gone["name"] or gone["of"]
            there.pop((kind, name, gone["table"] or ""), None)
    return there


def changes(before: Iterable[str], now: Iterable[str]) -> list[str]:
    """Return the statements that lead from the rules of some statements to those of others."""
    old, new = rules_after(before), rules_after(now)
    gone = [rule for key, rule in old.items() if not _is_same(rule, new.get(key))]
    # An index goes with its column, and comes again with it.
    columns = [rule for rule in gone if rule.kind == "COLUMN"]
    gone += [
        rule for rule in old.values()
        if rule not in gone and any(_is_index_of(rule, column) for column in columns)
    ]  # fmt: skip
    order = list(_DROPS)
    dropped = sorted(gone, key=lambda rule: order.index(rule.kind))
    # A function is replaced, so that its triggers stay.
    drops = [rule.drop for rule in dropped if rule.kind != "FUNCTION" or rule.key not in new]
    return [*drops, *_makings(old, new, {rule.key for rule in gone})]


def _makings(old: dict, new: dict, gone: set) -> Iterator[str]:
    for key, rule in new.items():
        if key in old and key not in gone:
            continue
        if rule.kind == "FUNCTION" and key in old:
            yield rule.statement.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
            continue
        yield rule.statement
        if rule.kind == "TABLE":
            # The rows that are there come into a full-text index, too.
            yield f"INSERT INTO {rule.name} ({rule.name}) VALUES ('rebuild')"


def _is_same(rule: Rule, other: Rule | None) -> bool:
    return other is not None and _plain(rule) == _plain(other)


def _plain(rule: Rule) -> str:
    return even(rule.statement.replace("CREATE OR REPLACE", "CREATE"))


def _is_index_of(rule: Rule, column: Rule) -> bool:
    return (rule.kind, rule.table) == (
        "INDEX",
        column.table,
    ) and f"({column.name})" in rule.statement


# -- an app's rules --------------------------------------------------------------------------------
def declared(app: str) -> list[DatabaseRules]:
    """Return the rules that an app declares, in the order of their making."""
    name = f"{app}.database_rules"
    return list(import_module(name).OPERATIONS) if find_spec(name) else []


def written(app: str) -> Iterator[DatabaseRules]:
    """Yield the rules of an app's migrations, oldest first."""
    loader = MigrationLoader(None)
    for name in _steps(loader, app):
        for operation in loader.disk_migrations[app, name].operations:
            if isinstance(operation, DatabaseRules):
                yield operation


def _steps(loader: MigrationLoader, app: str) -> list[str]:
    """Return the names of an app's migrations without those that stand for many."""
    there = loader.disk_migrations.items()
    return sorted(name for (of, name), one in there if of == app and not one.replaces)


def rule_changes(app: str) -> DatabaseRules | None:
    """Return what the migrations of an app lack of the rules that it declares; None: nothing."""
    before, now = list(written(app)), declared(app)
    each = {
        vendor: changes(
            [one for rules in before for one in rules.statements(vendor)],
            [one for rules in now for one in rules.statements(vendor)],
        )
        for vendor in ("sqlite", "postgresql")
    }
    return DatabaseRules(**each) if any(each.values()) else None


# -- writing ---------------------------------------------------------------------------------------
def write_new(name: str, root: Path = ROOT) -> list[Path]:
    """Write what models and rules have that the migrations have not, by this name; the files."""
    call_command("makemigrations", *APPS, name=name, verbosity=1)
    invalidate_caches()
    files = []
    for app in APPS:
        rules = rule_changes(app)
        made = sorted((root / app / "migrations").glob(f"[0-9]*_{name}.py"))
        if rules is not None:
            made = [_add(app, name, rules, root)]
        files += made
    return files


def _add(app: str, name: str, rules: DatabaseRules, root: Path) -> Path:
    """Add rules to the migration of this name, which is made where there is none."""
    folder = root / app / "migrations"
    last = max(path.stem for path in folder.glob("[0-9]*.py"))
    if last.partition("_")[2] == name:
        migration = import_module(f"{app}.migrations.{last}").Migration(last, app)
    else:
        migration = Migration(f"{int(last[:4]) + 1:04}_{name}", app)
        migration.dependencies = [(app, last)]
    migration.operations = [*migration.operations, rules]
    path = folder / f"{migration.name}.py"
    path.write_text(MigrationWriter(migration).as_string())
    return path


# -- one for many ----------------------------------------------------------------------------------
def write_squashed(root: Path = ROOT) -> list[Path]:
    """Write one migration of each app that stands for all it has; the files.

    It makes what the models and the rules are now, whatever way led there.
    """
    loader = MigrationLoader(None)
    before = loader.project_state()
    for key in [key for key in before.models if key[0] in APPS]:
        before.remove_model(*key)
    now = ProjectState.from_apps(apps)
    made = MigrationAutodetector(before, now)._detect_changes(set(APPS), loader.graph)
    return [_squash(loader, app, made[app], root) for app in APPS]


def _squash(loader: MigrationLoader, app: str, made: list[Migration], root: Path) -> Path:
    names = _steps(loader, app)
    squashed = Migration(f"0001_squashed_{names[-1]}", app)
    squashed.initial = True
    squashed.replaces = [(app, name) for name in names]
    needed = {
        key for name in names for key in loader.disk_migrations[app, name].dependencies
        if key[0] != app
    }  # fmt: skip
    squashed.dependencies = sorted(needed, key=str)
    tables = CreateTables([one for each in made for one in each.operations])
    squashed.operations = [tables, *declared(app)]
    folder = root / app / "migrations"
    for old in folder.glob("0001_squashed_*.py"):
        # A release that has it keeps it; this one comes beside it.
        if not any(old.name in (one / SUMS).read_text() for one in releases()):
            old.unlink()
    path = folder / f"{squashed.name}.py"
    path.write_text(MigrationWriter(squashed).as_string())
    return path


def main(name: str) -> None:
    """Write new migrations by this name, or those that stand for all."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    django.setup()
    with translation.override(None):
        for path in write_squashed() if name == "--squash" else write_new(name):
            sys.stdout.write(f"{path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
