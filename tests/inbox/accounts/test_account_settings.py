import pytest

from inbox.accounts.account_settings import SETTINGS, check_settings, is_allowed
from inbox.errors import DomainError
from tests.cases import in_one_test

GOOD = {"imap_host": "imap.example.org", "imap_port": 993, "imap_security": "tls"}


def test_what_is_empty_is_left_out():
    assert check_settings({**GOOD, "smtp_host": "", "imap_ca_file": None}) == GOOD


@in_one_test(
    ("key", "value"),
    [
        ("imap_host", "imap example"),
        ("imap_host", "https://imap.example.org"),
        ("imap_host", "imap.example.org\r\nA1 LOGOUT"),
        ("imap_host", "a" * 254),
        ("imap_port", 0),
        ("imap_port", 65536),
        ("imap_port", "993"),
        ("imap_port", True),
        ("imap_port", 99.5),
        ("imap_security", "ssl"),
        ("imap_timeout", 601),
        ("imap_max_connections", 21),
        ("username", "mira\r\nA1 LOGOUT"),
        ("auth", "kerberos"),
        ("sent_by_server", "yes"),
        ("own_servers", "outlook"),
        ("own_servers", "10.0.0.0/8"),
        ("own_servers", "0.0.0.0/0 mail.example.org"),
        ("own_servers", ["mail.example.org"]),
        ("oauth_token_url", "http://tokens.example/"),
        ("oauth_token_url", "https://user@tokens.example/"),
        ("oauth_token_url", "file:///etc/passwd"),
        ("password", "open sesame"),
    ],
)
def test_what_cannot_be_is_refused_at_its_key(key, value):
    with pytest.raises(DomainError) as caught:
        check_settings({**GOOD, key: value})
    assert (caught.value.code, caught.value.field) == ("invalid_input", key)
    assert caught.value.accepted


def test_an_account_has_a_server():
    with pytest.raises(DomainError, match="no server"):
        check_settings({"username": "mira"})


@pytest.mark.parametrize("missing", ["oauth_token_url", "oauth_client_id"])
def test_tokens_need_an_address_and_a_client(missing):
    given = {
        **GOOD, "auth": "oauth", "oauth_token_url": "https://tokens.example/token",
        "oauth_client_id": "chancery",
    }  # fmt: skip
    assert check_settings(given) == given
    with pytest.raises(DomainError) as caught:
        check_settings({**given, missing: ""})
    assert caught.value.field == missing


def test_the_operator_says_which_hosts_may_be_reached():
    hosts = frozenset({"*.example.org", "127.0.0.1"})
    check_settings(GOOD, hosts=hosts)
    with pytest.raises(DomainError, match=r"operator does not allow.*elsewhere") as caught:
        check_settings({**GOOD, "smtp_host": "mail.elsewhere.example"}, hosts=hosts)
    assert caught.value.field == "smtp_host"


@pytest.mark.parametrize(
    ("host", "allowed"),
    [("MAIL.example.org.", True), ("example.org", False), ("evilexample.org", False)],
)
def test_a_pattern_means_what_lies_below(host, allowed):
    assert is_allowed(host, {"*.example.org"}) is allowed


def test_without_patterns_every_host_is_allowed():
    assert is_allowed("169.254.169.254", ())


def test_every_setting_says_what_it_takes():
    assert all(setting.title and setting.accepted for setting in SETTINGS.values())
