"""What a server answers stands to the letter on a German page, and our words around it in German."""

from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from agents.models import Receipt
from inbox.accounts.credentials import encrypt
from inbox.background.jobs import run_due
from inbox.models import Account, Submission, SyncState
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _
from inbox.reasons import quoted
from tests import factories, sending_tools
from tests.project.english_words import english_in
from tests.sending_tools import propose
from tests.servers import Peer

pytestmark = pytest.mark.django_db(transaction=True)
NO = "535 5.7.8 That is not the password"


@pytest.fixture
def german(workspace) -> Client:
    client = Client(headers={"accept-language": "de"})
    client.force_login(factories.make_person_user(workspace, "owner", "olga"))
    return client


def release(actor, inbox, reviewer, port: int, word: str = "") -> Submission:
    submission = propose(actor, inbox, port)
    if word:
        Account.objects.update(secret=encrypt(word))
    return sending_tools.release(submission, reviewer)


def text_of(client: Client, place: str) -> str:
    page = unescape(client.get(place).content.decode())
    assert english_in(page, given={NO}) == set()
    return page


def test_a_refused_login_is_german_around_the_server_s_words(german, actor, inbox, reviewer):
    with Peer(EHLO="250-peer\r\n250 AUTH PLAIN", AUTH=NO) as peer:
        submission = release(actor, inbox, reviewer, peer.port, "old word")
        run_due()
    account = Account.objects.get()
    assert account.sending_problem == f"127.0.0.1 refused the sign-in: {NO}"
    page = text_of(german, f"/admin/inbox/account/{account.pk}/change/")
    assert f"127.0.0.1 hat die Anmeldung abgelehnt: {NO}" in page
    submission.refresh_from_db()
    assert submission.outcome.startswith("Waiting for a working password: 127.0.0.1 refused")


def test_a_refused_message_is_german_on_its_receipt(german, actor, inbox, reviewer):
    with Peer(MAIL="554 not from you") as peer:
        release(actor, inbox, reviewer, peer.port)
        run_due()
    receipt = Receipt.objects.get(tool="submission.failed")
    assert receipt.reason == "The server refused the sender: 554 not from you"
    page = text_of(german, f"/admin/agents/receipt/{receipt.pk}/change/")
    assert "Der Server hat den Absender abgelehnt: 554 not from you" in page


def test_what_an_earlier_version_kept_is_german_though_it_was_reworded_since(german, inbox):
    account = inbox.account
    Account.objects.update(settings={"imap_host": "127.0.0.1"})
    SyncState.objects.create(
        workspace=account.workspace, account=account, status="refused", failures=1,
        words=quoted(_("The server refused the login"), "", 500), reply="NO no",
        next_at=timezone.now(),
    )  # fmt: skip
    page = text_of(german, f"/admin/inbox/account/{account.pk}/change/")
    assert "Der Server hat die Anmeldung abgelehnt" in page


def test_what_reading_met_is_german_and_what_0_2_0_wrote_is_shown_as_it_is(german, inbox):
    account = inbox.account
    Account.objects.update(settings={"imap_host": "127.0.0.1"})
    error = StoreError("login", _("The server refused the sign-in"), "NO [AUTHENTICATIONFAILED] no")
    state = SyncState.objects.create(
        workspace=account.workspace, account=account, status="refused", failures=1,
        words=quoted(error.words, "", 500), reply=error.reply, next_at=timezone.now(),
    )  # fmt: skip
    place = f"/admin/inbox/account/{account.pk}/change/"
    page = text_of(german, place)
    assert "Der Server hat die Anmeldung abgelehnt" in page
    SyncState.objects.filter(pk=state.pk).update(words="The password is not accepted.")
    assert "The password is not accepted." in german.get(place).content.decode()
