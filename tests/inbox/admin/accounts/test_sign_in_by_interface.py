"""Signing in at Google for mail by its own interface, beside its mail servers."""

from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from inbox.background.jobs import run_due
from inbox.models import Account, Message, Role
from inbox.operations.accounts.connecting import try_account
from tests import factories
from tests.inbox.admin.accounts.signing_in import begin, come_back, register
from tests.inbox.syncing.mirrors import letter
from tests.machines.authorization_server import CLIENT, SECRET, authorization_server, decide
from tests.machines.google.everything import google_server
from tests.machines.google.server import ALL_MAIL, SCOPE

pytestmark = pytest.mark.django_db
MODIFY = f"{SCOPE}gmail.modify"


@pytest.fixture
def server():
    with authorization_server() as script:
        script.scopes = {ALL_MAIL, MODIFY}
        yield script


@pytest.fixture
def google(server, settings):
    with google_server() as standing_in:
        register(settings, server)
        settings.GOOGLE_ISSUER, settings.GOOGLE_API = server.issuer, standing_in.url
        settings.GOOGLE_CLIENT_ID, settings.GOOGLE_CLIENT_SECRET = CLIENT, SECRET
        standing_in.issuer = server
        yield standing_in
    assert standing_in.violations == []


@pytest.fixture
def owner(workspace):
    client = Client()
    client.force_login(factories.make_person_user(workspace, Role.OWNER, name="olga"))
    return client


def sign_in(owner, scopes=None, **fields):
    page = come_back(owner, decide(begin(owner, "google", **fields), scopes=scopes))
    assert page.status_code == 302, page.content.decode()
    return unescape(owner.get(page["Location"]).content.decode())


def test_the_page_says_which_way_is_which(google, owner):
    shown = unescape(owner.get(reverse("admin:inbox_account_add")).content.decode())
    assert "Use Google’s own interface" in shown
    assert "exactly what was approved, to the byte" in shown
    assert MODIFY in owner.get(reverse("admin:inbox_account_sign_in_help")).content.decode()


def test_mail_comes_in_by_the_interface_and_less_is_asked_for(google, owner, workspace):
    google.gmail.box.add(letter("Hello"))
    shown = sign_in(owner, by="api", workspace=workspace.pk)
    account = Account.objects.get()
    assert (account.provider, account.address) == ("gmail", google.address)
    assert account.settings["oauth_granted"] == MODIFY
    assert "smtp_host" not in account.settings
    assert "mail, by the provider's own interface" in shown
    run_due()
    assert Message.objects.get().subject == "Hello"
    assert try_account(account=account, settings=account.settings).is_sound


def test_where_sending_by_smtp_was_allowed_as_well_it_sends_by_smtp(google, owner, workspace):
    sign_in(owner, f"openid email {MODIFY} {ALL_MAIL}", by="api", workspace=workspace.pk)
    account = Account.objects.get()
    assert account.provider == "gmail"
    assert account.settings["smtp_host"]


def test_signing_in_again_stays_with_the_way_and_another_button_changes_it(
    google, owner, workspace
):
    sign_in(owner, by="api", workspace=workspace.pk)
    account = Account.objects.get()
    sign_in(owner, account=account.pk)
    account.refresh_from_db()
    assert account.provider == "gmail"
    sign_in(owner, account=account.pk, by="servers")
    account.refresh_from_db()
    assert account.provider == "imap_smtp"
    assert not {"mail_api", "api_url"} & account.settings.keys()
    sign_in(owner, account=account.pk, by="api")
    account.refresh_from_db()
    assert account.provider == "gmail"
    assert "imap_host" not in account.settings


def test_saving_the_connection_s_form_keeps_the_interface(google, owner, workspace):
    sign_in(owner, by="api", workspace=workspace.pk)
    account = Account.objects.get()
    place = reverse("admin:inbox_account_change", args=[account.pk])
    fields = {
        "auth": "oauth", "username": account.address, "imap_security": "tls",
        "smtp_security": "tls", "action": "save",
        **{key: account.settings[key] for key in ("oauth_token_url", "oauth_client_id")},
    }  # fmt: skip
    assert owner.post(place, fields).status_code == 302
    account.refresh_from_db()
    assert (account.provider, account.settings["mail_api"]) == ("gmail", "gmail")
