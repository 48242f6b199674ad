"""What is secret of an account stands on no page, in no log, in no row but encrypted, whatever happens."""

import base64
import io
import logging
from urllib.parse import quote

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.test import Client

from inbox.models import Account, Role, SyncState
from inbox.operations.accounts.connecting import resume_account
from inbox.operations.accounts.connections import connection_of
from inbox.syncing.session import sync_account
from tests import factories
from tests.faults.imap_peer import ImapPeer
from tests.faults.scripted import drop, say
from tests.faults.smtp_peer import SmtpPeer
from tests.token_server import token_server

pytestmark = pytest.mark.django_db(transaction=True)
WORD, REFRESH, CLIENT = "zirbelholz+4711", "refresh-0", "client/secret-0815"
ADD = "/admin/inbox/account/add/"
ENCRYPTED = {"secret", "previous_secret"}


def forms_of(secret: str) -> set[str]:
    """As it is, and as protocols write it."""
    plain = {secret, f"\0mira\0{secret}", f"user=mira\x01auth=Bearer {secret}\x01\x01"}
    encoded = {base64.b64encode(each.encode()).decode().rstrip("=") for each in plain}
    return {secret, quote(secret, safe=""), *encoded}


def traces(text: str, *secrets: str) -> list[str]:
    return [form for secret in secrets for form in forms_of(secret) if form in text]


def all_rows() -> str:
    """Every column of every row, but what is encrypted."""
    return "\n".join(
        f"{model.__name__}.{name}={value.tobytes() if isinstance(value, memoryview) else value!r}"
        for model in apps.get_models()
        for row in model._base_manager.values()
        for name, value in row.items()
        if name not in ENCRYPTED
    )


def repeating(secret: str):
    """Refuse a login, and repeat what was told."""
    plain = base64.b64encode(f"\0mira\0{secret}".encode())
    text = f"* NO [ALERT] was it {secret}?\r\n".encode()
    refusal = b" NO [AUTHENTICATIONFAILED] %b, that is %b\r\n" % (plain, secret.encode())
    return lambda talk, usual: talk.send(text + usual.split()[0] + refusal)


@pytest.fixture
def owner(workspace) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.OWNER))
    return client


@pytest.fixture
def log(caplog):
    """Everything that is logged, however fine."""
    for name in ("", "httpx", "httpcore", "imapclient", "django", "django.db.backends"):
        caplog.set_level(logging.DEBUG if name != "django.db.backends" else logging.INFO, name)
    return caplog


def fields(workspace, imap, smtp, **changes):
    servers = {
        f"{name}_{key}": value
        for name, peer in (("imap", imap), ("smtp", smtp))
        for key, value in {"host": "127.0.0.1", "port": peer.port, "security": "none"}.items()
    }
    return {
        **servers, "workspace": workspace.pk, "address": "mira@lantern.example", "name": "",
        "preset": "", "username": "mira", "auth": "password", "password": WORD,
        "refresh_token": "", "access_token": "", "client_secret": "", "oauth_token_url": "",
        "oauth_client_id": "", "oauth_scope": "", **changes,
    }  # fmt: skip


def refusing_sender() -> SmtpPeer:
    script = {"EHLO": say("250-peer\r\n250 AUTH PLAIN LOGIN"), "AUTH": say(f"535 {WORD} is wrong")}
    return SmtpPeer(script=script)


def test_a_password_leaves_no_trace(owner, workspace, log, capfd, tmp_path):
    with ImapPeer() as imap, refusing_sender() as smtp:
        imap.script = {"AUTHENTICATE": repeating(WORD)}
        given = fields(workspace, imap, smtp)
        actions = ("test", "connect", "anyway")
        seen = [owner.post(ADD, given | {"action": action}, follow=True) for action in actions]
        account = Account.objects.get()
        place = f"/admin/inbox/account/{account.pk}/"
        assert not sync_account(account.pk)
        assert SyncState.objects.get().status == "refused"
        imap.script = {"LIST": drop}
        resume_account(account=account)
        sync_account(account.pk)
        actions = ("test", "save", "sync")
        change = f"{place}change/"
        seen += [owner.post(change, given | {"action": action}, follow=True) for action in actions]
        seen += [owner.get(f"{place}{page}/") for page in ("change", "mirror")]
        (tmp_path / "password").write_text(WORD)
        with pytest.raises(CommandError) as caught:
            call_command(
                "connect", account.address, "--password-file", str(tmp_path / "password"),
                stdout=io.StringIO(),
            )  # fmt: skip
        assert WORD.encode() not in smtp.said_to_peer()  # it goes in base64
        assert forms_of(WORD) & set(imap.said_to_peer().decode().replace("=", "").split())
    assert len(seen) == 8
    shown = "\n".join(response.content.decode() for response in seen)
    assert "refuses the sign-in" in shown
    told = "".join(capfd.readouterr()) + str(caught.value) + log.text
    assert traces(shown + told + all_rows(), WORD) == []


def test_tokens_leave_no_trace(owner, workspace, log, capfd):
    with (
        ImapPeer() as imap,
        refusing_sender() as smtp,
        token_server(names="token-1".format) as tokens,
    ):
        imap.script = {"AUTHENTICATE": repeating("token-1")}
        oauth = {
            "auth": "oauth", "password": "", "refresh_token": REFRESH, "client_secret": CLIENT,
            "oauth_token_url": tokens.url, "oauth_client_id": "chancery",
        }  # fmt: skip
        given = fields(workspace, imap, smtp, **oauth)
        seen = [owner.post(ADD, given | {"action": "connect"})]
        given |= {"refresh_token": "", "client_secret": "", "action": "anyway"}
        seen.append(owner.post(ADD, given, follow=True))
        account = Account.objects.get()
        assert connection_of(account).secret.reveal() == "token-1"
        sync_account(account.pk)
        tokens.status, tokens.body = 400, b'{"error": "invalid_grant", "hint": "refresh-1"}'
        seen.append(owner.get(f"/admin/inbox/account/{account.pk}/change/"))
    shown = "\n".join(response.content.decode() for response in seen)
    told = "".join(capfd.readouterr()) + log.text
    secrets = (REFRESH, "refresh-1", "token-1", CLIENT)
    assert traces(shown + told + all_rows(), *secrets) == []
