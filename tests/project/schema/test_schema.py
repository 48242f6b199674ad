"""A database whose schema is not this version's is told so, and neither updated nor served."""

import json

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from project.doctor.running import look_at_database
from project.monitoring.health import Readiness
from project.schema.comparing import column_differences, schema_differences
from project.schema.found import found_shape
from project.schema.shape import APPS

pytestmark = pytest.mark.django_db

ON_SQLITE = connection.vendor == "sqlite"
DROP_TRIGGER = (
    "DROP TRIGGER inbox_submission_sealed"
    if ON_SQLITE
    else "DROP TRIGGER inbox_submission_rules ON inbox_submission"
)
WEAKER_RULE = (
    (
        "DROP TRIGGER agents_receipt_kept",
        "CREATE TRIGGER agents_receipt_kept BEFORE DELETE ON agents_receipt "
        "WHEN OLD.outcome = 'open' BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    if ON_SQLITE
    else (
        "CREATE OR REPLACE FUNCTION agents_receipt_rules() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RETURN NEW; END $$",
    )
)
CHANGES = [
    (("DROP TABLE agents_webhookdelivery CASCADE",), "no table agents_webhookdelivery"),
    (
        ("ALTER TABLE agents_noticesettings DROP COLUMN quiet_from",),
        "no column agents_noticesettings.quiet_from",
    ),
    (("DROP INDEX activity_newest",), "no index activity_newest"),
    ((DROP_TRIGGER,), f"no rule {DROP_TRIGGER.split()[2]}"),
    (WEAKER_RULE, "another rule agents_receipt_"),
    (
        (
            "ALTER TABLE inbox_workspace RENAME COLUMN slug TO slug_of_old",
            "ALTER TABLE inbox_workspace ADD COLUMN slug text NULL",
        ),
        "inbox_workspace.slug",
    ),
]


def run(statements) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement.replace(" CASCADE", "") if ON_SQLITE else statement)


def test_a_database_of_this_version_differs_in_nothing(django_assert_max_num_queries):
    with django_assert_max_num_queries(8):
        assert schema_differences() == []
    [finding] = [one for one in look_at_database() if one.kind != "warn"]
    assert (finding.kind, "its schema is this version's" in finding.words) == ("good", True)
    call_command("migrate", verbosity=0)


@pytest.mark.parametrize(("statements", "words"), CHANGES, ids=[words for _, words in CHANGES])
def test_a_database_of_another_version_is_called_so_by_all_who_look(statements, words):
    run(statements)
    assert words in " ".join(schema_differences())
    [finding] = [one for one in look_at_database() if one.kind == "bad"]
    assert "made by an unreleased version of Chancery" in finding.words
    assert words in finding.words
    assert "Go back to the version that made it" in finding.remedy
    health = Readiness().look()
    assert health.status == "unavailable"
    assert "unreleased version" in json.dumps(health.as_json()["checks"]["migrations"])
    with pytest.raises(CommandError, match="cannot be updated"):
        call_command("migrate", verbosity=0)


def test_readiness_is_found_again_once_the_schema_is_right():
    readiness = Readiness()
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX activity_newest")
        assert readiness.look().status == "unavailable"
        cursor.execute(
            "CREATE INDEX activity_newest "
            "ON inbox_activity (workspace_id, created_at DESC, id DESC)"
        )
    assert readiness.look().as_json()["checks"]["migrations"] == "ok"


def test_a_column_that_rows_must_fill_and_no_longer_do_is_named():
    if ON_SQLITE:
        pytest.skip("SQLite adds no such column to a table")
    run(["ALTER TABLE inbox_workspace ADD COLUMN motto text NOT NULL DEFAULT ''"])
    assert schema_differences() == []
    run(["ALTER TABLE inbox_workspace ALTER COLUMN motto DROP DEFAULT"])
    [difference] = schema_differences()
    assert difference == "a column inbox_workspace.motto that is no longer filled"


def test_many_differences_are_counted_and_the_first_ones_named():
    run(["DROP INDEX " + name for name in some_indexes(12)])
    [finding] = [one for one in look_at_database() if one.kind == "bad"]
    assert finding.words.count("no index") == 8
    assert "and 4 more" in finding.words


def some_indexes(count: int) -> list[str]:
    compared = [model for model in apps.get_models() if model._meta.app_label in APPS]
    declared = [index.name for model in compared for index in model._meta.indexes]
    there = found_shape(connection).indexes
    return [name for name in declared if name in there][:count]


def here() -> set[tuple[str, str]]:
    """Return the migrations that this database has."""
    return set(MigrationRecorder(connection).applied_migrations())


def test_columns_of_a_backup_are_compared_by_name():
    with connection.cursor() as cursor:
        columns = {
            table: [one.name for one in connection.introspection.get_table_description(cursor, table)]
            for table in connection.introspection.table_names(cursor)
        }  # fmt: skip
    generated = {
        "inbox_message": {"search"},
        "inbox_filenode": {"search"},
        "inbox_attachmenttext": {"search"},
        "inbox_person": {"search"},
        "calendar_app_event": {"search"},
        "agents_memory": {"search"},
    }
    generated["inbox_activity"] = {"pressing"}
    written = {
        table: [name for name in names if name not in generated.get(table, ())]
        for table, names in columns.items()
    }
    assert column_differences(connection, written, here()) == []
    written["inbox_workspace"].remove("slug")
    written["inbox_draft"].append("mood")
    assert set(column_differences(connection, written, here())) == {
        "no column inbox_workspace.slug", "a column inbox_draft.mood too many",
    }  # fmt: skip
