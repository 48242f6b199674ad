"""Migrations as they will be written after a release, tried on databases with rows.

They stand in a package of their own, which a database of this version is updated with.
"""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from django.db import NotSupportedError, connection, models
from django.db.migrations.state import ProjectState

from inbox.database_rules import DatabaseRules
from inbox.migration_steps import AddIndexWithoutBlocking, InBatches
from project.settings import BASE_DIR
from tests.project.backups.places import Place
from tests.releases.migrations import changes, declared

MAKE = """
from tests import factories
inbox = factories.make_inbox(factories.make_workspace("lantern"), "office@lantern.example")
for number in range(35):
    factories.make_message(inbox, text="Lamp oil" + "!" * number)
"""
SETTINGS = """
from project.settings import *
MIGRATION_MODULES = {"inbox": "later_inbox"}
"""
HEAD = """
import os, signal
from django.db import connections, migrations, models
from inbox.database_rules import DatabaseRules
from inbox.migration_steps import AddIndexWithoutBlocking, InBatches
"""
ADDED = """
class Migration(migrations.Migration):
    dependencies = [("inbox", "{newest}")]
    operations = [
        migrations.AddField("message", "letters", models.IntegerField(null=True)),
        migrations.AddField("submission", "weight", models.IntegerField(db_default=7)),
    ]
"""
# Each batch is noted; one may be the last thing that the process does.
FILLED = """
def count_letters(rows):
    keys = [row.pk for row in rows]
    for row in rows:
        row.letters = len(row.text)
    rows.model._base_manager.using(rows.db).bulk_update(rows, ["letters"])
    if "READS" not in os.environ:
        return
    # Somebody else reads meanwhile.
    read = connections.create_connection("default")
    with read.cursor() as cursor:
        cursor.execute("SELECT count(*), count(letters) FROM inbox_message")
        seen = cursor.fetchone()
    read.close()
    with open(os.environ["NOTES"], "a") as notes:
        notes.write(f"[[{keys[0]}, {keys[-1]}], {list(seen)}]\\n")
    if keys[0] <= int(os.environ.get("KILLED_AT", "0")) <= keys[-1]:
        os.kill(os.getpid(), signal.SIGKILL)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("inbox", "9002_added")]
    operations = [
        InBatches("inbox.Message", count_letters, size=10),
        AddIndexWithoutBlocking("message", models.Index(fields=["letters"], name="message_by_letters")),
    ]
"""
CHANGED = """
class Migration(migrations.Migration):
    dependencies = [("inbox", "9003_filled")]
    operations = [DatabaseRules(**{rules!r})]
"""


@pytest.fixture(scope="module", autouse=True)
def rows(made) -> None:
    made.ask(MAKE)


@pytest.fixture
def later(fresh, tmp_path) -> Place:
    """A database with rows, and a version of the code with one more migration that adds columns."""
    package = tmp_path / "code" / "later_inbox"
    shutil.copytree(BASE_DIR / "inbox" / "migrations", package)
    (package.parent / "later_settings.py").write_text(SETTINGS)
    newest = max(path.stem for path in package.glob("0*.py"))
    write(package, "9002_added", ADDED.replace("{newest}", newest))
    fresh.environment |= {
        "DJANGO_SETTINGS_MODULE": "later_settings", "PYTHONPATH": str(package.parent),
        "NOTES": str(tmp_path / "notes"),
    }  # fmt: skip
    return fresh


def package_of(place: Place) -> Path:
    return Path(place.environment["PYTHONPATH"]) / "later_inbox"


def write(package: Path, name: str, text: str) -> None:
    (package / f"{name}.py").write_text(HEAD + text)


def notes(place: Place) -> list:
    return [json.loads(line) for line in Path(place.environment["NOTES"]).read_text().splitlines()]


def migrate(place: Place, **environment: str):
    return Place(place.var, place.environment | environment).manage("migrate", "-v0")


def query(place: Place, sql: str) -> list[tuple]:
    if url := place.environment.get("DATABASE_URL"):
        with psycopg.connect(url, autocommit=True) as database:
            return database.execute(sql).fetchall()
    with closing(sqlite3.connect(place.var / "chancery.sqlite3")) as database:
        return database.execute(sql).fetchall()


TRIGGERS = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name",
    "postgresql": (
        "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal "
        "ORDER BY tgname"
    ),
}

FOUND = {
    "sqlite": "SELECT count(*) FROM inbox_search WHERE inbox_search MATCH 'oil'",
    "postgresql": "SELECT count(*) FROM inbox_message WHERE search @@ to_tsquery('oil')",
}


def test_a_step_that_was_killed_goes_on_where_it_stood_and_no_trigger_is_lost(later, engine):
    triggers = query(later, TRIGGERS[engine])
    assert len(triggers) > 3
    write(package_of(later), "9003_filled", FILLED)
    first = query(later, "SELECT min(id) FROM inbox_message")[0][0]
    killed = migrate(later, READS="yes", KILLED_AT=str(first + 25))
    assert killed.returncode == -9
    assert "9003_filled" not in str(query(later, "SELECT name FROM django_migrations"))
    # Two batches are there for good, and the third is not.
    assert query(later, "SELECT count(letters) FROM inbox_message") == [(20,)]
    if engine == "postgresql":
        leave_half_an_index(later)
    done = migrate(later, READS="yes")
    assert done.returncode == 0, done.stderr
    batches, seen = zip(*notes(later), strict=True)
    assert [start - first for start, _ in batches] == [0, 10, 20, 20, 30]
    # A reader was there all the time, and saw every row.
    assert list(seen) == [[35, 0], [35, 10], [35, 20], [35, 20], [35, 30]]
    wrong = query(later, "SELECT count(*) FROM inbox_message WHERE letters <> length(text)")
    assert wrong == [(0,)]
    assert "message_by_letters" in indexes(later, engine)
    assert left_over(later, engine) == []
    # On SQLite a table is made anew for a column that must be filled.
    assert query(later, TRIGGERS[engine]) == triggers
    assert query(later, FOUND[engine]) == [(35,)]


def leave_half_an_index(place: Place) -> None:
    """Leave what a run leaves that was killed while it made the index."""
    with pytest.raises(psycopg.errors.UniqueViolation):
        query_none(
            place, "CREATE UNIQUE INDEX CONCURRENTLY message_by_letters ON inbox_message (inbox_id)"
        )


def indexes(place: Place, engine: str) -> list[str]:
    """Return the names of the indexes that are used."""
    if engine == "postgresql":
        sql = "SELECT indexrelid::regclass::text FROM pg_index WHERE indisvalid"
    else:
        sql = "SELECT name FROM sqlite_master WHERE type = 'index'"
    return [name for (name,) in query(place, sql)]


def left_over(place: Place, engine: str) -> list[tuple]:
    tables = "pg_class WHERE relname" if engine == "postgresql" else "sqlite_master WHERE name"
    return query(place, f"SELECT * FROM {tables} LIKE 'chancery_migration%'")


def test_a_backup_from_before_is_restored_by_the_later_version(later, empty, tmp_path):
    write(package_of(later), "9003_filled", FILLED)
    made = Place(later.var, {**later.environment, "DJANGO_SETTINGS_MODULE": "project.settings"})
    assert made.manage("backup", tmp_path / "before.tar").returncode == 0
    place = empty("elsewhere")
    place.environment |= later.environment | place.environment
    done = place.manage("restore", tmp_path / "before.tar")
    assert done.returncode == 0, done.stderr
    assert query(place, "SELECT count(letters), max(letters) FROM inbox_message") == [(35, 42)]
    # And none of the later version by the one before.
    assert place.manage("backup", tmp_path / "after.tar").returncode == 0
    old = empty("old")
    refused = old.manage("restore", tmp_path / "after.tar")
    assert refused.returncode == 1
    assert "by a newer one than this" in refused.stderr
    assert "a migration inbox.9003_filled that is not known here" in refused.stderr


def test_a_database_of_no_release_is_refused_before_it_is_updated(later):
    query_none(later, "DROP INDEX activity_newest")
    refused = migrate(later)
    assert refused.returncode == 1
    assert "no index activity_newest" in refused.stderr
    assert "Nothing was changed" in refused.stderr
    assert "9002_added" not in str(query(later, "SELECT name FROM django_migrations"))


def query_none(place: Place, sql: str) -> None:
    if url := place.environment.get("DATABASE_URL"):
        with psycopg.connect(url, autocommit=True) as database:
            database.execute(sql)
        return
    with closing(sqlite3.connect(place.var / "chancery.sqlite3")) as database:
        database.execute(sql)


def changed_rules() -> DatabaseRules:
    """Return what leads to rules that are declared with other words."""
    old = {v: [s for one in declared("inbox") for s in one.statements(v)] for v in TRIGGERS}
    return DatabaseRules(
        **{
            vendor: changes(
                statements,
                [s.replace("a submission is never removed", "it stays") for s in statements],
            )
            for vendor, statements in old.items()
        }
    )


REMOVE = """
from django.db import IntegrityError, connection
from inbox.models import Submission
from tests import factories
from tests.sending_tools import propose, release
workspace = factories.make_workspace("second")
inbox = factories.make_inbox(workspace, "hello@second.example")
agent = factories.make_agent(workspace, "Clerk", (inbox,))
person = factories.make_person_user(workspace)
sent = release(propose(factories.agent_actor(agent), inbox), person)
try:
    connection.cursor().execute("DELETE FROM inbox_submission WHERE id = %s", [sent.pk])
except IntegrityError as error:
    print(str(error).splitlines()[0])
"""

REFUSED = """
from django.core.management import CommandError, call_command
from project.doctor.running import look_at_database
from project.monitoring.health import Readiness
try:
    call_command("migrate", verbosity=0)
except CommandError as error:
    print(error)
print([one for one in look_at_database() if one.kind == "bad"])
print(Readiness().look().as_json())
"""


def test_a_changed_rule_is_there_after_the_update_and_works(later, engine):
    write(package_of(later), "9003_filled", FILLED)
    _, _, rules = changed_rules().deconstruct()
    write(package_of(later), "9004_rules", CHANGED.format(rules=rules))
    before = dict(query(later, TRIGGERS[engine]))
    done = migrate(later)
    assert done.returncode == 0, done.stderr
    assert dict(query(later, TRIGGERS[engine])).keys() == before.keys()
    assert later.ask(REMOVE) == "it stays"
    # And the version before neither serves nor updates it.
    before_it = Place(
        later.var, {**later.environment, "DJANGO_SETTINGS_MODULE": "project.settings"}
    )
    said = before_it.ask(REFUSED)
    assert said.count("a migration inbox.9002_added that is not known here") == 2
    assert "by a newer one than this" in said
    assert "made by an unreleased version or a newer one" in said


def test_steps_that_commit_by_themselves_want_a_migration_that_does_not():
    editor = connection.schema_editor(atomic=True)
    index = models.Index(fields=["letters"], name="message_by_letters")
    for step in (InBatches("inbox.Message", print), AddIndexWithoutBlocking("message", index)):
        with pytest.raises(NotSupportedError, match="must have `atomic = False`"):
            step.database_forwards("inbox", editor, ProjectState(), ProjectState())
