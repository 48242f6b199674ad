"""Signing in at a provider by clicking: there and back, or by a code; and what goes wrong of it."""

import re
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from inbox.accounts.credentials import Secret, Tokens, decrypt_tokens, encrypt_tokens
from inbox.background.jobs import run_due
from inbox.models import Account, RemoteSource, Role, SyncState, SyncStatus, Workspace
from inbox.operations.accounts.connections import connection_of
from inbox.operations.accounts.token_keeping import with_current_secret
from tests import factories
from tests.cases import in_one_test
from tests.faults.imap_peer import ImapPeer
from tests.faults.smtp_peer import SmtpPeer
from tests.inbox.admin.accounts.signing_in import (
    BASE,
    BEGIN,
    begin,
    come_back,
    register,
    set_up_openid,
)
from tests.machines.authorization_server import (
    CLIENT,
    OTHER_KEY,
    SECRET,
    authorization_server,
    decide,
    enter_code,
)
from tests.ports import CLOSED_PORT

pytestmark = pytest.mark.django_db
ADDRESS = "mira@lantern.example"
HELP = "/admin/inbox/account/sign-in/help/"
NOT_OURS = "belongs to no sign-in that was begun in this browser"


class GoodToken:
    """What the mail server takes for a password: an access token that is good now."""

    def __init__(self, server):
        self.server = server

    def __eq__(self, other):
        return self.server.is_good(other)

    __hash__ = None


@pytest.fixture
def server():
    with authorization_server() as script:
        yield script


@pytest.fixture
def mail(server):
    """A server for reading and one for sending, which take the tokens of the other."""
    with ImapPeer(password=GoodToken(server)) as imap, SmtpPeer() as smtp:
        yield imap, smtp


@pytest.fixture
def openid(server, settings):
    """Mail servers that do not answer: what is looked at here is the sign-in."""
    set_up_openid(settings, server)
    return server


@pytest.fixture
def owner(workspace):
    return sign_in(workspace, "olga")


def sign_in(workspace, name, role=Role.OWNER):
    client = Client()
    client.force_login(factories.make_person_user(workspace, role, name=name))
    return client


def go_through(
    client, provider="openid", *, action="allow", address=ADDRESS, scopes=None, **fields
):
    where = begin(client, provider, **fields)
    return come_back(client, decide(where, action, address, scopes))


def refusal_of(page):
    assert page.status_code == 400, page
    found = re.search(r'role="alert">\s*<p>(.*?)</p>', page.content.decode(), re.DOTALL)
    return unescape(re.sub(r"</?bdi>", "", found[1]))


def told(client, page):
    """What the page that one is led to says first."""
    assert page.status_code == 302, page.content.decode()
    shown = client.get(page["Location"])
    return unescape(shown.content.decode())


# -- a new account ---------------------------------------------------------------------------------
def test_a_sign_in_makes_an_account_that_reads_and_sends(openid, mail, settings, workspace, owner):
    imap, smtp = mail
    settings.OPENID_IMAP, settings.OPENID_SMTP = (f"127.0.0.1:{it.port} none" for it in mail)
    page = go_through(owner, workspace=workspace.pk, name="Mira")
    account = Account.objects.get(address=ADDRESS)
    shown = told(owner, page)
    assert "Signed in with Lantern ID. The mail of mira@lantern.example is coming in now." in shown
    assert "notice-warn" not in shown.partition("</main>")[0].partition("mirror")[0]
    assert account.name == "Mira"
    assert account.settings["auth"] == "oauth"
    assert account.settings["oauth_granted"] == "https://mail.example/"
    assert "AUTHENTICATE" in [command.name for command in imap.commands]
    assert any("XOAUTH2" in line or "OAUTHBEARER" in line for line in smtp.commands)
    tokens = decrypt_tokens(account.secret)
    assert openid.is_good(tokens.access.reveal())
    assert tokens.refresh.reveal() == openid.grants[0].refresh
    # What is secret of it stands nowhere as it is.
    assert tokens.refresh.reveal() not in str(account.settings)


def test_what_is_asked_is_asked_with_pkce_state_and_nonce(openid, workspace, owner):
    where = begin(owner, workspace=workspace.pk, address=ADDRESS)
    asked = dict(parse_qsl(urlsplit(where).query))
    assert asked["scope"].split() == ["openid", "email", "offline_access", "https://mail.example/"]
    assert asked["code_challenge_method"] == "S256"
    assert asked["login_hint"] == ADDRESS
    again = dict(parse_qsl(urlsplit(begin(owner, workspace=workspace.pk)).query))
    for name in ("state", "nonce", "code_challenge"):
        assert asked[name] != again[name]


def test_mail_servers_that_do_not_let_in_are_told_of_and_the_account_stays(
    openid, workspace, owner
):
    shown = told(owner, go_through(owner, workspace=workspace.pk))
    assert "Reading: 127.0.0.1 refuses port" in shown
    assert Account.objects.get(address=ADDRESS).secret


def test_it_goes_on_to_where_it_was_wanted(openid, workspace, owner):
    place = reverse("device")
    page = come_back(
        owner, decide(begin(owner, onward=f"{place}?code=BCDF", workspace=workspace.pk))
    )
    assert page["Location"] == f"{place}?code=BCDF"
    assert Account.objects.filter(address=ADDRESS).exists()


def test_an_account_that_is_connected_is_not_made_twice(openid, workspace, owner):
    go_through(owner, workspace=workspace.pk)
    before = Account.objects.get(address=ADDRESS).secret
    assert "is already connected" in refusal_of(go_through(owner, workspace=workspace.pk))
    assert Account.objects.get(address=ADDRESS).secret == before


# -- nothing half-made -----------------------------------------------------------------------------
def test_who_refuses_at_the_provider_is_told_that_nothing_changed(openid, workspace, owner):
    page = go_through(owner, action="refuse", workspace=workspace.pk)
    assert refusal_of(page) == "You did not allow it at Lantern ID. Nothing was changed."
    assert not Account.objects.exists()


def test_who_does_not_allow_mail_has_no_account(openid, workspace, owner):
    page = go_through(owner, workspace=workspace.pk, scopes="openid email")
    assert "you did not allow: reading and sending mail" in refusal_of(page)
    assert not Account.objects.exists()


def test_an_answer_does_once(openid, workspace, owner):
    back = decide(begin(owner, workspace=workspace.pk))
    first, second = come_back(owner, back), come_back(owner, back)
    assert first.status_code == 302
    assert NOT_OURS in refusal_of(second)
    # The code was shown once: a server that sees it twice would revoke what came of it.
    assert not openid.grants[0].ended
    assert Account.objects.count() == 1


def test_of_two_answers_at_once_one_is_taken(openid, workspace, owner):
    back = decide(begin(owner, workspace=workspace.pk))
    session = owner.session
    kept = dict(session.items())
    come_back(owner, back)
    # As a second request that had read the session before the first one wrote it.
    session = owner.session
    session.update(kept)
    session.save()
    assert NOT_OURS in refusal_of(come_back(owner, back))
    assert not openid.grants[0].ended


def test_two_clicks_are_two_sign_ins_and_either_may_end(openid, workspace, owner):
    first, second = (begin(owner, workspace=workspace.pk) for _ in range(2))
    assert come_back(owner, decide(first)).status_code == 302
    assert "is already connected" in refusal_of(come_back(owner, decide(second)))
    assert Account.objects.count() == 1


def test_somebody_elses_answer_is_none_of_ours(openid, workspace, owner):
    other = sign_in(workspace, "oskar")
    back = decide(begin(other, workspace=workspace.pk))
    assert NOT_OURS in refusal_of(come_back(owner, back))
    assert not Account.objects.exists()
    assert openid.calls("/token") == []
    # Whose it is may still end it.
    assert come_back(other, back).status_code == 302


def test_an_answer_comes_too_late(openid, workspace, owner, patient):
    back = decide(begin(owner, workspace=workspace.pk))
    patient["ahead"] = 1801
    assert NOT_OURS in refusal_of(come_back(owner, back))


def test_the_answer_of_one_provider_is_none_of_another(openid, settings, workspace, owner):
    settings.GOOGLE_CLIENT_ID = CLIENT
    back = decide(begin(owner, workspace=workspace.pk))
    assert NOT_OURS in refusal_of(come_back(owner, back.replace("/openid/", "/google/")))
    assert openid.calls("/token") == []


WRONG = {
    "another issuer signs": ({"lies": {"iss": "https://id.other.example"}}, "is not valid"),
    "for another client": ({"lies": {"aud": "somebody"}}, "is not valid"),
    "for another, by azp": ({"lies": {"azp": "somebody"}}, "is for someone else"),
    "of another sign-in": ({"lies": {"nonce": "n" * 43}}, "belongs to another sign-in"),
    "of none": ({"lies": {"nonce": None}}, "belongs to another sign-in"),
    "too old": ({"lies": {"exp": 1_000_000}}, "is not valid"),
    "by another key": ({"signs_with": OTHER_KEY}, "is not valid"),
    "an address nobody verified": ({"lies": {"email_verified": False}}, "has not verified"),
    "no refresh token": ({"gives_refresh": False}, "for a short time only"),
    "from another server": ({"brings": {"iss": "https://id.other.example"}}, "different provider"),
    "with no code": ({"brings": {"code": ""}}, "answered without a code"),
    "with a wrong code": ({"brings": {"code": "x"}}, "no longer accepts this sign-in"),
    "an error that nobody knows": ({"brings": {"error": "<b>"}}, "refuses the sign-in (error)"),
}


@in_one_test(("bent", "words"), WRONG.values())
def test_what_is_not_as_it_should_be_makes_nothing(bent, words, openid, workspace, owner):
    where = begin(owner, workspace=workspace.pk)
    usual = {name: getattr(openid, name) for name in bent}
    vars(openid).update(bent)
    try:
        assert words in refusal_of(come_back(owner, decide(where)))
    finally:
        vars(openid).update(usual)
    assert not Account.objects.exists()


@in_one_test(
    ("path", "fault", "words"),
    [
        ("/token", "drop", "cannot be reached"),
        ("/token", 503, "cannot do it right now"),
        ("/token", 302, "redirects elsewhere"),
        ("/token", "invalid_client", "does not accept our client"),
        ("/keys", "drop", "cannot be reached"),
        ("/keys", 500, "cannot do it right now"),
    ],
)
def test_a_server_that_breaks_makes_nothing(path, fault, words, openid, owner):
    back = decide(begin(owner, workspace=Workspace.objects.get().pk))
    openid.faults[path].append(fault)
    assert words in refusal_of(come_back(owner, back))
    assert not Account.objects.exists()


def test_a_provider_that_does_not_answer_is_told_of_at_once(openid, workspace, owner):
    openid.faults["/.well-known/openid-configuration"] += ["drop"]
    page = owner.post(BEGIN.format("openid"), {"workspace": workspace.pk})
    assert "cannot be reached" in refusal_of(page)


def test_a_provider_of_another_name_is_not_believed(openid, workspace, owner):
    openid.about["issuer"] = "https://id.other.example"
    page = owner.post(BEGIN.format("openid"), {"workspace": workspace.pk})
    assert "calls itself by another name" in refusal_of(page)


# -- who may ---------------------------------------------------------------------------------------
def test_only_owners_sign_in_for_a_workspace(openid, workspace, owner):
    elsewhere = factories.make_workspace("elsewhere")
    theirs = factories.make_inbox(elsewhere, "theirs@elsewhere.example").account
    reviewer = sign_in(workspace, "rita", Role.REVIEWER)
    assert reviewer.post(BEGIN.format("openid"), {"workspace": workspace.pk}).status_code == 403
    assert owner.post(BEGIN.format("openid"), {"workspace": elsewhere.pk}).status_code == 403
    assert owner.post(BEGIN.format("openid"), {"account": theirs.pk}).status_code == 404
    assert owner.post(BEGIN.format("openid"), {"workspace": "x"}).status_code == 403
    assert owner.post(BEGIN.format("nobody"), {"workspace": workspace.pk}).status_code == 404
    assert openid.asked == []


def test_who_had_to_sign_in_here_first_comes_back_to_a_page(openid, owner):
    """The session was over when the button was pressed: the form is gone, and a look comes back."""
    place = BEGIN.format("openid")
    sent = Client().post(place, {"workspace": 1})
    assert sent.url.endswith(f"next={place}")
    answer = owner.get(place, follow=True)
    assert (answer.status_code, "Connect an account" in answer.content.decode()) == (200, True)
    assert openid.asked == []


def test_who_is_no_owner_any_more_ends_nothing(openid, workspace, owner):
    back = decide(begin(owner, workspace=workspace.pk))
    workspace.memberships.update(role=Role.REVIEWER)
    assert come_back(owner, back).status_code == 403
    assert not Account.objects.exists()


# -- again -----------------------------------------------------------------------------------------
def test_signing_in_again_renews_the_tokens_of_the_account(openid, workspace, owner):
    go_through(owner, workspace=workspace.pk)
    account = Account.objects.get(address=ADDRESS)
    before = account.secret
    Account.objects.update(settings=account.settings | {"smtp_timeout": 7})
    page = go_through(owner, account=account.pk)
    account.refresh_from_db()
    assert "Signed in with Lantern ID" in told(owner, page)
    assert account.secret != before
    assert account.settings["smtp_timeout"] == 7
    assert openid.is_good(decrypt_tokens(account.secret).access.reveal())


def test_another_persons_account_is_not_put_in_its_place(openid, workspace, owner):
    go_through(owner, workspace=workspace.pk)
    account = Account.objects.get(address=ADDRESS)
    before = account.secret, account.settings
    page = go_through(owner, account=account.pk, address="noel@lantern.example")
    words = "You signed in as noel@lantern.example, but this account is mira@lantern.example."
    assert words in refusal_of(page)
    account.refresh_from_db()
    assert (account.secret, account.settings) == before


def test_tokens_go_to_no_server_that_somebody_typed_in_before(openid, workspace, owner):
    account = factories.make_inbox(workspace, ADDRESS).account
    typed = {"imap_host": "imap.typed.example", "imap_port": 993, "auth": "password"}
    Account.objects.filter(pk=account.pk).update(provider="imap_smtp", settings=typed)
    go_through(owner, account=account.pk)
    account.refresh_from_db()
    assert account.settings["imap_host"] == "127.0.0.1"
    assert account.settings["username"] == ADDRESS


def test_what_the_form_changes_leaves_what_the_sign_in_said(
    openid, mail, settings, workspace, owner
):
    settings.OPENID_IMAP, settings.OPENID_SMTP = (f"127.0.0.1:{it.port} none" for it in mail)
    go_through(owner, workspace=workspace.pk)
    account = Account.objects.get(address=ADDRESS)
    form = {k: v for k, v in account.settings.items() if k != "sent_by_server"}
    owner.post(
        f"/admin/inbox/account/{account.pk}/change/",
        form | {"sent_by_server": "on", "action": "save"},
    )
    account.refresh_from_db()
    assert account.settings["sent_by_server"] is True
    assert account.settings["oauth_provider"] == "openid"
    assert account.settings["oauth_revocation_url"] == f"{openid.url}/revoke"


# -- each provider's own ---------------------------------------------------------------------------
def test_google_grants_some_of_what_was_asked_and_the_page_says_so(
    server, settings, workspace, owner
):
    drive = "https://www.googleapis.com/auth/drive"
    calendar = "https://www.googleapis.com/auth/calendar"
    server.scopes = {"https://mail.google.com/", calendar, drive}
    server.lies = {"iss": "accounts.google.com"}
    register(settings, server)
    settings.GOOGLE_ISSUER = server.issuer
    settings.GOOGLE_CLIENT_ID, settings.GOOGLE_CLIENT_SECRET = CLIENT, SECRET
    settings.GOOGLE_IMAP = settings.GOOGLE_SMTP = f"127.0.0.1:{CLOSED_PORT} none"
    where = begin(owner, "google", workspace=workspace.pk, kinds=["calendars", "files"])
    asked = dict(parse_qsl(urlsplit(where).query))
    assert asked["scope"].split()[2:] == ["https://mail.google.com/", calendar, drive]
    assert asked["access_type"] == "offline"
    assert asked["include_granted_scopes"] == "true"
    page = come_back(owner, decide(where, scopes=f"openid https://mail.google.com/ {calendar}"))
    shown = told(owner, page)
    assert "Google did not grant: files." in shown
    assert re.search(r"Allowed</dt>\s*<dd>reading and sending mail, calendars</dd>", shown)
    assert re.search(r"Not allowed</dt>\s*<dd>files</dd>", shown)


def test_microsoft_has_tenants_and_a_token_for_each_resource(server, settings, workspace, owner):
    tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    mail = {
        "https://outlook.office.com/IMAP.AccessAsUser.All",
        "https://outlook.office.com/SMTP.Send",
    }
    server.scopes = mail | {"https://graph.microsoft.com/Calendars.ReadWrite"}
    server.issuer_path = "/common/v2.0"
    server.about = {
        "issuer": f"{server.url}/{{tenantid}}/v2.0", "revocation_endpoint": None,
        "authorization_response_iss_parameter_supported": False,
    }  # fmt: skip
    server.brings = {"iss": f"{server.url}/{tenant}/v2.0"}
    server.lies = {
        "iss": f"{server.url}/{tenant}/v2.0", "tid": tenant, "email": "anything@evil.example",
        "preferred_username": "Mira@Lantern.example", "email_verified": None,
    }  # fmt: skip
    register(settings, server)
    settings.MICROSOFT_LOGIN = server.url
    settings.MICROSOFT_CLIENT_ID, settings.MICROSOFT_CLIENT_SECRET = CLIENT, SECRET
    settings.MICROSOFT_IMAP = settings.MICROSOFT_SMTP = f"127.0.0.1:{CLOSED_PORT} none"
    page = go_through(owner, "microsoft", workspace=workspace.pk, kinds=["calendars"])
    assert page.status_code == 302, refusal_of(page)
    account = Account.objects.get(address=ADDRESS)
    assert set(server.calls("/token")[0]["scope"].split()) >= mail
    assert "graph" not in server.calls("/token")[0]["scope"]
    assert set(account.settings["oauth_scope"].split()) == mail | {"offline_access"}
    # Of a tenant that did not sign it nobody comes in.
    server.lies["tid"] = "x"
    assert "is not valid" in refusal_of(go_through(owner, "microsoft", account=account.pk))
    # Nothing is revoked where there is no way to, and that is said.
    page = owner.post(f"/admin/inbox/account/{account.pk}/change/", {"action": "disconnect"})
    assert "Microsoft cannot be told to revoke the access" in told(owner, page)


# -- by a code -------------------------------------------------------------------------------------
def by_code(client, provider="openid", **fields):
    page = client.post(BEGIN.format(provider), {"way": "device", **fields})
    assert page.status_code == 302, page.content.decode()
    shown = client.get(page["Location"]).content.decode()
    return page["Location"], re.search(r'device-code"><bdi>(\w+)<', shown)[1]


@pytest.fixture
def patient(monkeypatch):
    """A clock that can be set forward, for what waits between two questions."""
    clock = {"ahead": 0.0}
    real = __import__("time").time
    monkeypatch.setattr("time.time", lambda: real() + clock["ahead"])
    return clock


def test_a_code_that_is_entered_elsewhere_makes_the_account(openid, workspace, owner, patient):
    place, code = by_code(owner, workspace=workspace.pk)
    # Nobody is asked sooner than the server wants.
    assert "Waiting until" in owner.get(f"{place}state/").content.decode()
    assert openid.calls("/token") == []
    patient["ahead"] += 2
    assert "Waiting until" in owner.get(f"{place}state/").content.decode()
    assert enter_code(openid, code) == "allowed"
    patient["ahead"] += 2
    shown = owner.get(f"{place}state/").content.decode()
    account = Account.objects.get(address=ADDRESS)
    assert f'href="{reverse("admin:inbox_account_change", args=[account.pk])}"' in shown
    assert "data-refresh-url" not in shown
    # Once.
    assert "expired or was used already" in unescape(owner.get(f"{place}state/").content.decode())
    assert "expired or was used already" in refusal_of(owner.get(place))


def test_microsoft_has_codes_for_clients_without_a_secret(
    server, settings, workspace, owner, patient
):
    register(settings, server)
    server.device_is_public, server.issuer_path = True, "/common/v2.0"
    server.scopes = {
        "https://outlook.office.com/IMAP.AccessAsUser.All", "https://outlook.office.com/SMTP.Send",
        "https://graph.microsoft.com/Files.ReadWrite",
    }  # fmt: skip
    server.lies = {"preferred_username": ADDRESS}
    settings.MICROSOFT_LOGIN = server.url
    settings.MICROSOFT_CLIENT_ID, settings.MICROSOFT_CLIENT_SECRET = CLIENT, SECRET
    settings.MICROSOFT_IMAP = settings.MICROSOFT_SMTP = f"127.0.0.1:{CLOSED_PORT} none"
    place, code = by_code(owner, "microsoft", workspace=workspace.pk, kinds=["files"])
    # A token is for one resource.
    assert "graph" not in server.calls("/device")[0]["scope"]
    enter_code(server, code)
    patient["ahead"] += 2
    assert owner.post(place).status_code == 302
    tokens = decrypt_tokens(Account.objects.get(address=ADDRESS).secret)
    assert tokens.client_secret.reveal() == ""
    settings_kept = Account.objects.get(address=ADDRESS).settings
    assert with_current_secret(settings_kept, tokens).client_secret.reveal() == ""


def test_a_press_of_the_button_leads_on(openid, workspace, owner, patient):
    place, code = by_code(owner, workspace=workspace.pk)
    enter_code(openid, code)
    patient["ahead"] += 2
    assert "Signed in with Lantern ID" in told(owner, owner.post(place))


def test_a_server_that_asks_to_slow_down_is_asked_less_often(openid, workspace, owner, patient):
    place, __ = by_code(owner, workspace=workspace.pk)
    openid.faults["/token"].append("slow_down")
    patient["ahead"] += 2
    assert 'data-every="6"' in owner.get(f"{place}state/").content.decode()
    patient["ahead"] += 3
    owner.get(f"{place}state/")
    assert len(openid.calls("/token")) == 1
    # What only passes ends nothing.
    openid.faults["/token"] += ["drop", 503]
    for _ in range(2):
        patient["ahead"] += 7
        assert "Waiting until" in owner.get(f"{place}state/").content.decode()


def test_a_code_that_is_refused_or_runs_out_makes_nothing(openid, workspace, owner, patient):
    place, code = by_code(owner, workspace=workspace.pk)
    enter_code(openid, code, "refuse")
    patient["ahead"] += 2
    assert "You did not allow it" in owner.get(f"{place}state/").content.decode()
    place, code = by_code(owner, workspace=workspace.pk)
    openid.faults["/token"].append("expired_token")
    patient["ahead"] += 2
    assert "has expired before it was entered" in refusal_of(owner.post(place))
    assert not Account.objects.exists()


def test_a_code_is_shown_to_who_asked_for_it(openid, workspace, owner, patient):
    place, code = by_code(owner, workspace=workspace.pk)
    assert code not in sign_in(workspace, "oskar").get(place).content.decode()


def test_a_site_that_no_browser_is_sent_back_to_shows_a_code(openid, settings, workspace, owner):
    settings.BASE_URL = "http://chancery.example"
    page = owner.post(BEGIN.format("openid"), {"workspace": workspace.pk})
    assert page.status_code == 302
    assert "begins with https://" in owner.get(HELP).content.decode()
    # Google grants no mail to a code.
    settings.GOOGLE_CLIENT_ID, settings.GOOGLE_ISSUER = CLIENT, openid.issuer
    page = owner.post(BEGIN.format("google"), {"workspace": workspace.pk})
    assert "to serve this site by https" in refusal_of(page)


# -- renewing and disconnecting --------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
def test_tokens_are_renewed_with_the_secret_that_the_operator_has_now(
    openid, settings, workspace, owner
):
    openid.lasts = 60
    openid.client_auth = "client_secret_basic"
    go_through(owner, workspace=workspace.pk)
    account = Account.objects.get(address=ADDRESS)
    first = decrypt_tokens(account.secret)
    assert openid.is_good(connection_of(account).secret.reveal())
    account.refresh_from_db()
    second = decrypt_tokens(account.secret)
    assert second.refresh.reveal() not in ("", first.refresh.reveal())
    settings.OPENID_CLIENT_SECRET = "another"
    with pytest.raises(Exception, match="check the client"):
        connection_of(account)


def connected(openid, workspace, owner) -> tuple[Account, Tokens]:
    go_through(owner, workspace=workspace.pk)
    account = Account.objects.get(address=ADDRESS)
    return account, decrypt_tokens(account.secret)


def disconnect(owner, account, **ticked):
    given = {"action": "disconnect", **ticked}
    return told(owner, owner.post(f"/admin/inbox/account/{account.pk}/change/", given))


def test_disconnecting_revokes_at_the_provider_and_forgets_here(openid, workspace, owner):
    account, tokens = connected(openid, workspace, owner)
    shown = disconnect(owner, account)
    assert "Lantern ID has revoked the access" in shown
    assert "Nothing is read or sent. Its mail stays here." in shown
    assert openid.calls("/revoke")[0]["token"] == tokens.refresh.reveal()
    assert openid.grants[0].ended
    account.refresh_from_db()
    assert account.secret is None
    assert SyncState.objects.get(account=account).status == SyncStatus.PAUSED
    with pytest.raises(Exception, match="was disconnected"):
        connection_of(account)
    run_due()
    assert "disconnected" in unescape(owner.get("/admin/inbox/account/").content.decode())
    # Not twice; and only with a credential does it come back by the form.
    page = owner.post(f"/admin/inbox/account/{account.pk}/change/", {"action": "disconnect"})
    assert "The account is not connected." in told(owner, page)
    form = {k: v for k, v in account.settings.items() if v is not True}
    page = owner.post(f"/admin/inbox/account/{account.pk}/change/", form | {"action": "anyway"})
    assert "was disconnected: enter its credential again" in unescape(page.content.decode())
    # A new sign-in connects it again.
    go_through(owner, account=account.pk)
    account.refresh_from_db()
    assert "disconnected" not in account.settings
    assert SyncState.objects.get(account=account).status == SyncStatus.NEW


@in_one_test("fault", ["drop", 503, "invalid_client"])
def test_a_provider_that_does_not_revoke_is_named_and_the_tokens_are_forgotten(
    fault, openid, workspace, owner
):
    account, __ = connected(openid, workspace, owner)
    openid.faults["/revoke"].append(fault)
    assert "Lantern ID did not confirm that the access is revoked" in disconnect(owner, account)
    account.refresh_from_db()
    assert account.secret is None
    Account.objects.all().delete()


def test_a_grant_on_which_another_account_lives_is_not_revoked(openid, workspace, owner):
    account, __ = connected(openid, workspace, owner)
    elsewhere = factories.make_workspace("elsewhere")
    go_through(sign_in(elsewhere, "elsa"), workspace=elsewhere.pk)
    assert "Another account uses the same sign-in" in disconnect(owner, account)
    assert openid.calls("/revoke") == []


def test_a_password_is_forgotten_too(workspace, owner):
    account = factories.make_inbox(workspace, ADDRESS).account
    typed = {"smtp_host": "127.0.0.1", "smtp_port": CLOSED_PORT, "auth": "password"}
    Account.objects.filter(pk=account.pk).update(
        provider="imap_smtp", settings=typed, secret=b"sealed"
    )
    assert "The credential was deleted here" in disconnect(owner, account)
    account.refresh_from_db()
    assert account.secret is None
    reviewer = sign_in(workspace, "rita", Role.REVIEWER)
    place = f"/admin/inbox/account/{account.pk}/change/"
    assert reviewer.post(place, {"action": "disconnect"}).status_code == 403


# -- what the pages offer --------------------------------------------------------------------------
def test_the_pages_offer_what_is_set_up_and_say_how_otherwise(openid, workspace, owner, settings):
    shown = unescape(owner.get("/admin/inbox/account/add/").content.decode())
    assert "Sign in with Lantern ID" in shown
    assert "Sign in with Google" not in shown
    find = {"workspace": workspace.pk, "address": "x@gmail.com", "name": "", "preset": ""}
    shown = unescape(
        owner.post("/admin/inbox/account/add/", find | {"action": "look"}).content.decode()
    )
    assert "Sign in with Lantern ID" in shown
    settings.OPENID_CLIENT_ID = ""
    shown = unescape(owner.get("/admin/inbox/account/add/").content.decode())
    assert f'href="{HELP}"' in shown
    shown = unescape(
        owner.post("/admin/inbox/account/add/", find | {"action": "look"}).content.decode()
    )
    assert f'href="{HELP}"' in shown
    shown = unescape(owner.get(HELP).content.decode())
    assert f"{BASE}/admin/inbox/account/sign-in/google/back/" in shown
    assert sign_in(workspace, "rita", Role.REVIEWER).get(HELP).status_code == 403


def beside(account, name, **settings):
    """A server of the account that lives on its sign-in, unless its settings say otherwise."""
    return RemoteSource.objects.create(
        workspace=account.workspace, account=account, provider="caldav", name=name,
        settings=account.settings | settings, secret=account.secret,
    )  # fmt: skip


def test_servers_on_the_same_sign_in_are_disconnected_with_it_where_that_is_ticked(
    openid, workspace, owner
):
    account, _tokens = connected(openid, workspace, owner)
    beside(account, "Lantern calendars")
    beside(account, "Elsewhere", oauth_client_id="another")
    page = unescape(owner.get(f"/admin/inbox/account/{account.pk}/change/").content.decode())
    assert "uses the same sign-in: Lantern calendars. Otherwise it goes on." in page
    # Not ticked: it goes on, and so what it lives on is not revoked.
    assert "was not revoked there" in disconnect(owner, account)
    assert RemoteSource.objects.count() == 2
    assert openid.calls("/revoke") == []
    go_through(owner, account=account.pk)
    assert "has revoked the access" in disconnect(owner, account, servers="yes")
    assert [one.name for one in RemoteSource.objects.all()] == ["Elsewhere"]
    # The account's own tokens, and those of the sign-in before that the server lived on.
    assert all(grant.ended for grant in openid.grants)
    assert "uses the same sign-in" not in unescape(
        owner.get(f"/admin/inbox/account/{account.pk}/change/").content.decode()
    )


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([None, None], "has revoked the access"),
        # Google revokes all that was granted at once, and knows no other token then.
        ([None, "invalid_token"], "has revoked the access"),
        ([None, 503], "did not confirm that the access is revoked"),
        ([503, None], "did not confirm that the access is revoked"),
    ],
)
def test_a_servers_own_token_is_revoked_with_the_accounts(
    answers, said, openid, workspace, owner
):  # fmt: skip
    account, tokens = connected(openid, workspace, owner)
    own = replace(tokens, refresh=Secret("the server's own token"))
    other = beside(account, "Lantern calendars", username="mira@elsewhere.example")
    RemoteSource.objects.filter(pk=other.pk).update(secret=encrypt_tokens(own))
    openid.faults["/revoke"] = answers
    assert said in disconnect(owner, account, servers="yes")
    told_of = [asked["token"] for asked in openid.calls("/revoke")]
    assert told_of == [tokens.refresh.reveal(), "the server's own token"]
    assert not RemoteSource.objects.exists()


def test_a_servers_own_token_stays_where_another_account_lives_on_its_sign_in(
    openid, workspace, owner
):
    account, tokens = connected(openid, workspace, owner)
    beside(account, "Lantern calendars", username="mira@elsewhere.example")
    other = factories.make_inbox(workspace, "mira@elsewhere.example").account
    beside(other, "Files", oauth_client_id=account.settings["oauth_client_id"], auth="oauth")
    RemoteSource.objects.filter(name="Files").update(secret=account.secret)
    assert "was not revoked there" in disconnect(owner, account, servers="yes")
    assert [asked["token"] for asked in openid.calls("/revoke")] == [tokens.refresh.reveal()]
