"""`manage.py connect`: what it takes, tries, keeps and refuses; secrets are never arguments."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from inbox.accounts.credentials import decrypt, decrypt_tokens
from inbox.models import Account
from tests import factories
from tests.ports import CLOSED_PORT
from tests.servers import make_certificate, smtp_sink
from tests.token_server import token_server

pytestmark = pytest.mark.django_db
ADDRESS, WORD = "mira@lantern.example", "open sesame"


@pytest.fixture
def password(tmp_path):
    path = tmp_path / "password"
    path.write_text(f"{WORD}\n")
    return path


def connect(*arguments, **options) -> str:
    out = io.StringIO()
    call_command("connect", ADDRESS, *map(str, arguments), stdout=out, **options)
    return out.getvalue()


def to_sink(port, security="none"):
    return ("--imap-host", "", "--smtp-host", "127.0.0.1", "--smtp-port", port, "--smtp-security", security)  # fmt: skip


def test_an_account_is_connected_once_it_works(workspace, password):
    with smtp_sink(auth_require_tls=False) as (sink, port):
        told = connect(*to_sink(port), "--username", "mira", "--password-file", password)
    assert "works  Sending works with 127.0.0.1." in told
    assert f"{ADDRESS} is connected. Agents see nothing of it until" in told
    assert sink.logins == [("mira", WORD)]
    assert WORD not in told
    account = Account.objects.get()
    assert decrypt(account.secret).reveal() == WORD
    assert "imap_host" not in account.settings


def test_the_password_comes_from_standard_input_otherwise(workspace, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{WORD}\nmore\n"))
    connect(*to_sink(CLOSED_PORT), "--anyway")
    assert decrypt(Account.objects.get().secret).reveal() == WORD


def test_an_operator_names_the_certificate_to_trust(workspace, password, tmp_path):
    certificate = make_certificate(tmp_path / "certificate.pem")
    with smtp_sink(certificate=certificate) as (_sink, port):
        with pytest.raises(CommandError, match="nothing was kept"):
            connect(*to_sink(port, "starttls"), "--password-file", password)
        told = connect(
            *to_sink(port, "starttls"), "--password-file", password, "--ca-file", certificate
        )
    assert "works" in told
    assert Account.objects.get().settings["smtp_ca_file"] == str(certificate)


def test_what_does_not_work_is_not_kept(workspace, password):
    with pytest.raises(CommandError, match="nothing was kept"):
        connect(*to_sink(CLOSED_PORT), "--password-file", password)
    assert not Account.objects.exists()


def test_which_of_the_two_servers_fails_is_told(workspace, password):
    same = ("--imap-host", "127.0.0.1", "--imap-port", CLOSED_PORT, "--imap-security", "none")
    out = io.StringIO()
    with pytest.raises(CommandError, match="nothing was kept"):
        call_command(
            "connect", ADDRESS, *map(str, (*to_sink(CLOSED_PORT), *same, "--password-file", password)),
            stdout=out,
        )  # fmt: skip
    assert f"FAILS  Reading: 127.0.0.1 refuses port {CLOSED_PORT}." in out.getvalue()
    assert f"FAILS  Sending: 127.0.0.1 refuses port {CLOSED_PORT}." in out.getvalue()


def test_trying_keeps_nothing(workspace, password):
    with smtp_sink(auth_require_tls=False) as (_sink, port):
        told = connect(*to_sink(port), "--password-file", password, "--test")
    assert "Sending works" in told
    assert not Account.objects.exists()


def test_an_account_is_changed_with_the_credential_that_is_kept(workspace, password):
    connect(*to_sink(CLOSED_PORT), "--anyway", "--password-file", password)
    with smtp_sink(auth_require_tls=False) as (_sink, port):
        told = connect("--smtp-port", port, "--keep-credential", "--set", "smtp_timeout=7")
    assert f"{ADDRESS} is changed." in told
    account = Account.objects.get()
    assert (account.settings["smtp_port"], account.settings["smtp_timeout"]) == (port, 7)
    with pytest.raises(CommandError, match="enter the credential for it again"):
        connect("--smtp-host", "localhost", "--keep-credential", "--anyway")


def test_tokens_come_from_a_file(workspace, tmp_path):
    path = tmp_path / "tokens.json"
    path.write_text(json.dumps({"refresh_token": "refresh-0"}))
    with token_server() as server:
        connect(
            *to_sink(CLOSED_PORT), "--tokens-file", path, "--oauth-token-url", server.url,
            "--oauth-client-id", "chancery", "--anyway",
        )  # fmt: skip
    account = Account.objects.get()
    assert account.settings["auth"] == "oauth"
    assert decrypt_tokens(account.secret).refresh.reveal() == "refresh-0"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"refresh": "x"}'])
def test_a_file_without_tokens_is_refused(workspace, tmp_path, text):
    path = tmp_path / "tokens.json"
    path.write_text(text)
    with pytest.raises(CommandError, match=r"tokens\.json"):
        connect("--tokens-file", path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--smtp-port", "70000"), "smtp_port"),
        (("--set", "imap_folder=INBOX"), "There is no setting"),
        (("--imap-host", "", "--smtp-host", ""), "no server"),
        (("--keep-credential",), "There is no account"),
    ],
)
def test_what_cannot_be_is_refused_by_its_name(workspace, password, arguments, words):
    secret = () if "--keep-credential" in arguments else ("--password-file", password)
    with pytest.raises(CommandError, match=words):
        connect(*arguments, *secret)


def test_of_several_workspaces_one_must_be_said(workspace, password):
    factories.make_workspace("other")
    with pytest.raises(CommandError, match="--workspace"):
        connect("--password-file", password)
    connect("--password-file", password, *to_sink(CLOSED_PORT), "--workspace", "other", "--anyway")
    assert Account.objects.get().workspace.slug == "other"


def test_an_account_of_another_workspace_with_the_same_address_is_another(workspace, password):
    other = factories.make_workspace("other")
    for slug in (other.slug, workspace.slug):
        connect(
            *to_sink(CLOSED_PORT), "--password-file", password, "--workspace", slug, "--anyway",
            "--name", slug,
        )  # fmt: skip
    assert dict(Account.objects.values_list("workspace__slug", "name")) == {
        "other": "other", workspace.slug: workspace.slug,
    }  # fmt: skip


def test_microsofts_servers_are_known_by_the_host_and_can_be_left_out(workspace, password):
    host = ("--imap-host", "outlook.office365.com", "--password-file", password, "--anyway")
    connect(*host)
    account = Account.objects.get()
    assert "outlook.com" in account.settings["own_servers"].split()
    connect("--keep-credential", "--anyway", "--set", "own_servers=")
    account.refresh_from_db()
    assert "own_servers" not in account.settings
    connect("--keep-credential", "--anyway", "--set", "own_servers=mail.x.example")
    account.refresh_from_db()
    assert account.settings["own_servers"] == "mail.x.example"
