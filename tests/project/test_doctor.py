"""What the doctor says of set-ups that are sound, and of others."""

import io
import socket
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections
from django.utils import timezone

from inbox.models import Account, Job, SyncState, WorkerProcess
from inbox.operations.worker_processes import note_worker
from project.doctor import configuration, running
from project.doctor.visit import visit
from tests.sending_tools import propose
from tests.servers import smtp_sink

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sound(settings, tmp_path):
    """A set-up in which nothing is wrong."""
    settings.BASE_URL, settings.ALLOWED_HOSTS = "http://127.0.0.1:8000", ["127.0.0.1"]
    settings.VAR_DIR = tmp_path
    note_worker()


def found(kind="bad") -> dict[str, str]:
    return {one.about: f"{one.words} {one.remedy}" for one in visit() if one.kind == kind}


def said() -> str:
    out = io.StringIO()
    call_command("doctor", stdout=out, no_color=True)
    return out.getvalue()


def test_of_a_sound_set_up_there_is_nothing_to_mend():
    text = said()
    assert "bad" not in text
    assert "Nothing to mend, 0 to look at." in text


def test_what_is_wrong_is_told_with_what_to_do_and_the_command_fails():
    WorkerProcess.objects.all().delete()
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 to mend, 0 to look at"):
        call_command("doctor", stdout=out, no_color=True)
    assert "bad   workers   No worker was ever seen: nothing is sent.\n" in out.getvalue()
    assert "→ Start one: manage.py worker" in out.getvalue()


@pytest.mark.parametrize(
    ("url", "hosts", "kind", "words"),
    [
        ("https://mail.example", ["127.0.0.1"], "bad", "Add mail.example to CHANCERY_HOSTS"),
        ("mail.example", ["*"], "bad", "which is no address"),
        ("ftp://mail.example", ["*"], "bad", "which is no address"),
        ("https://mail.example/below", ["*"], "bad", "which is no address"),
        ("http://mail.example", ["mail.example"], "warn", "without TLS"),
        ("https://mail.example", ["*"], "warn", "takes any host name"),
        ("https://mail.example", ["mail.example"], "good", "requests for mail.example would be"),
        ("http://[::1]:8000", ["[::1]"], "good", "Links lead to http://[::1]:8000"),
    ],
)
def test_where_people_come(settings, url, hosts, kind, words):
    settings.BASE_URL, settings.ALLOWED_HOSTS = url, hosts
    told = [
        f"{one.words} {one.remedy}" for one in configuration.look_at_addresses() if one.kind == kind
    ]
    assert words in " ".join(told)


def test_keys_that_others_read_and_keys_that_are_none(settings, tmp_path):
    (tmp_path / "secret.key").touch(0o600)
    assert "secrets" not in found()
    (tmp_path / "secret.key").chmod(0o644)
    assert "chmod 600" in found()["secrets"]
    settings.CREDENTIAL_KEYS = ["wax"]
    assert "Key 1 of CHANCERY_CREDENTIAL_KEYS" in " ".join(
        one.words for one in configuration.look_at_secrets()
    )


def test_keys_of_one_machine_where_there_may_be_several(monkeypatch, tmp_path):
    (tmp_path / "secret.key").touch(0o600)
    monkeypatch.setattr(configuration.connection, "vendor", "postgresql")
    [finding] = configuration.look_at_secrets()
    assert (finding.kind, "give all of them the same" in finding.remedy) == ("warn", True)


def test_details_of_errors_for_anybody(settings):
    settings.DEBUG = True
    assert "CHANCERY_DEBUG" in found()["secrets"]


def test_a_storage_that_takes_nothing(settings, tmp_path):
    Path(settings.MEDIA_ROOT).write_text("not a folder")
    assert "takes nothing" in found()["storage"]


def test_a_data_folder_that_is_gone(settings):
    settings.VAR_DIR = "/nowhere/at/all"
    assert "Make the folder in CHANCERY_VAR" in found()["disk"]


def test_scarce_room(monkeypatch):
    monkeypatch.setattr(configuration, "_SCARCE", 2**80)
    assert "are free" in found("warn")["disk"]


def test_a_broker_that_is_away(settings, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{port}/0"
    [finding] = running.look_at_broker()
    assert (finding.kind, "none is lost" in finding.remedy) == ("bad", True)


def test_a_worker_that_ended_and_work_that_waits():
    ago = timezone.now() - timedelta(hours=3)
    WorkerProcess.objects.update(seen_at=ago)
    Job.objects.create(kind="note", run_at=ago)
    assert "None was seen for 3 hours" in found()["workers"]
    assert "has waited for 3 hours" in found("warn")["workers"]


def test_mail_of_which_nobody_knows(monkeypatch):
    monkeypatch.setattr(running, "submissions_by_state", lambda: {"unknown": 2})
    assert "whether it left: 2 messages" in found("warn")["sending"]


def test_accounts_in_trouble_are_named(inbox, workspace):
    SyncState.objects.create(
        workspace=workspace, account=inbox.account, status="refused", words="It refused us:",
        reply="NO",
    )  # fmt: skip
    assert found("warn")["accounts"].startswith("office@lantern.example: It refused us. ")


def test_a_password_whose_key_is_missing_is_told_as_that(inbox, workspace):
    Account.objects.update(secret=Fernet(Fernet.generate_key()).encrypt(b"word"))
    told = found()["accounts"]
    assert told.startswith("The password or token of office@lantern.example cannot be opened")
    assert "CHANCERY_CREDENTIAL_KEYS" in told


def test_an_account_that_may_not_send_is_named_with_the_servers_words(inbox):
    Account.objects.update(
        sending_resumes_at=timezone.now(), sending_problem="It refused the sign-in: 535 no"
    )
    told = found("warn")["sending"]
    assert told.startswith("office@lantern.example sends nothing: It refused the sign-in: 535 no.")


def test_an_account_that_takes_nobodys_word_of_senders_is_told_with_what_to_press(inbox):
    Account.objects.update(
        provider="imap_smtp", settings={"imap_host": "outlook.office365.com"}, authserv_id=""
    )
    told = found("warn")["accounts"]
    assert told.startswith("office@lantern.example: nobody says whether senders are genuine")
    assert "Use its servers' sender checks" in told
    Account.objects.update(authserv_id="filter.lantern.example")
    assert "accounts" not in found("warn")


def test_a_server_that_is_away_for_hours_is_trouble(inbox, workspace):
    SyncState.objects.create(
        workspace=workspace, account=inbox.account, status="waiting", words="Nobody answers.",
        failures=9,
    )  # fmt: skip
    assert "Nobody answers" in found("warn")["accounts"]


def test_a_database_that_is_away_ends_the_visit_with_what_to_do(settings, monkeypatch):
    away = connections["default"].copy()
    away.settings_dict = {
        **away.settings_dict,
        "NAME": "/nowhere/at/all.sqlite3",
        "HOST": "nowhere.invalid",
    }
    monkeypatch.setattr(running, "connection", away)
    told = list(visit())
    assert told[-1].about == "database"
    assert (told[-1].kind, "DATABASE_URL" in told[-1].remedy) == ("bad", True)


def test_missing_migrations(monkeypatch):
    monkeypatch.setattr(running, "missing_migrations", lambda: ["inbox.0001_initial"])
    assert "Run: manage.py migrate" in found()["database"]


def test_servers_are_tried_where_that_is_asked_for(actor, inbox):
    with smtp_sink() as (_, port):
        propose(actor, inbox, port)
        [trial] = [one for one in running.reach_accounts() if "smtp" in one.words]
    assert trial.kind == "good", trial
    away = {"smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"}
    Account.objects.update(settings=away)
    assert any(one.kind == "bad" for one in visit(reach=True) if one.about == "reach")


def test_a_language_model_is_looked_at_and_asked_where_that_is_wanted(settings, machine):
    assert "openai:scripted is asked at http://127.0.0.1" in found("good")["model"]
    machine.says('{"ready": true}')
    assert [one.kind for one in visit(reach=True) if "language model" in one.words] == ["good"]
    assert machine.asked[0].document == {"texts": []}
    machine.status = 401
    (refused,) = [one for one in visit(reach=True) if "language model" in one.words]
    assert (refused.kind, refused.words) == (
        "bad", "The language model does not answer. Its server refused the key.",
    )  # fmt: skip
    settings.MODEL_ALLOW = frozenset()
    assert "CHANCERY_MODEL_ALLOW does not name its host" in found("bad")["model"]
    settings.MODEL = ""
    assert "No language model is set" in found("good")["model"]
    assert [one for one in visit(reach=True) if one.about == "reach" and "model" in one.words] == []
