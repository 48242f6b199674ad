"""Signing in at Microsoft for mail by Graph: read there, and sent by SMTP where that lets us in."""

from html import unescape

import pytest
from django.test import Client

from inbox.actor import system_actor
from inbox.background.jobs import run_due
from inbox.models import Account, Message, Role, Submission
from inbox.operations.accounts.connecting import try_account
from tests import factories, sending_tools
from tests.faults.smtp_peer import SmtpPeer
from tests.inbox.admin.accounts.signing_in import begin, come_back, register
from tests.inbox.syncing.mirrors import letter
from tests.machines.authorization_server import CLIENT, SECRET, authorization_server, decide
from tests.machines.graph.server import ADDRESS, GRAPH, graph_server
from tests.ports import CLOSED_PORT

pytestmark = pytest.mark.django_db
OUTLOOK = "https://outlook.office.com/"
MAIL = {f"{GRAPH}Mail.ReadWrite", f"{GRAPH}Mail.Send"}
SMTP = f"{OUTLOOK}SMTP.Send"


@pytest.fixture
def server():
    with authorization_server() as script:
        script.scopes = {*MAIL, SMTP, f"{OUTLOOK}IMAP.AccessAsUser.All"}
        script.issuer_path = "/common/v2.0"
        tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
        script.about = {"issuer": f"{script.url}/{{tenantid}}/v2.0"}
        script.brings = {"iss": f"{script.url}/{tenant}/v2.0"}
        script.lies = {
            "iss": f"{script.url}/{tenant}/v2.0", "tid": tenant, "preferred_username": ADDRESS,
        }  # fmt: skip
        yield script


@pytest.fixture
def graph(server, settings):
    with graph_server() as standing_in:
        standing_in.add_account()
        register(settings, server)
        settings.MICROSOFT_LOGIN, settings.MICROSOFT_API = server.url, standing_in.url
        settings.MICROSOFT_CLIENT_ID, settings.MICROSOFT_CLIENT_SECRET = CLIENT, SECRET
        settings.MICROSOFT_IMAP = settings.MICROSOFT_SMTP = f"127.0.0.1:{CLOSED_PORT} none"
        standing_in.issuer = server
        yield standing_in


@pytest.fixture
def smtp(graph, settings):
    with SmtpPeer() as peer:
        settings.MICROSOFT_SMTP = f"127.0.0.1:{peer.port} none"
        yield peer


@pytest.fixture
def owner(workspace):
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.OWNER, name="olga"))
    return client


def sign_in(owner, **fields):
    page = come_back(owner, decide(begin(owner, "microsoft", **fields)))
    assert page.status_code == 302, page.content.decode()
    return unescape(owner.get(page["Location"]).content.decode())


def test_what_is_asked_for_and_which_token_is_for_what(server, graph, smtp, owner, workspace):
    where = unescape(begin(owner, "microsoft", by="api", workspace=workspace.pk))
    assert all(scope.rpartition("/")[2] in where for scope in (*MAIL, SMTP))
    assert "IMAP" not in where
    come_back(owner, decide(where))
    account = Account.objects.get(address=ADDRESS)
    asked = [set(call["scope"].split()) for call in server.calls("/token")]
    assert asked[0] >= MAIL
    assert SMTP not in asked[0]
    assert asked[1] == {SMTP, "offline_access"}
    assert set(account.settings["oauth_scope"].split()) == {*MAIL, "offline_access"}


def test_mail_comes_in_by_graph_and_is_sent_by_smtp(graph, smtp, owner, workspace):
    graph.boxes[ADDRESS].mail.arrive(letter("Hello"))
    sign_in(owner, by="api", workspace=workspace.pk)
    account = Account.objects.get(address=ADDRESS)
    assert account.provider == "graph_mail"
    assert account.settings["smtp_host"] == "127.0.0.1"
    run_due()
    assert Message.objects.get().subject == "Hello"
    assert try_account(account=account, settings=account.settings).is_sound


def test_what_is_sealed_leaves_by_smtp_to_the_byte(graph, smtp, owner, workspace, reviewer):
    sign_in(owner, by="api", workspace=workspace.pk)
    account = Account.objects.get(address=ADDRESS)
    kept = {"provider": account.provider, "settings": account.settings, "undo_seconds": 0}
    actor = system_actor(workspace.pk, "tests")
    submission = sending_tools.propose(actor, account.inboxes.get())
    Account.objects.filter(pk=account.pk).update(**kept)
    submission.account.refresh_from_db()
    smtp.whole.clear()
    sending_tools.release(submission, reviewer)
    run_due()
    submission = Submission.objects.get()
    assert submission.state == "sent"
    assert [whole.content for whole in smtp.whole] == [submission.mime_bytes]
    assert graph.boxes[ADDRESS].mail.left == []


def test_where_smtp_lets_nobody_in_graph_sends(graph, owner, workspace):
    shown = sign_in(owner, by="api", workspace=workspace.pk)
    account = Account.objects.get(address=ADDRESS)
    assert account.provider == "graph_mail"
    assert not {"smtp_host", "oauth_smtp_scope"} & account.settings.keys()
    assert "The mail of mira@lantern.example is coming in now." in shown
    assert try_account(account=account, settings=account.settings).is_sound


def test_another_button_changes_the_way(graph, smtp, owner, workspace):
    sign_in(owner, by="api", workspace=workspace.pk)
    account = Account.objects.get(address=ADDRESS)
    sign_in(owner, account=account.pk)
    account.refresh_from_db()
    assert account.provider == "graph_mail"
    sign_in(owner, account=account.pk, by="servers")
    account.refresh_from_db()
    assert account.provider == "imap_smtp"
    assert not {"mail_api", "api_url", "oauth_smtp_scope"} & account.settings.keys()
