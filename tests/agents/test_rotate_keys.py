"""`manage.py rotate_keys`: every encrypted value opens before, between and after its steps."""

import io
from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db.models import BinaryField
from django.utils import timezone

from agents.management.commands.rotate_keys import ENCRYPTED
from agents.models import WebhookEndpoint
from inbox.accounts.credentials import (
    Secret,
    Tokens,
    decrypt,
    decrypt_tokens,
    encrypt,
    encrypt_tokens,
)
from inbox.models import Account, WorkerProcess
from inbox.operations.accounts import key_rotation
from inbox.operations.accounts.key_rotation import reencrypt_column
from inbox.operations.worker_processes import note_worker
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def keys(settings, tmp_path):
    """The file of the keys, read anew as a restart would."""
    path = tmp_path / "credentials.key"
    path.write_text(Fernet.generate_key().decode())
    settings.CREDENTIAL_KEYS_FILE = path

    def read() -> list[str]:
        settings.CREDENTIAL_KEYS = path.read_text().split(",")
        return settings.CREDENTIAL_KEYS

    read()
    return read


def rotate(*arguments) -> str:
    out = io.StringIO()
    call_command("rotate_keys", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def opened(account) -> str:
    account.refresh_from_db()
    return decrypt(account.secret).reveal()


def test_old_keys_go_and_everything_still_opens(keys, workspace):
    account = factories.make_inbox(workspace, secret=encrypt("word")).account
    tokens = encrypt_tokens(Tokens(Secret("a"), Secret("r"), Secret("c")))
    other = factories.make_inbox(workspace, secret=tokens).account
    factories.make_inbox(workspace)
    hook = WebhookEndpoint.objects.create(
        workspace=workspace, url="https://ada.example/hook", secret=encrypt("hook")
    )
    rotate("--new-key")
    assert len(keys()) == 2
    assert opened(account) == "word"
    told = rotate("--drop-old-keys")
    assert "account secret: 2 encrypted anew" in told
    assert len(keys()) == 1
    assert opened(account) == "word"
    other.refresh_from_db()
    assert decrypt_tokens(other.secret).refresh.reveal() == "r"
    hook.refresh_from_db()
    assert decrypt(hook.secret).reveal() == "hook"
    assert hook.previous_secret is None


def test_no_key_is_dropped_while_something_needs_one_that_is_lost(keys, workspace):
    factories.make_inbox(workspace, secret=Fernet(Fernet.generate_key()).encrypt(b"lost"))
    rotate("--new-key")
    keys()
    with pytest.raises(CommandError, match="No key opens 1: account secret of row"):
        rotate("--drop-old-keys")
    assert len(keys()) == 2


def test_no_key_is_dropped_while_a_process_runs_that_does_not_know_the_new_one(keys, workspace):
    account = factories.make_inbox(workspace, secret=encrypt("word")).account
    note_worker()
    rotate("--new-key")
    keys()
    with pytest.raises(CommandError, match="began before the newest key") as caught:
        rotate("--drop-old-keys")
    assert WorkerProcess.objects.get().name in str(caught.value)
    assert len(keys()) == 2
    assert opened(account) == "word"
    # Restarted: it begins anew, under another name.
    WorkerProcess.objects.update(started_at=timezone.now() + timedelta(seconds=1))
    rotate("--drop-old-keys")
    assert len(keys()) == 1


def test_a_process_that_ended_holds_up_nothing_and_one_at_work_only_until_it_is_said(keys, db):
    note_worker(timezone.now() - timedelta(minutes=5))
    rotate("--new-key")
    rotate("--drop-old-keys")
    assert len(keys()) == 1
    note_worker()
    WorkerProcess.objects.update(started_at=timezone.now() - timedelta(hours=1))
    rotate("--new-key")
    rotate("--drop-old-keys", "--anyway")
    assert len(keys()) == 1


def test_keys_from_the_environment_stay_there(keys, settings):
    settings.CREDENTIAL_KEYS_FILE = None
    assert "CHANCERY_CREDENTIAL_KEYS" in rotate("--new-key")
    with pytest.raises(CommandError, match="remove the old there"):
        rotate("--drop-old-keys")


def test_the_file_of_keys_is_for_its_owner_only(keys, settings):
    rotate("--new-key")
    assert settings.CREDENTIAL_KEYS_FILE.stat().st_mode & 0o777 == 0o600


def test_many_rows_are_taken_a_few_at_a_time(keys, workspace, monkeypatch):
    monkeypatch.setattr(key_rotation, "AT_ONCE", 2)
    for _ in range(5):
        factories.make_inbox(workspace, secret=encrypt("word"))
    assert reencrypt_column(Account, "secret").count == 5


def test_everything_that_is_encrypted_is_known():
    """A column of bytes that holds credentials belongs into the list."""
    found = {
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, BinaryField) and "secret" in field.name
    }
    assert found == set(ENCRYPTED)
