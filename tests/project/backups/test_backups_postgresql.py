"""A backup of PostgreSQL's tables, put back into a database of its own."""

import uuid

import psycopg
import pytest

from tests.project.backups.places import Place
from tests.services import postgresql_url

pytestmark = pytest.mark.services

MAKE = """
from inbox.models import Message, store_blob, Submission
from tests import factories
from tests.sending_tools import propose, release
workspace = factories.make_workspace("lantern")
inbox = factories.make_inbox(workspace, "office@lantern.example")
factories.make_message(inbox, text="Lamp oil and wicks")
agent = factories.make_agent(workspace, "Clerk", (inbox,))
submission = release(propose(factories.agent_actor(agent), inbox), factories.make_person_user(workspace))
"""
LOOK = """
from inbox.models import Message, Submission, Workspace
print(Submission.objects.get().state, Message.objects.extra(where=["search @@ to_tsquery('wick')"]).count())
print(Workspace.objects.create(name="Next", slug="next").pk)
"""


@pytest.fixture
def databases():
    """The addresses of two empty databases."""
    url = postgresql_url()
    if url is None:
        pytest.skip("PostgreSQL does not answer")
    names = [f"chancery_backup_{uuid.uuid4().hex[:8]}" for _ in range(2)]
    with psycopg.connect(url, autocommit=True) as server:
        for name in names:
            server.execute(f"CREATE DATABASE {name}")
        yield [f"{url.rpartition('/')[0]}/{name}" for name in names]
        for name in names:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_tables_come_back_with_their_rules_and_go_on_counting(databases, tmp_path):
    old, new = (
        Place(tmp_path / name, {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "project.settings"})
        for name, url in zip(("old", "new"), databases, strict=True)
    )
    assert old.manage("migrate", "-v0").returncode == 0
    old.ask(MAKE)
    made = old.manage("backup", tmp_path / "b.tar")
    assert made.returncode == 0, made.stderr
    done = new.manage("restore", tmp_path / "b.tar")
    assert done.returncode == 0, done.stderr
    assert "had not left by then, and now wait for a person: 1." in done.stdout
    state, following = new.ask(LOOK).splitlines()
    assert (state, following) == ("held 1", "2")
    # The rules of the database are there again.
    with psycopg.connect(databases[1]) as database, pytest.raises(psycopg.Error, match="sealed"):
        database.execute("UPDATE inbox_submission SET sha256 = repeat('0', 64)")
    assert "not empty" in new.manage("restore", tmp_path / "b.tar").stderr
