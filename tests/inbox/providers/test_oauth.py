import pytest

from inbox.accounts.credentials import CredentialError, Secret, Tokens
from inbox.providers import oauth
from inbox.providers.oauth import TokenEndpoint, renew
from inbox.providers.sign_in.asking import check_url
from tests.cases import in_one_test
from tests.token_server import token_server

OLD = Tokens(Secret("token-0"), Secret("refresh-0"), Secret("client-secret"))


def endpoint(server, **more) -> TokenEndpoint:
    return TokenEndpoint(server.url, "chancery", **more)


def test_a_refresh_token_brings_new_tokens():
    with token_server() as server:
        new = renew(endpoint(server, scope="mail"), OLD)
    assert server.asked == [
        {
            "grant_type": "refresh_token", "refresh_token": "refresh-0", "client_id": "chancery",
            "client_secret": "client-secret", "scope": "mail",
        }
    ]  # fmt: skip
    assert (new.access.reveal(), new.refresh.reveal()) == ("token-1", "refresh-1")
    assert new.client_secret.reveal() == "client-secret"
    assert new.expires_at is not None


def test_a_server_that_gives_no_new_refresh_token_leaves_the_old_one():
    with token_server(rotates=False) as server:
        assert renew(endpoint(server), OLD).refresh.reveal() == "refresh-0"


@in_one_test(
    ("answer", "is_passing", "words"),
    [
        ({"status": 400, "body": b'{"error": "invalid_grant"}'}, False, "reconnect the account"),
        ({"status": 401, "body": b'{"error": "invalid_client"}'}, False, "invalid_client"),
        ({"status": 400, "body": b'{"error": "refresh-0 is bad"}'}, False, "HTTP 400"),
        ({"status": 400, "body": b"[" * 60_000}, False, "HTTP 400"),
        ({"status": 503}, True, "HTTP 503"),
        ({"status": 429}, True, "HTTP 429"),
        ({"body": b"<html>refresh-0</html>"}, True, "without a token"),
        ({"body": b'{"access_token": "a\\u0001b"}'}, True, "without a token"),
        ({"body": b"x" * 70_000}, True, "did not answer"),
    ],
)
def test_a_refusal_is_told_in_words_that_repeat_nothing(answer, is_passing, words):
    with token_server(**answer) as server, pytest.raises(CredentialError) as caught:
        renew(endpoint(server), OLD)
    assert caught.value.is_passing is is_passing
    assert words in caught.value.words
    assert "refresh-0" not in caught.value.words


@in_one_test("status", [301, 302, 303, 307, 308])
def test_tokens_are_not_sent_after_a_redirect(status):
    with token_server() as elsewhere:
        headers = {"Location": elsewhere.url}
        with (
            token_server(status=status, headers=headers) as server,
            pytest.raises(CredentialError, match="redirects elsewhere"),
        ):
            renew(endpoint(server), OLD)
    assert elsewhere.asked == []


def test_a_server_that_does_not_answer_is_given_up(monkeypatch):
    monkeypatch.setattr(oauth, "SECONDS", 0.4)
    with token_server(pause=1) as server, pytest.raises(CredentialError) as caught:
        renew(endpoint(server), OLD)
    assert caught.value.is_passing


@pytest.mark.parametrize("lasts", [-5, 10**30])
def test_a_life_that_cannot_be_is_bounded(lasts):
    with token_server(lasts=lasts) as server:
        assert renew(endpoint(server), OLD).expires_at is not None


@in_one_test(
    "url",
    [
        "http://tokens.example/", "https://", "https://a@tokens.example/", "ftp://127.0.0.1/",
        "https://tokens.example/#x", "https://tokens.example/ x", "https://t.example/" + "x" * 1000,
        "http://127.0.0.1.example/", "https://[::1", "https://t.example:99999/",
    ],
)  # fmt: skip
def test_tokens_are_sent_to_no_such_address(url):
    with pytest.raises(ValueError, match=r"\w"):
        check_url(url)


def test_an_account_without_an_address_for_tokens_says_so():
    with pytest.raises(CredentialError, match="token address"):
        TokenEndpoint.read({"oauth_client_id": "chancery"})
    with pytest.raises(CredentialError, match="https"):
        TokenEndpoint.read({"oauth_token_url": "http://x.example/", "oauth_client_id": "c"})
