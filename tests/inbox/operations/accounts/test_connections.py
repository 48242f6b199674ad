"""How an account's credential is opened, and renewed by one process at a time."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from inbox.accounts.credentials import (
    CredentialError,
    Secret,
    Tokens,
    decrypt,
    decrypt_tokens,
    encrypt,
    encrypt_tokens,
)
from inbox.models import Account
from inbox.operations.accounts.connections import connection_of, mail_store_of, provider_of
from inbox.providers.base import ProviderError
from inbox.providers.mail_store import StoreError
from tests import factories
from tests.faults.imap_peer import ImapPeer
from tests.token_server import token_server

SOON, LATER = timedelta(minutes=2), timedelta(hours=1)


def make_account(workspace, url="", left=None, *, access="token-0", refresh="refresh-0"):
    """Make an account with tokens; the access token lasts for `left`."""
    ends = None if left is None else timezone.now() + left
    settings = {
        "imap_host": "imap.example.org", "auth": "oauth", "oauth_token_url": url,
        "oauth_client_id": "chancery",
    }  # fmt: skip
    tokens = Tokens(Secret(access), Secret(refresh), Secret(""), ends)
    inbox = factories.make_inbox(
        workspace, provider="imap_smtp", settings=settings, secret=encrypt_tokens(tokens)
    )
    return inbox.account


def test_a_password_is_opened_as_the_row_has_it_now(inbox):
    stale = inbox.account
    Account.objects.filter(pk=stale.pk).update(secret=encrypt("new word"), settings={"a": 1})
    found = connection_of(stale)
    assert (found.secret.reveal(), found.settings) == ("new word", {"a": 1})


def test_a_token_that_lasts_is_used_without_asking(workspace):
    account = make_account(workspace, "http://127.0.0.1:1/", LATER)
    assert connection_of(account).secret.reveal() == "token-0"


@pytest.mark.parametrize("left", [SOON, -SOON, None])
def test_a_token_that_runs_out_is_renewed_and_kept(workspace, left):
    with token_server() as server:
        account = make_account(workspace, server.url, left)
        assert connection_of(account).secret.reveal() == "token-1"
        assert connection_of(account).secret.reveal() == "token-1"
    assert len(server.asked) == 1
    account.refresh_from_db()
    assert decrypt_tokens(account.secret).refresh.reveal() == "refresh-1"
    assert account.renewing_until is None


def test_while_another_renews_the_token_that_still_lasts_will_do(workspace):
    account = make_account(workspace, "http://127.0.0.1:1/", SOON)
    Account.objects.update(renewing_until=timezone.now() + SOON)
    assert connection_of(account).secret.reveal() == "token-0"


def test_who_died_while_renewing_is_not_waited_for(workspace):
    with token_server() as server:
        account = make_account(workspace, server.url, -SOON)
        Account.objects.update(renewing_until=timezone.now() - timedelta(seconds=1))
        assert connection_of(account).secret.reveal() == "token-1"


def test_a_server_that_is_away_does_not_matter_while_the_token_lasts(workspace):
    with token_server(status=503) as server:
        account = make_account(workspace, server.url, SOON)
        assert connection_of(account).secret.reveal() == "token-0"
    account.refresh_from_db()
    assert account.renewing_until is None


def test_a_token_without_a_refresh_token_is_used_until_it_ends(workspace):
    assert connection_of(make_account(workspace, left=SOON, refresh="")).secret
    with pytest.raises(CredentialError, match="has expired"):
        connection_of(make_account(workspace, left=-SOON, refresh=""))


def test_what_cannot_be_renewed_is_a_refused_login_and_what_may_be_later_is_not(workspace):
    account = make_account(workspace, left=-SOON)
    for body, store_kind, send_kind in (
        (b'{"error": "invalid_grant"}', "login", "login"),
        (b'{"error": "temporarily_unavailable"}', "transient", "transient"),
    ):
        with token_server(status=400, body=body) as server:
            Account.objects.update(settings=account.settings | {"oauth_token_url": server.url})
            with pytest.raises(StoreError) as stored:
                mail_store_of(account)
            with pytest.raises(ProviderError) as sent:
                provider_of(account)
        assert (stored.value.kind, sent.value.kind) == (store_kind, send_kind)
        assert "127.0.0.1" in stored.value.words


@pytest.mark.django_db(transaction=True)
def test_what_somebody_typed_in_meanwhile_stays(workspace):
    def type_in(number: int) -> str:
        Account.objects.update(secret=encrypt("typed in"))
        connection.close()
        return "late"

    with token_server(names=type_in) as server:
        account = make_account(workspace, server.url, -SOON)
        assert connection_of(account).secret.reveal() == "late"
    account.refresh_from_db()
    assert decrypt(account.secret).reveal() == "typed in"


def test_the_operator_may_close_hosts_to_accounts_that_are_there(inbox, settings):
    Account.objects.update(
        provider="imap_smtp",
        settings={"imap_host": "imap.elsewhere.example"},
        secret=encrypt("word"),
    )
    settings.MAIL_HOSTS = frozenset({"*.example.org"})
    with pytest.raises(StoreError, match="operator does not allow") as caught:
        mail_store_of(inbox.account)
    assert caught.value.kind == "login"


def test_a_token_that_is_refused_before_its_time_is_renewed_once(workspace):
    refusals = iter((True, False, True, True))

    def answer(talk, usual):
        refusal = usual.split()[0] + b" NO [AUTHENTICATIONFAILED] withdrawn\r\n"
        return talk.send(refusal if next(refusals) else usual)

    with token_server() as server, ImapPeer(script={"AUTHENTICATE": answer}) as peer:
        account = make_account(workspace, server.url, LATER)
        here = {"imap_host": "127.0.0.1", "imap_port": peer.port, "imap_security": "none"}
        Account.objects.update(settings=account.settings | here)
        mail_store_of(account).close()
        assert len(server.asked) == 1
        with pytest.raises(StoreError) as caught:
            mail_store_of(account)
    assert caught.value.kind == "login"
    assert len(server.asked) == 2


def test_an_unknown_provider_says_so(workspace):
    account = factories.make_inbox(workspace, provider="pigeon").account
    with pytest.raises(ProviderError, match="no provider 'pigeon'"):
        provider_of(account)


@pytest.mark.django_db(transaction=True)
def test_no_token_is_renewed_inside_a_transaction(workspace):
    with token_server() as server:
        account = make_account(workspace, server.url, -SOON)
        with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
            connection_of(account)
    assert server.asked == []


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_renews_and_all_get_the_new_token(workspace):
    found: list[str] = []

    def ask(account: Account) -> None:
        try:
            found.append(connection_of(account).secret.reveal())
        finally:
            connection.close()

    with token_server(pause=0.3) as server:
        account = make_account(workspace, server.url, -SOON)
        threads = [threading.Thread(target=ask, args=(account,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert found == ["token-1"] * 8
    assert len(server.asked) == 1
