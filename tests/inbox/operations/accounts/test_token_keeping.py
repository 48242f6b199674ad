"""Tokens in a row that is no account: a server with calendars, files or to-dos."""

from datetime import UTC, datetime, timedelta

import pytest

from inbox.accounts.credentials import (
    CredentialError,
    Secret,
    Tokens,
    decrypt_tokens,
    encrypt_tokens,
)
from inbox.models import Account, RemoteSource
from inbox.operations.accounts.signing_in import disconnect_account
from inbox.operations.accounts.token_keeping import access_token, revoke_tokens, token_for
from tests import factories
from tests.machines.authorization_server import CLIENT, SECRET, Grant, authorization_server

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "mira@lantern.example"


@pytest.fixture
def server():
    with authorization_server() as script:
        script.grants.append(Grant(ADDRESS, {"https://files.example/"}, "", {}, "refresh-0"))
        yield script


def settings_of(server) -> dict[str, str]:
    return {
        "auth": "oauth", "oauth_token_url": f"{server.url}/token", "oauth_client_id": CLIENT,
        "oauth_scope": "https://files.example/", "oauth_revocation_url": f"{server.url}/revoke",
    }  # fmt: skip


@pytest.fixture
def source(server, workspace):
    """A server with files, whose access token is over."""
    past = datetime.now(UTC) - timedelta(hours=1)
    tokens = Tokens(Secret("over"), Secret("refresh-0"), Secret(SECRET), past)
    return RemoteSource.objects.create(
        workspace=workspace, account=factories.make_inbox(workspace, ADDRESS).account,
        provider="webdav", name="Files", settings=settings_of(server),
        secret=encrypt_tokens(tokens),
    )  # fmt: skip


def test_they_are_renewed_and_kept_in_it(server, source):
    token = access_token(source)
    assert server.is_good(token.reveal())
    source.refresh_from_db()
    assert decrypt_tokens(source.secret).refresh.reveal() == server.grants[0].refresh != "refresh-0"
    assert source.renewing_until is None
    # What is good is used again; what the server does not take is renewed before its time.
    assert access_token(source).reveal() == token.reveal()
    assert access_token(source, refused=token).reveal() != token.reveal()


def test_they_are_revoked(server, source):
    access_token(source)
    source.refresh_from_db()
    assert revoke_tokens(source.settings, source.secret) is True
    assert server.grants[0].ended
    assert revoke_tokens({"oauth_client_id": CLIENT}, source.secret) is None


def test_an_account_is_not_revoked_while_its_server_lives_on_the_same_grant(server, source):
    Account.objects.update(
        provider="imap_smtp", settings=settings_of(server) | {"imap_host": "imap.lantern.example"},
        secret=source.secret,
    )  # fmt: skip
    assert disconnect_account(account=Account.objects.get()) == "shared"
    assert server.calls("/revoke") == []


def test_a_token_for_other_scopes_is_not_kept_and_its_refresh_token_is(server, source):
    server.grants[0].scopes.add("https://mail.example/")
    server.scopes.add("https://files.example/")
    token = access_token(source)
    other = token_for(source, "https://mail.example/")
    assert server.is_good(other.reveal())
    assert server.calls("/token")[-1]["scope"] == "https://mail.example/"
    source.refresh_from_db()
    kept = decrypt_tokens(source.secret)
    assert (kept.access.reveal(), kept.refresh.reveal()) == (
        token.reveal(), server.grants[0].refresh
    )  # fmt: skip
    assert source.renewing_until is None
    assert access_token(source).reveal() == token.reveal()


def test_a_sign_in_that_is_over_gives_no_token_for_other_scopes(server, source):
    server.grants.clear()
    with pytest.raises(CredentialError):
        token_for(source, "https://mail.example/")
    source.refresh_from_db()
    assert source.renewing_until is None
