"""Who may log in, how, and what a refusal says."""

import ssl
import traceback

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers import mail_store_for
from inbox.providers.base import Connection
from inbox.providers.imap.store import ImapStore
from inbox.providers.mail_store import StoreError
from tests.dovecot import run_dovecot
from tests.inbox.providers.imap.stores import store_on

WORD = "s3cret word"


@pytest.mark.services
def test_access_tokens_let_in(connect, dovecot, user):
    assert connect("tls", auth="oauth", secret=dovecot.token(user)).folders()


@pytest.mark.services
def test_xoauth2_is_used_where_there_is_nothing_newer(dovecot, user):
    token = dovecot.token(user)
    with run_dovecot(mechanisms="plain xoauth2") as server:
        with store_on(server, user, "tls", auth="oauth", secret=token) as store:
            assert store.folders()
        with pytest.raises(StoreError) as error:
            store_on(server, user, "tls", auth="oauth", secret="no token")
    assert error.value.kind == "login"


@pytest.mark.services
def test_a_token_that_ran_out_is_a_refused_login(connect, dovecot, user):
    with pytest.raises(StoreError) as error:
        connect("tls", auth="oauth", secret=dovecot.token(user, lasts=-60))
    assert error.value.kind == "login"
    assert "AUTHENTICATIONFAILED" in error.value.reply


@pytest.mark.services
def test_a_wrong_password_is_a_refused_login(connect):
    with pytest.raises(StoreError) as error:
        connect(secret=WORD)
    assert error.value.kind == "login"
    assert error.value.reply == "NO [AUTHENTICATIONFAILED] Authentication failed."


@pytest.mark.services
def test_too_many_connections_ask_us_to_slow_down(user):
    with (
        run_dovecot(connections=1) as server,
        store_on(server, user),
        pytest.raises(StoreError) as error,
    ):
        store_on(server, user)
    assert error.value.kind == "throttled"
    assert "Maximum number of connections" in error.value.reply


@pytest.mark.services
def test_the_certificate_is_checked(connect):
    for security in ("tls", "starttls"):
        with pytest.raises(StoreError, match="cannot be trusted") as error:
            connect(security, imap_ca_file=None)
        assert error.value.kind == "permanent"
    with pytest.raises(StoreError, match="imap_ca_file cannot be read"):
        connect("tls", imap_ca_file="/nowhere.pem")


@pytest.mark.services
def test_the_name_in_the_certificate_is_checked(connect):
    with pytest.raises(StoreError, match="cannot be trusted"):
        connect("tls", imap_host="localhost")


def test_starttls_that_is_not_offered_ends_it_before_the_password(speaker):
    with pytest.raises(StoreError, match="does not offer STARTTLS") as error:
        speaker.connect(imap_security="starttls")
    assert error.value.kind == "permanent"
    assert speaker.lines == []


def test_starttls_that_is_refused_ends_it_before_the_password(speaker):
    speaker.greeting = b"* OK [CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN] hello\r\n"
    speaker.answer = lambda line: b"TAG NO not today\r\n"
    with pytest.raises(StoreError, match="refused STARTTLS"):
        speaker.connect(imap_security="starttls")
    assert speaker.lines == ["c1 STARTTLS"]


def test_words_smuggled_in_before_tls_end_it(speaker):
    speaker.greeting = b"* OK [CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN] hello\r\n"
    speaker.answer = lambda line: b"TAG OK go on\r\n* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n"
    with pytest.raises(StoreError, match="spoke on in the clear"):
        speaker.connect(imap_security="starttls")
    assert speaker.lines == ["c1 STARTTLS"]


@pytest.mark.parametrize("security", ["none", "starttls"])
def test_being_let_in_without_a_login_is_refused(speaker, security):
    speaker.greeting = b"* PREAUTH [CAPABILITY IMAP4rev1 STARTTLS] welcome\r\n"
    with pytest.raises(StoreError, match="lets anyone in without a password"):
        speaker.connect(imap_security=security)
    assert speaker.lines == []


def test_a_password_goes_in_the_clear_to_this_machine_only(speaker, monkeypatch):
    monkeypatch.setattr(
        "inbox.providers.imap.connection.ImapConnection.peer", property(lambda _: "192.0.2.7")
    )
    with pytest.raises(StoreError, match="over TLS only"):
        speaker.connect()
    assert speaker.lines == []


def test_login_is_used_where_there_is_no_plain(speaker):
    speaker.greeting = b"* OK [CAPABILITY IMAP4rev1] hello\r\n"
    speaker.connect('a "b" \\c', username="mira").close()
    assert speaker.lines[0] == 'c1 LOGIN "mira" "a \\"b\\" \\\\c"'


@pytest.mark.parametrize("secret", ["pass\r\nc2 DELETE INBOX", "päss", "a\0b"])
def test_a_password_that_login_cannot_carry_is_refused(speaker, secret):
    speaker.greeting = b"* OK [CAPABILITY IMAP4rev1] hello\r\n"
    with pytest.raises(StoreError) as error:
        speaker.connect(secret)
    assert error.value.kind == "login"
    assert speaker.lines == []


def test_any_password_goes_by_plain(speaker):
    speaker.connect("päss\r\nword").close()
    assert speaker.lines[0] == "c1 AUTHENTICATE PLAIN"


def test_disabled_logins_are_permanent(speaker):
    speaker.greeting = b"* OK [CAPABILITY IMAP4rev1 LOGINDISABLED] hello\r\n"
    with pytest.raises(StoreError, match="offers no sign-in method we support"):
        speaker.connect()


def test_no_password_is_a_refused_login(speaker):
    with pytest.raises(StoreError, match="no password") as error:
        speaker.connect("")
    assert error.value.kind == "login"


def test_a_server_that_repeats_the_password_is_not_quoted(speaker):
    speaker.greeting = b"* OK [CAPABILITY IMAP4rev1] hello\r\n"
    said = f"TAG BAD what is LOGIN mira {WORD.upper()}?\r\n".encode()
    speaker.answer = lambda line: b"* OK [ALERT] your word is s3cret WORD\r\n" + said
    with pytest.raises(StoreError) as error:
        speaker.connect(WORD)
    assert WORD.upper() not in error.value.reply
    shown = "".join(traceback.format_exception(error.value))
    assert WORD not in shown.lower()


def test_a_server_that_repeats_the_encoded_password_is_not_quoted(speaker):
    def answer(line):
        return b"TAG NO what is %b?\r\n" % speaker.lines[-1].encode()

    speaker.answer = answer
    with pytest.raises(StoreError) as error:
        speaker.connect(WORD)
    assert error.value.reply == "NO"


def test_what_the_server_wants_people_to_read_is_kept(speaker):
    speaker.answer = lambda line: (
        b"* OK [ALERT] Your quota is nearly used\r\nTAG OK [CAPABILITY IMAP4rev1] in\r\n"
    )
    store = speaker.connect()
    for _ in range(20):
        store.folders()
    assert store.alerts == ["Your quota is nearly used"] * 10


def test_settings_that_cannot_be_used_are_named(speaker):
    for name, value in (
        ("imap_security", "ssl"), ("imap_host", "a b"), ("imap_port", 70000), ("imap_port", "993"),
        ("imap_timeout", -1), ("imap_timeout", True), ("auth", "ntlm"),
    ):  # fmt: skip
        with pytest.raises(StoreError, match=name) as error:
            speaker.connect(**{name: value})
        assert error.value.kind == "permanent"


def test_an_account_without_a_server_has_no_store():
    with pytest.raises(StoreError, match="is stored nowhere else"):
        mail_store_for("imap_smtp", Connection("mira@lantern.example", {}, Secret("x")))


def test_nobody_answers():
    settings = {"imap_host": "127.0.0.1", "imap_port": 1, "imap_security": "none"}
    with pytest.raises(StoreError, match="refused") as error:
        ImapStore.connect(Connection("mira@lantern.example", settings, Secret("x")))
    assert error.value.kind == "transient"


def test_a_server_that_speaks_no_tls(speaker):
    with pytest.raises(StoreError, match="TLS failed") as error:
        speaker.connect(imap_security="tls")
    assert error.value.kind == "transient"
    assert isinstance(error.value.__cause__, ssl.SSLError)
