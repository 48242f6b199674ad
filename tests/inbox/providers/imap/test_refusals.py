"""What the answers of servers mean: those of the standard, and those the large providers give."""

import pytest

from inbox.providers.imap.failures import refusal
from inbox.providers.imap.responses import Answer
from inbox.providers.mail_store import StoreError
from tests.cases import in_one_test


@in_one_test(
    ("said", "kind"),
    [
        ("[AUTHENTICATIONFAILED] Invalid credentials (Failure)", "login"),
        ("[AUTHORIZATIONFAILED] Not yours", "login"),
        ("[EXPIRED] Password expired", "login"),
        ("[WEBALERT https://example.com] Web login required.", "login"),
        ("[ALERT] Application-specific password required (Failure)", "login"),
        ("LOGIN failed.", "login"),
        ("[ALERT] Too many simultaneous connections. (Failure)", "throttled"),
        ("[LIMIT] Maximum number of connections from user+IP exceeded", "throttled"),
        ("[THROTTLED] Account exceeded command or bandwidth limits", "throttled"),
        ("[OVERQUOTA] Account exceeded command or bandwidth limits", "throttled"),
        ("[AUTHENTICATIONFAILED] Too many login failures, try again later", "throttled"),
        ("[UNAVAILABLE] Temporary authentication failure.", "transient"),
        ("[INUSE] Mailbox is locked", "transient"),
        ("[SERVERBUG] Internal error occurred", "transient"),
        ("User is authenticated but not connected.", "transient"),
    ],
)
def test_a_login_that_is_refused(said, kind):
    assert refusal(Answer.read("NO", said.encode()), "No", "login").kind == kind


@in_one_test(
    ("said", "kind"),
    [
        ("[NONEXISTENT] Unknown Mailbox: Lamps (Failure)", "gone"),
        ("[TRYCREATE] Make it first", "gone"),
        ("Mailbox doesn't exist: Lamps", "gone"),
        ("SELECT No such mailbox", "gone"),
        ("The specified folder does not exist", "gone"),
        ("[NOPERM] Permission denied", "permanent"),
        ("[OVERQUOTA] Quota exceeded", "permanent"),
        ("[CANNOT] Invalid mailbox name", "permanent"),
        ("Could not parse command", "permanent"),
        ("", "permanent"),
        ("[", "permanent"),
    ],
)
def test_a_command_that_is_refused(said, kind):
    assert refusal(Answer.read("NO", said.encode()), "No").kind == kind


def test_how_long_to_wait_is_read():
    said = b"Request is throttled. Suggested Backoff Time: 299961 milliseconds"
    error = refusal(Answer.read("BAD", said), "No")
    assert error.kind == "throttled"
    assert error.retry_after == pytest.approx(299.961)


def test_nobody_waits_for_years():
    said = b"Throttled. Suggested Backoff Time: 999999999 seconds"
    assert refusal(Answer.read("BAD", said), "No").retry_after == 86400


def test_replies_are_short_and_printable():
    error = refusal(Answer.read("NO", b"a\x00\x1b[31m\xff" + b"x" * 100_000), "No")
    assert len(error.reply) <= 1000
    assert error.reply.isprintable()


def test_a_server_that_is_full_says_so_when_greeting(speaker):
    speaker.greeting = b"* BYE Too many connections from your address\r\n"
    with pytest.raises(StoreError) as error:
        speaker.connect()
    assert error.value.kind == "throttled"


def test_a_server_that_goes_down_in_between(says):
    store = says(b"* BYE Server shutting down\r\n")
    with pytest.raises(StoreError, match="closed the connection") as error:
        store.folders()
    assert error.value.kind == "transient"


@pytest.mark.parametrize(
    ("said", "kind"), [("[NONEXISTENT] No such mailbox", "gone"), ("Not for you", "permanent")]
)
def test_that_who_we_are_is_not_heard_hides_no_refusal(speaker, said, kind):
    def answer(line: str) -> bytes:
        if line == "credentials":
            return b"TAG OK [CAPABILITY IMAP4rev1 ID] welcome\r\n"
        if line.startswith("ID"):
            return b"TAG BAD What is that?\r\n"
        return b"TAG NO %b\r\n" % said.encode() if line.startswith("SELECT") else b"TAG OK\r\n"

    speaker.answer = answer
    store = speaker.connect()
    with pytest.raises(StoreError) as error:
        store.open("Lamps")
    assert error.value.kind == kind
    assert said in error.value.reply
