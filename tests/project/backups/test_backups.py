"""A backup of a set-up that works on, put back elsewhere."""

import json
import sqlite3
import stat
import tarfile
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings as ours
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from agents.approval import lifecycle
from agents.dispatching.dispatch import call
from agents.models import Approval
from inbox.accounts.credentials import encrypt
from inbox.files.storage import blob_name
from inbox.models import Account, Submission, store_blob
from project.backups import databases
from project.backups.archive import BackupError
from project.backups.keys import decrypt_keys, encrypt_keys
from project.backups.restoring import check_backup
from tests import factories
from tests.project.backups.places import Place

pytestmark = pytest.mark.django_db(transaction=True)

STATES = """
from agents.models import Approval
from inbox.models import Submission
from inbox.background.jobs import run_due
run_due()
print(sorted(Submission.objects.values_list("state", flat=True)), end=" ")
print(sorted(Approval.objects.values_list("state", flat=True)))
"""


@pytest.fixture
def phrase(tmp_path) -> Path:
    path = tmp_path / "passphrase"
    path.write_text("wax, ribbon and a ring\n")
    return path


@pytest.fixture
def in_use(actor, inbox, reviewer) -> None:
    """One message waits for a person, and another was just approved."""
    Account.objects.update(undo_seconds=60, secret=encrypt("open sesame"))
    for text in ("First.", "Second."):
        thread = factories.make_message(inbox).thread.public_id
        arguments = {"thread_id": thread, "body_or_draft_id": text, "idempotency_key": text}
        call("send_reply", arguments, actor)
    approved = Approval.objects.earliest("pk")
    lifecycle.approve(approval=approved, by=reviewer, sha256=approved.sha256)


@pytest.fixture
def backup(tmp_path, settings, in_use, phrase) -> Path:
    (Path(settings.EXCHANGE_DIR) / "agent-1" / "files").mkdir(parents=True)
    (Path(settings.EXCHANGE_DIR) / "agent-1" / "files" / "a b.txt").write_text("lamp")
    path = tmp_path / "backup.tar"
    call_command("backup", path, passphrase_file=phrase, verbosity=0)
    return path


def rewritten(source: Path, change) -> Path:
    """Return a copy of the archive whose members went through `change(name, content)`."""
    copy = source.with_name("changed.tar")
    with tarfile.open(source) as tar, tarfile.open(copy, "w") as into:
        for member in tar.getmembers():
            name, content = change(member.name, tar.extractfile(member).read())
            changed = tarfile.TarInfo(name)
            changed.size = len(content)
            into.addfile(changed, BytesIO(content))
    return copy


sqlite_only = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="test_backups_postgresql.py does this there"
)


TABLES = "from django.db import connection; print(connection.introspection.table_names())"
WHAT_CAME = """
from django.core.management import call_command
from inbox.accounts.credentials import decrypt
from inbox.models import Account, Blob
print(sum(len(blob.read()) > 0 for blob in Blob.objects.all()))
print(decrypt(Account.objects.get().secret).reveal())
call_command("migrate", "--check")
call_command("verify_receipts")
"""


@sqlite_only
def test_all_comes_back_and_what_was_about_to_leave_is_held(backup, phrase, tmp_path, settings):
    place = Place(tmp_path / "elsewhere")
    done = place.manage("restore", backup, "--passphrase-file", phrase)
    assert done.returncode == 0, done.stderr
    assert "had not left by then, and now wait for a person: 2." in done.stdout
    assert "keys" not in done.stdout
    states, blobs, password, *_ = place.ask(STATES + WHAT_CAME).splitlines()
    assert states == "['held', 'held'] ['waiting', 'waiting']"
    assert (blobs, password) == ("2", "open sesame")
    assert (place.var / "exchange/agent-1/files/a b.txt").read_text() == "lamp"
    assert stat.S_IMODE((place.var / "credentials.key").stat().st_mode) == 0o600
    assert [each.name for each in place.var.glob(".*")] == []
    again = place.manage("restore", backup)
    assert (again.returncode, "The database is not empty" in again.stderr) == (1, True)


@sqlite_only
def test_one_of_other_tables_is_refused_before_anything_is_written(in_use, tmp_path):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE agents_noticesettings RENAME COLUMN quiet_from TO quiet")
        try:
            call_command("backup", tmp_path / "old.tar", verbosity=0)
        finally:
            cursor.execute("ALTER TABLE agents_noticesettings RENAME COLUMN quiet TO quiet_from")
    place = Place(tmp_path / "elsewhere")
    done = place.manage("restore", tmp_path / "old.tar")
    assert done.returncode == 1
    assert "made by an unreleased version" in done.stderr
    assert "no column agents_noticesettings.quiet_from" in done.stderr
    assert not (place.var / "media").exists()
    assert place.ask(TABLES) == "[]"


@sqlite_only
def test_without_the_passphrase_it_says_what_is_lacking(backup, tmp_path):
    done = Place(tmp_path / "elsewhere").manage("restore", backup)
    assert done.returncode == 0, done.stderr
    assert "set CHANCERY_CREDENTIAL_KEYS to those of then" in done.stdout


def change_blob(name, content):
    return name, b"other" if name.startswith("media/") else content


def change_database(name, content):
    return name, content + b" " if name.startswith("database/") else content


def lead_outside(name, content):
    return ("exchange/../../evil" if name.startswith("exchange/") else name), content


def change_format(name, content):
    if name != "manifest.json":
        return name, content
    return name, json.dumps(json.loads(content) | {"format": 99}).encode()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (change_blob, "has other bytes than it should"),
        (change_database, "its database is not what was written"),
        (lead_outside, "which no backup does"),
        (change_format, "Restore it with the version that made it"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_before_anything_is_written(
    backup, tmp_path, change, words
):
    (tmp_path / "scratch").mkdir()
    with pytest.raises(BackupError, match=words):
        check_backup(rewritten(backup, change), tmp_path / "scratch")
    assert not (tmp_path / "evil").exists()


def test_what_is_no_backup_is_refused_and_a_set_up_in_use_left_alone(backup, tmp_path):
    (tmp_path / "x.tar").write_bytes(b"x" * 2000)
    before = Submission.objects.count()
    with pytest.raises(CommandError, match="The database is not empty"):
        call_command("restore", backup)
    assert Submission.objects.count() == before
    with pytest.raises((BackupError, tarfile.TarError)):
        check_backup(tmp_path / "x.tar", tmp_path)


def test_only_the_passphrase_opens_the_keys():
    ciphertext = encrypt_keys("wax, ribbon and a ring")
    assert decrypt_keys(ciphertext, "wax, ribbon and a ring")["secret"] == ours.SECRET_KEY
    with pytest.raises(BackupError, match="does not open the keys"):
        decrypt_keys(ciphertext, "wax, ribbon and a coin")


def test_the_file_is_for_its_owner_and_holds_no_key_in_the_clear(backup):
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    content = backup.read_bytes()
    for key in ours.CREDENTIAL_KEYS:
        assert key.encode() not in content
    assert ours.SECRET_KEY.encode() not in content


def test_a_file_that_is_there_is_never_overwritten(backup):
    before = backup.read_bytes()
    with pytest.raises(CommandError, match="is there already"):
        call_command("backup", backup)
    assert backup.read_bytes() == before
    assert [each.name for each in backup.parent.glob(".*")] == []


def test_bytes_that_the_storage_lost_are_named_and_the_rest_is_kept(workspace, tmp_path, settings):
    lost, kept = store_blob(workspace.pk, b"lost"), store_blob(workspace.pk, b"kept")
    (Path(settings.MEDIA_ROOT) / blob_name(workspace.pk, lost.sha256)).unlink()
    with pytest.raises(CommandError, match="1 stored contents are missing"):
        call_command("backup", tmp_path / "b.tar", verbosity=0)
    with tarfile.open(tmp_path / "b.tar") as tar:
        names = [name for name in tar.getnames() if name.startswith("media/")]
    assert names == [f"media/{blob_name(workspace.pk, kept.sha256)}"]


def test_a_short_passphrase_is_refused(tmp_path):
    (tmp_path / "phrase").write_text("short\n")
    with pytest.raises(CommandError, match="12 characters or more"):
        call_command("backup", tmp_path / "b.tar", passphrase_file=tmp_path / "phrase")


def test_what_is_written_meanwhile_is_in_it_whole_or_not_at_all(tmp_path, workspace, monkeypatch):
    """A row whose bytes came after the database was copied is not in the copy either."""
    store_blob(workspace.pk, b"before")
    dump = databases.dump

    def dump_then_write(folder):
        found = dump(folder)
        store_blob(workspace.pk, b"after")
        return found

    monkeypatch.setattr(databases, "dump", dump_then_write)
    call_command("backup", tmp_path / "b.tar", verbosity=0)
    with tarfile.open(tmp_path / "b.tar") as tar:
        assert sum(name.startswith("media/") for name in tar.getnames()) == 1
    assert Submission.objects.count() == 0


BREAK_OFF = """
from django.core.management import call_command
from project.backups import restoring

def break_off(why):
    raise OSError("the machine went away")

restoring.hold_all_again = break_off
try:
    call_command("restore", {source!r})
except Exception as error:
    print(error)
"""


@sqlite_only
def test_one_that_breaks_off_leaves_no_database_from_which_anything_could_leave(backup, tmp_path):
    place = Place(tmp_path / "elsewhere")
    said = place.ask(BREAK_OFF.format(source=str(backup)))
    assert "the machine went away" in said
    with closing(sqlite3.connect(place.var / "chancery.sqlite3")) as database:
        assert database.execute("SELECT * FROM sqlite_master").fetchall() == []
    assert [each.name for each in place.var.glob(".*")] == []
