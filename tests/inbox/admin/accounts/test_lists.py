"""Connecting an account in the browser, and its page: what is shown, kept, refused and tried out."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from inbox.accounts.credentials import Secret, Tokens, decrypt, decrypt_tokens
from inbox.models import Account, Job, RemoteFolder, RemoteMessage, Role, SyncState, SyncStatus
from inbox.operations.accounts.connecting import connect_account
from inbox.syncing.scheduling import JOB
from tests import factories
from tests.ports import CLOSED_PORT
from tests.servers import smtp_sink
from tests.token_server import token_server

pytestmark = pytest.mark.django_db
ADD = "/admin/inbox/account/add/"
WORD = "open sesame"
NO_TOKENS = {"refresh_token": "", "access_token": "", "client_secret": ""}


def sign_in(workspace, role: str) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


@pytest.fixture
def owner(workspace) -> Client:
    return sign_in(workspace, Role.OWNER)


@pytest.fixture
def viewer(workspace) -> Client:
    return sign_in(workspace, Role.VIEWER)


@pytest.fixture
def sink():
    with smtp_sink(auth_require_tls=False) as (sink, port):
        yield sink, port


def whose(workspace, **changes):
    return {
        "workspace": workspace.pk, "address": "Sales@Lantern.example", "name": "Sales",
        "preset": "", "action": "look", **changes,
    }  # fmt: skip


def reached(port=CLOSED_PORT, **changes):
    """Only sending, through a server on this machine."""
    return {
        "imap_host": "", "imap_port": "", "imap_security": "tls", "smtp_host": "127.0.0.1",
        "smtp_port": str(port), "smtp_security": "none", "username": "sales", "auth": "password",
        "password": WORD, "oauth_token_url": "", "oauth_client_id": "", "oauth_scope": "",
        **NO_TOKENS, **changes,
    }  # fmt: skip


def text(response) -> str:
    return response.content.decode()


def place(account) -> str:
    return f"/admin/inbox/account/{account.pk}/change/"


def connected(workspace, port=CLOSED_PORT, **settings) -> Account:
    """An account that only sends, with its password."""
    return connect(
        workspace, smtp_host="127.0.0.1", smtp_port=port, smtp_security="none", **settings
    )


def connect(workspace, **settings) -> Account:
    return connect_account(
        workspace=workspace, address="sales@lantern.example", settings=settings,
        credential=Secret(WORD),
    )  # fmt: skip


# -- connecting --------------------------------------------------------------------------------


def test_a_known_provider_is_found_by_the_address(owner, workspace):
    response = owner.post(ADD, whose(workspace, address="mira@gmail.com"))
    assert "app password" in text(response)
    assert response.context["form"]["imap_host"].value() == "imap.gmail.com"
    assert 'href="https://myaccount.google.com/apppasswords"' in text(response)


def test_a_provider_is_chosen_for_a_domain_of_ones_own(owner, workspace):
    response = owner.post(ADD, whose(workspace, preset="microsoft365"))
    form = response.context["form"]
    assert form["imap_host"].value() == "outlook.office365.com"
    assert form["auth"].value() == "oauth"


def test_the_servers_of_other_domains_are_guessed(owner, workspace):
    response = owner.post(ADD, whose(workspace))
    assert "not in our list" in text(response)
    assert response.context["form"]["smtp_host"].value() == "smtp.lantern.example"


@pytest.mark.parametrize("address", ["", "sales", "sales@lantern.example\r\nBcc: x@y.example"])
def test_what_is_no_address_is_refused_at_its_field(owner, workspace, address):
    response = owner.post(ADD, whose(workspace, address=address))
    assert "address" in response.context["form"].errors


def test_an_address_is_connected_once(owner, workspace):
    connected(workspace)
    response = owner.post(ADD, whose(workspace))
    assert "is already connected" in text(response)


@pytest.mark.parametrize("action", ["connect", "anyway"])
def test_a_form_that_is_sent_twice_connects_once_and_leads_to_the_account(
    owner, workspace, sink, action
):
    given = whose(workspace, action=action) | reached(sink[1])
    first, second = (owner.post(ADD, given) for _time in range(2))
    assert second["Location"] == first["Location"] == place(Account.objects.get())
    assert "is already connected" in text(owner.get(second["Location"]))


def test_an_account_without_a_server_is_made_once_by_two_clicks(owner, workspace):
    first, second = (owner.post(ADD, whose(workspace, preset="local")) for _time in range(2))
    assert second["Location"] == first["Location"]
    # One that is at a server is something else.
    connect_account(
        workspace=workspace, address="other@lantern.example", credential=Secret(WORD),
        settings={"smtp_host": "127.0.0.1", "smtp_port": CLOSED_PORT, "smtp_security": "none"},
    )  # fmt: skip
    answer = owner.post(ADD, whose(workspace, address="other@lantern.example", preset="local"))
    assert "is already connected" in text(answer)


def test_an_account_without_a_server_keeps_its_mail_here(owner, workspace):
    response = owner.post(ADD, whose(workspace, preset="local"))
    made = Account.objects.get(address="sales@lantern.example")
    assert response["Location"] == place(made)
    assert (made.provider, made.secret) == ("local", None)
    assert "stays on this server" in text(owner.get(place(made)))


def test_connecting_tries_first_and_keeps_what_works(owner, workspace, sink):
    server, port = sink
    response = owner.post(ADD, whose(workspace, action="connect") | reached(port))
    made = Account.objects.get(address="sales@lantern.example")
    assert response["Location"] == place(made)
    assert server.logins == [("sales", WORD)]
    assert server.taken == []
    assert decrypt(made.secret).reveal() == WORD
    assert made.settings == {
        "smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none", "username": "sales",
        "auth": "password", "sent_by_server": False,
    }  # fmt: skip
    assert made.inboxes.count() == made.identities.count() == 1


def test_what_does_not_work_is_not_kept_unless_it_is_wanted_anyway(owner, workspace):
    fields = whose(workspace, action="connect") | reached(CLOSED_PORT)
    response = owner.post(ADD, fields)
    assert f"127.0.0.1 refuses port {CLOSED_PORT}" in text(response)
    assert "Connect anyway" in text(response)
    assert not Account.objects.exists()
    owner.post(ADD, fields | {"action": "anyway"})
    assert decrypt(Account.objects.get().secret).reveal() == WORD


def test_a_password_is_typed_but_once_and_stands_on_no_page(owner, workspace, sink):
    port = sink[1]
    fields = whose(workspace, action="test")
    tested = owner.post(ADD, fields | reached(CLOSED_PORT))
    assert WORD not in text(tested)
    assert WORD not in str(dict(owner.session))
    again = owner.post(ADD, fields | reached(port, password=""))
    assert "Sending works" in text(again)
    owner.post(ADD, fields | reached(port, password="", action="connect"))
    assert decrypt(Account.objects.get().secret).reveal() == WORD
    assert "typed_credential" not in owner.session


def test_what_was_typed_for_one_address_is_not_used_for_another(owner, workspace, sink):
    server, port = sink
    owner.post(ADD, whose(workspace, action="test") | reached(port))
    fields = whose(workspace, action="test", address="other@lantern.example")
    owner.post(ADD, fields | reached(port, password=""))
    assert len(server.logins) == 1


def test_a_login_that_is_refused_says_what_to_do(owner, workspace, sink):
    fields = whose(workspace, action="test") | reached(sink[1], password="wrong")
    response = owner.post(ADD, fields)
    assert "refuses the sign-in" in text(response)
    assert "Check the user name and the password" in text(response)


def test_an_account_with_tokens_renews_them_before_it_is_tried(owner, workspace, sink):
    with token_server(names="new-{}".format) as server:
        oauth = {
            "auth": "oauth", "password": "", "refresh_token": "refresh-0",
            "oauth_token_url": server.url, "oauth_client_id": "chancery",
        }  # fmt: skip
        fields = whose(workspace, action="connect") | reached(sink[1], **oauth)
        response = owner.post(ADD, fields)
        assert "offers no sign-in method we support" in text(response)
        owner.post(ADD, fields | {"refresh_token": "", "action": "anyway"})
    assert len(server.asked) == 1
    kept: Tokens = decrypt_tokens(Account.objects.get().secret)
    assert (kept.access.reveal(), kept.refresh.reveal()) == ("new-1", "refresh-1")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"smtp_host": "https://mail.example"}, "smtp_host"),
        ({"smtp_port": "70000"}, "smtp_port"),
        ({"smtp_security": "ssl"}, "smtp_security"),
        ({"smtp_host": ""}, "imap_host"),
        ({"password": "a\x00b"}, "password"),
        ({"auth": "oauth"}, "oauth_token_url"),
        ({"auth": "oauth", "refresh_token": "two words"}, "refresh_token"),
        ({"username": "a\nb"}, "username"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(owner, workspace, changes, field):
    response = owner.post(ADD, whose(workspace, action="connect") | reached(**changes))
    assert field in response.context["form"].errors
    assert not Account.objects.exists()


def test_the_operator_says_where_accounts_may_lead(owner, workspace, settings):
    settings.MAIL_HOSTS = frozenset({"*.example.org"})
    response = owner.post(ADD, whose(workspace, action="test") | reached())
    assert "operator does not allow" in text(response)


def test_nobody_connects_into_a_workspace_of_others(owner, viewer, workspace):
    other = factories.make_workspace()
    response = owner.post(ADD, whose(other, action="anyway") | reached())
    assert "workspace" in response.context["form"].errors
    assert viewer.post(ADD, whose(workspace, action="anyway") | reached()).status_code == 403
    assert not Account.objects.exists()


# -- its page ----------------------------------------------------------------------------------


@pytest.fixture
def account(workspace) -> Account:
    return connect(workspace, imap_host="127.0.0.1", imap_port=CLOSED_PORT, imap_security="none")


def stand(account, status, **fields) -> None:
    SyncState.objects.filter(account=account).update(status=status, **fields)


@pytest.mark.parametrize("status", SyncStatus.values)
def test_the_page_says_how_the_mirror_does(viewer, account, status):
    stand(account, status, words="The <b>login</b>", reply="NO [X] <i>no</i>", total=80, done=30)
    for response in (viewer.get(place(account)), viewer.get("/admin/inbox/account/")):
        assert response.status_code == 200
        assert "<b>login" not in text(response)
    shown = text(viewer.get(place(account)))
    assert "The &lt;b&gt;login" in shown
    assert ("<progress" in shown) is (status in {"first", "new"})
    assert "Sync now" not in shown
    assert 'type="password"' not in shown


def test_the_page_reads_its_state_anew(viewer, account):
    RemoteFolder.objects.create(
        account=account, mailbox=account.inboxes.get().mailboxes.first(), name="INBOX/<b>",
        messages=7,
    )  # fmt: skip
    assert "INBOX/&lt;b&gt;" in text(viewer.get(place(account)))
    part = viewer.get(f"/admin/inbox/account/{account.pk}/mirror/")
    assert 'id="mirror"' in text(part)
    assert "<html" not in text(part)


def test_what_could_not_be_stored_is_told(viewer, account):
    assert "Not imported" not in text(viewer.get(place(account)))
    folder = RemoteFolder.objects.create(
        account=account, mailbox=account.inboxes.get().mailboxes.first(), name="INBOX"
    )
    RemoteMessage.objects.create(folder=folder, uid=7, problem="It has <no> header.")
    shown = text(viewer.get(place(account)))
    assert "Not imported" in shown
    assert "It has &lt;no&gt; header." in shown


def test_the_page_of_others_is_not_there(account):
    stranger = sign_in(factories.make_workspace(), Role.OWNER)
    assert stranger.get(f"/admin/inbox/account/{account.pk}/mirror/").status_code == 404
    assert stranger.post(place(account), {"action": "pause"}).status_code == 302
    assert SyncState.objects.get().status == SyncStatus.NEW


def test_it_is_paused_and_goes_on(owner, account):
    owner.post(place(account), {"action": "pause"})
    state = SyncState.objects.get()
    assert (state.status, state.next_at) == (SyncStatus.PAUSED, None)
    response = owner.post(place(account), {"action": "sync"}, follow=True)
    assert "It is paused. Resume it first." in text(response)
    assert re.search(r'value="resume">\s*Resume', text(response))
    response = owner.post(place(account), {"action": "resume"}, follow=True)
    assert "Checking now." in text(response)
    state.refresh_from_db()
    assert state.status == SyncStatus.NEW
    assert state.next_at is not None


def test_a_time_to_undo_is_no_longer_than_every_database_keeps(owner, account):
    given = {"action": "mail_settings", "name": "Sales", "authserv_id": ""}
    refused = owner.post(place(account), given | {"undo_seconds": "1000000000000"})
    assert "32767" in str(refused.context["mail_settings"].errors["undo_seconds"])
    owner.post(place(account), given | {"undo_seconds": "32767"})
    account.refresh_from_db()
    assert account.undo_seconds == 32_767


def test_a_reviewer_has_it_looked_at_and_does_no_more(workspace, account):
    reviewer = sign_in(workspace, Role.REVIEWER)
    stand(account, SyncStatus.LOGIN_REFUSED, next_at=None)
    jobs = Job.objects.filter(kind=JOB).count()
    assert reviewer.post(place(account), {"action": "sync"}).status_code == 302
    assert Job.objects.filter(kind=JOB).count() == jobs + 1
    for action in ("pause", "resume", "save", "test", "mail_settings", "anything"):
        assert reviewer.post(place(account), {"action": action}).status_code == 403


def test_a_new_password_brings_a_refused_account_back(owner, workspace, sink):
    port = sink[1]
    account = connected(
        workspace, port, imap_host="127.0.0.1", imap_port=CLOSED_PORT, imap_security="none"
    )
    stand(account, SyncStatus.LOGIN_REFUSED, words="refused", failures=3)
    fields = reached(port, imap_host="127.0.0.1", imap_port=str(CLOSED_PORT), imap_security="none")
    response = owner.post(place(account), fields | {"password": "new word", "action": "save"})
    assert "Save anyway" in text(response)
    owner.post(place(account), fields | {"password": "", "action": "anyway"})
    account.refresh_from_db()
    assert decrypt(account.secret).reveal() == "new word"
    state = SyncState.objects.get()
    assert (state.status, state.words, state.failures) == (SyncStatus.NEW, "", 0)
    assert state.next_at is not None


def test_an_account_that_may_not_send_says_so_and_a_test_that_works_lets_it_go_on(
    owner, workspace, sink
):
    account = connected(workspace, sink[1], username="sales")
    Account.objects.update(
        sending_resumes_at=timezone.now() + timedelta(hours=2), sending_failures=2,
        sending_problem="It refused the sign-in: 535 <b>no</b>",
    )  # fmt: skip
    shown = text(owner.get(place(account)))
    assert "Mail cannot be sent: the server refuses the sign-in" in shown
    assert "535 &lt;b&gt;no" in shown
    # Nothing waits, and so nothing is tried until something does.
    assert "The next automatic try is in" not in shown
    assert "The next approved message also waits and is tried in" in shown
    owner.post(place(account), reached(sink[1], password="", action="test"))
    account.refresh_from_db()
    assert (account.sending_resumes_at, account.sending_problem) == (None, "")
    assert "Nothing is sent" not in text(owner.get(place(account)))


def test_a_kept_password_is_tried_but_never_sent_to_another_server(owner, workspace, sink):
    server, port = sink
    account = connected(workspace, port, username="sales")
    fields = reached(port, password="", action="test")
    assert "Sending works" in text(owner.post(place(account), fields))
    for action in ("test", "save", "anyway"):
        elsewhere = fields | {"smtp_host": "localhost", "action": action}
        response = owner.post(place(account), elsewhere)
        assert "enter the credential for it again" in text(response)
    assert len(server.logins) == 1
    account.refresh_from_db()
    assert account.settings["smtp_host"] == "127.0.0.1"


def test_the_servers_whose_unnamed_results_count_are_set(owner, workspace, sink):
    account = connected(workspace, sink[1])
    fields = reached(sink[1], action="anyway", own_servers=" mail.x.example  192.0.2.0/24 ")
    owner.post(place(account), fields)
    account.refresh_from_db()
    assert account.settings["own_servers"] == "mail.x.example  192.0.2.0/24"
    assert 'value="mail.x.example  192.0.2.0/24"' in text(owner.get(place(account)))
    refused = text(owner.post(place(account), fields | {"own_servers": "everything"}))
    assert "up to 20 domains and networks separated by spaces, such as mail" in refused
    owner.post(place(account), fields | {"own_servers": ""})
    account.refresh_from_db()
    assert "own_servers" not in account.settings


def test_the_word_of_a_known_providers_servers_is_offered_and_taken_with_one_click(
    owner, viewer, workspace, sink
):
    account = connected(workspace, sink[1])
    offer = "Sender checks are not set up"
    assert offer not in text(owner.get(place(account)))
    # As it was connected before these servers were known.
    Account.objects.update(settings={**account.settings, "imap_host": "outlook.office365.com"})
    shown = text(owner.get(place(account)))
    assert offer in shown
    assert "Microsoft" in shown or "Outlook" in shown
    assert offer not in text(viewer.get(place(account)))
    assert viewer.post(place(account), {"action": "own_servers"}).status_code == 403
    done = text(owner.post(place(account), {"action": "own_servers"}, follow=True))
    assert "Mail already here stays unchecked." in done
    assert offer not in done
    account.refresh_from_db()
    assert "outlook.com" in account.settings["own_servers"].split()
    # What was typed since, and a second click, change nothing.
    Account.objects.update(settings={**account.settings, "own_servers": "mx.x.example"})
    owner.post(place(account), {"action": "own_servers"})
    account.refresh_from_db()
    assert account.settings["own_servers"] == "mx.x.example"


def test_who_named_another_server_is_not_offered_the_providers(owner, workspace, sink):
    account = connected(workspace, sink[1])
    microsoft = {**account.settings, "imap_host": "outlook.office365.com"}
    Account.objects.update(settings=microsoft, authserv_id="filter.lantern.example")
    assert "Sender checks are not set up" not in text(owner.get(place(account)))
    owner.post(place(account), {"action": "own_servers"})
    account.refresh_from_db()
    assert "own_servers" not in account.settings


def test_what_only_operators_set_stays(owner, workspace, sink):
    account = connected(workspace, sink[1], smtp_ca_file="/etc/ca.pem", smtp_timeout=5)
    fields = reached(sink[1], action="anyway", smtp_ca_file="/etc/shadow")
    owner.post(place(account), fields)
    account.refresh_from_db()
    assert account.settings["smtp_ca_file"] == "/etc/ca.pem"
    assert account.settings["smtp_timeout"] == 5


def test_without_a_server_to_read_from_it_only_sends(owner, account, sink):
    owner.post(place(account), reached(sink[1], action="save"))
    assert not SyncState.objects.exists()
    assert "It only sends" in text(owner.get(place(account)))


def test_its_letters_are_set(owner, account):
    given = {
        "action": "mail_settings",
        "name": "Desk",
        "undo_seconds": "30",
        "authserv_id": "mx.x.example",
    }
    owner.post(place(account), given)
    account.refresh_from_db()
    assert (account.name, account.undo_seconds) == ("Desk", 30)
    response = owner.post(place(account), given | {"undo_seconds": "-1"})
    assert "undo_seconds" in response.context["mail_settings"].errors
    account.refresh_from_db()
    assert account.undo_seconds == 30
