"""What each release left is updated, works, and sends what waits; its backup is restored.

The last of them is made now, of this version: so a release can be cut, whatever is changed.
"""

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.patience import LONG
from tests.project.backups.places import Place
from tests.releases.archive import expected, releases, restore_dump, unpack
from tests.releases.databases import postgresql_database
from tests.releases.making import PASSPHRASE, make_place
from tests.releases.shapes import postgresql_shape, sqlite_shape
from tests.servers import smtp_sink
from tests.sqlite3.base import kept_database
from tests.up import Up

NOW = Path("this version")
FOUND = """
import hashlib, json
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from agents.approval import lifecycle
from agents.models import Approval
from inbox.accounts.credentials import decrypt
from inbox.models import Account, Blob

call_command("verify_receipts", verbosity=0)
rows = {}
with connection.cursor() as cursor:
    for table in connection.introspection.table_names(cursor):
        cursor.execute(f"SELECT count(*) FROM {table}")
        rows[table] = cursor.fetchone()[0]
approval = Approval.objects.with_public_id(WAITS).get()
account = approval.submission.account
found = {
    "rows": rows, "state": approval.state, "sha256": approval.sha256,
    "mime": hashlib.sha256(bytes(approval.submission.mime)).hexdigest(),
    "account": account.public_id, "password": decrypt(account.secret).reveal(),
    "blobs": all(hashlib.sha256(blob.read()).hexdigest() == blob.sha256 for blob in Blob.objects.all()),
}
"""
# A server of another name and port than then, which asks for no password; and a person's word.
APPROVE = """
Account.objects.filter(pk=account.pk).update(
    provider="imap_smtp", secret=None, undo_seconds=0,
    settings={"smtp_host": "127.0.0.1", "smtp_port": PORT, "smtp_security": "none"},
)
lifecycle.approve(
    approval=approval, by=User.objects.get(username="rhea"), sha256=approval.sha256
)
"""


@dataclass
class Kept:
    """What is kept of a release on one database, unpacked."""

    folder: Path
    expected: dict[str, Any]
    environment: dict[str, str]

    @property
    def place(self) -> Place:
        return Place(self.folder / "var", self.environment)

    def ask(self, place: Place, more: str = "") -> dict[str, Any]:
        """Return what is found in a place, and do more there."""
        code = f"WAITS = {self.expected['approval']!r}\n{FOUND}{more}\nprint(json.dumps(found))"
        return json.loads(place.ask(code).splitlines()[-1])


@pytest.fixture(params=[*releases(), NOW], ids=lambda path: path.name, scope="module")
def release(request, engine, tmp_path_factory) -> Path:
    if request.param != NOW:
        return request.param
    folder = tmp_path_factory.mktemp("release")
    database = kept_database()
    make_place(engine, folder, database if engine == "sqlite" and database.exists() else None)
    return folder


@pytest.fixture
def kept(release, engine, tmp_path) -> Iterator[Kept]:
    unpack(release / f"{engine}.tar.xz", tmp_path)
    with ExitStack() as stack:
        environment = {}
        if engine == "postgresql":
            environment["DATABASE_URL"] = stack.enter_context(postgresql_database())
            dump = (tmp_path / "database.sql").read_text()
            restore_dump(dump, environment["DATABASE_URL"])
        yield Kept(tmp_path, expected(release, engine), environment)


def shape(place: Place) -> set[tuple]:
    if url := place.environment.get("DATABASE_URL"):
        return postgresql_shape(url)
    return sqlite_shape(place.var / "chancery.sqlite3")


def until(is_so, what: str) -> None:
    end = time.monotonic() + LONG
    while not is_so():
        assert time.monotonic() < end, what
        time.sleep(0.2)


def check_found(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    lost = {
        table: (count, found["rows"][table])
        for table, count in wanted["rows"].items()
        if found["rows"].get(table, count) < count
    }
    assert lost == {}
    assert found["blobs"]
    for name in ("state", "sha256", "account", "password"):
        assert found[name] == wanted[name], name
    assert found["mime"] == wanted["sha256"]


def test_it_is_updated_and_sends_what_waited(kept, made):
    place = kept.place
    done = place.manage("migrate", "-v0")
    assert done.returncode == 0, done.stderr
    now, fresh = shape(place), shape(made)
    assert (sorted(now - fresh, key=str), sorted(fresh - now, key=str)) == ([], [])
    with smtp_sink() as (sink, port):
        found = kept.ask(place, APPROVE.replace("PORT", str(port)))
        check_found(found, kept.expected)
        up = Up(place.var, **place.environment)
        url = up.wait_until_ready()
        until(lambda: sink.taken, up.output)
        until(lambda: requests.get(f"{url}/health/ready", timeout=LONG).ok, up.output)
        doctor = place.manage("doctor")
        assert doctor.returncode == 0, doctor.stdout + doctor.stderr
        assert "its schema is this version's" in doctor.stdout
        up.stop()
    [letter] = sink.taken
    assert hashlib.sha256(letter.content).hexdigest() == kept.expected["sha256"]
    after = kept.ask(place)
    assert after["state"] == "approved"


def test_its_backup_is_restored(kept, empty, tmp_path):
    phrase = tmp_path / "passphrase"
    phrase.write_text(PASSPHRASE)
    place = empty("restored")
    done = place.manage("restore", tmp_path / "backup.tar", "--passphrase-file", phrase)
    assert done.returncode == 0, done.stderr
    assert "keys" not in done.stdout
    check_found(kept.ask(place), kept.expected)
    files = [path.relative_to(kept.place.var) for path in (kept.place.var / "exchange").rglob("*")]
    assert files
    assert all((place.var / path).exists() for path in files)
