"""Migrations that a release has are never changed; changes of rules are written as new ones."""

import pytest

from tests.releases.archive import broken_promises, parse_version, releases, write_sums
from tests.releases.migrations import changes

ROOT = "inbox/migrations"


def test_the_migrations_of_every_release_are_as_they_were():
    assert broken_promises() == []


@pytest.fixture
def tree(tmp_path):
    """A tree with one release and two migrations."""
    (tmp_path / ROOT).mkdir(parents=True)
    for name in ("0001_initial", "0003_lamps"):
        (tmp_path / ROOT / f"{name}.py").write_text(f"# {name}\n")
    release = tmp_path / "releases" / "0.2.0"
    release.mkdir(parents=True)
    write_sums(release, tmp_path)
    return tmp_path


def said(tree) -> list[str]:
    return broken_promises(tree / "releases", tree)


def test_a_migration_after_the_last_one_of_a_release_is_welcome(tree):
    (tree / ROOT / "0004_wicks.py").write_text("# new\n")
    assert said(tree) == []


def test_one_that_stands_for_many_counts_as_the_last_of_them(tree):
    (tree / ROOT / "0004_wicks.py").write_text("# new\n")
    (tree / ROOT / "0001_squashed_0004_wicks.py").write_text("# all\n")
    assert said(tree) == []


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("0001_initial", "# 0001_initial \n", "0001_initial.py of 0.2.0 was changed"),
        ("0003_lamps", None, "0003_lamps.py of 0.2.0 is gone"),
        ("0002_between", "# new\n", f"0002_between.py comes before {ROOT}/0003_lamps.py of 0.2.0"),
        (
            "0001_squashed_0002_between",
            "# some\n",
            f"0001_squashed_0002_between.py comes before {ROOT}/0003_lamps.py of 0.2.0",
        ),
    ],
)
def test_what_is_done_to_a_released_migration_is_named(tree, name, text, words):
    path = tree / ROOT / f"{name}.py"
    path.unlink(missing_ok=True)
    if text is not None:
        path.write_text(text)
    assert said(tree) == [f"{ROOT}/{words}"]


def test_releases_come_in_the_order_of_their_versions(tmp_path):
    for name in ("0.10.0", "0.9.1", "0.9.0", "notes"):
        (tmp_path / name).mkdir()
    assert [path.name for path in releases(tmp_path)] == ["0.9.0", "0.9.1", "0.10.0"]


@pytest.mark.parametrize("version", ["0.2", "v0.2.0", "0.2.0-rc1", "1.2.3.4", ""])
def test_a_version_has_three_numbers(version):
    with pytest.raises(ValueError, match="three numbers"):
        parse_version(version)


TRIGGER = "CREATE TRIGGER lamp_lit BEFORE UPDATE ON lamp BEGIN SELECT 1; END"
OTHER = "CREATE TRIGGER lamp_lit BEFORE UPDATE ON lamp BEGIN SELECT 2; END"
FUNCTION = "CREATE FUNCTION lamp_lit() RETURNS trigger AS $$ {} $$"
CALLED = "CREATE TRIGGER lamp_lit BEFORE UPDATE ON lamp FOR EACH ROW EXECUTE FUNCTION lamp_lit()"
WORDS = "CREATE VIRTUAL TABLE lamp_words USING fts5({}, content='lamp')"
COLUMN = "ALTER TABLE lamp ADD COLUMN search tsvector GENERATED ALWAYS AS ({}) STORED"
INDEX = "CREATE INDEX lamp_search ON lamp USING gin (search)"


@pytest.mark.parametrize(
    ("before", "now", "wanted"),
    [
        ([TRIGGER], [TRIGGER], []),
        ([TRIGGER], [OTHER], ["DROP TRIGGER lamp_lit", OTHER]),
        ([TRIGGER], [], ["DROP TRIGGER lamp_lit"]),
        ([], [TRIGGER], [TRIGGER]),
        # What was changed once already.
        ([TRIGGER, "DROP TRIGGER lamp_lit", OTHER], [OTHER], []),
        (
            [FUNCTION.format("a"), CALLED],
            [FUNCTION.format("b"), CALLED],
            [FUNCTION.format("b").replace("CREATE", "CREATE OR REPLACE")],
        ),
        (
            [FUNCTION.format("a"), CALLED],
            [],
            ["DROP TRIGGER lamp_lit ON lamp", "DROP FUNCTION lamp_lit()"],
        ),
        (
            [WORDS.format("a")],
            [WORDS.format("b")],
            [
                "DROP TABLE lamp_words",
                WORDS.format("b"),
                "INSERT INTO lamp_words (lamp_words) VALUES ('rebuild')",
            ],
        ),
        (
            [COLUMN.format("a"), INDEX],
            [COLUMN.format("b"), INDEX],
            [
                "DROP INDEX lamp_search",
                "ALTER TABLE lamp DROP COLUMN search",
                COLUMN.format("b"),
                INDEX,
            ],
        ),
    ],
)
def test_a_change_of_rules_is_written_as_statements(before, now, wanted):
    assert changes(before, now) == wanted
    assert changes([*before, *wanted], now) == []
