"""The scripted peers themselves, held against the clients of others."""

import imaplib
import smtplib
import socket
from collections import deque
from contextlib import suppress

import pytest
from imapclient import IMAPClient

from tests.faults.imap_peer import ImapPeer
from tests.faults.scripted import after, cut, drop, nth, split
from tests.faults.smtp_peer import SmtpPeer

LETTER = b"Message-ID: <1@peer>\r\nSubject: One\r\n\r\nHello\r\n"


def letter(number: int) -> bytes:
    return LETTER.replace(b"<1@", b"<%d@" % number)


@pytest.fixture
def peer():
    with ImapPeer() as peer:
        for number in range(1, 6):
            peer.add("INBOX", letter(number), ("\\Seen",) if number < 3 else ())
        yield peer


@pytest.fixture
def client(peer):
    with IMAPClient("127.0.0.1", peer.port, ssl=False, timeout=5) as client:
        client.login("office", "open sesame")
        yield client


def test_a_client_reads_what_lies_there_and_marks_nothing(client, peer):
    client.select_folder("INBOX")
    got = client.fetch(
        [1, 2, 3, 4, 5], ["BODY.PEEK[]", "FLAGS", "INTERNALDATE", "RFC822.SIZE", "MODSEQ"]
    )
    assert [it[b"BODY[]"] for it in got.values()] == [letter(number) for number in range(1, 6)]
    assert got[1][b"FLAGS"] == (b"\\Seen",)
    assert sum("\\Seen" in it.flags for it in peer.mailboxes["INBOX"].messages.values()) == 2


def test_flags_moves_and_expunges_are_kept_and_told(client, peer):
    client.select_folder("INBOX")
    client.add_flags([3], ["\\Flagged", "work"])
    client.move([1, 2], "Archive")
    client.add_flags([5], ["\\Deleted"])
    client.uid_expunge([5])
    assert client.search("ALL") == [3, 4]
    assert client.search(["HEADER", "Message-ID", "<4@peer>"]) == [4]
    assert peer.mailboxes["INBOX"].messages[3].flags == {"\\Flagged", "work"}
    assert [it.raw for it in peer.mailboxes["Archive"].messages.values()] == [letter(1), letter(2)]


def test_a_message_is_appended_with_its_uid_told(client, peer):
    said = client.append("Sent", letter(9), ("\\Seen",))
    assert b"APPENDUID 1000 1" in said
    assert peer.mailboxes["Sent"].messages[1].raw == letter(9)


def test_listing_tells_uses_and_states(client):
    assert client.find_special_folder(b"\\Sent") == "Sent"
    assert client.folder_status("INBOX", ["MESSAGES", "UIDNEXT", "HIGHESTMODSEQ"]) == {
        b"MESSAGES": 5, b"UIDNEXT": 6, b"HIGHESTMODSEQ": 6,
    }  # fmt: skip


def test_waiting_hears_of_what_comes(client, peer):
    client.select_folder("INBOX")
    client.idle()
    peer.add("INBOX", letter(6))
    assert client.idle_check(timeout=5) == [(6, b"EXISTS")]
    client.idle_done()


def test_it_breaks_off_in_the_middle_of_a_batch(client, peer):
    client.select_folder("INBOX")
    [talk] = peer.talks
    talk.script["message"] = deque(nth(3, drop))
    with pytest.raises((imaplib.IMAP4.abort, OSError)):
        client.fetch([1, 2, 3, 4, 5], ["BODY.PEEK[]"])


def test_messages_go_while_they_are_fetched():
    with ImapPeer() as peer:
        for number in range(1, 4):
            peer.add("INBOX", letter(number))
        peer.script = {"message": nth(2, after(peer.expunging("INBOX", 3)))}
        with IMAPClient("127.0.0.1", peer.port, ssl=False, timeout=5) as client:
            client.login("office", "x")
            client.select_folder("INBOX")
            assert sorted(client.fetch([1, 2, 3, 4, 5], ["BODY.PEEK[]"])) == [1, 2]


def test_a_wrong_password_is_refused():
    with ImapPeer(password="right") as peer:
        client = IMAPClient("127.0.0.1", peer.port, ssl=False, timeout=5)
        with pytest.raises(Exception, match="no such user"):
            client.login("office", "wrong")
        client.shutdown()


def test_smtp_takes_a_message_and_logs_every_byte():
    with SmtpPeer() as peer:
        with smtplib.SMTP("127.0.0.1", peer.port, timeout=5) as client:
            client.sendmail(
                "a@lantern.example", ["b@x.example", "c@x.example"], LETTER + b".dot\r\n"
            )
        [whole] = peer.whole
    assert (whole.content, whole.verdict) == (LETTER + b".dot\r\n", "taken")
    assert whole.recipients == ["b@x.example", "c@x.example"]
    assert b"rcpt TO:<b@x.example>\r\n" in peer.said_to_peer()
    assert b"..dot\r\n.\r\n" in peer.said_to_peer()


@pytest.mark.parametrize(("action", "verdict"), [
    ("451 4.3.0 later", "refused"), (drop, "open"), (cut, "taken"), (split(4), "taken"),
])  # fmt: skip
def test_smtp_tells_what_it_made_of_a_message(action, verdict):
    with SmtpPeer(script={"dot": action}) as peer:
        with socket.create_connection(("127.0.0.1", peer.port), 5) as raw:
            raw.sendall(b"EHLO x\r\nMAIL FROM:<a@x>\r\nRCPT TO:<b@x>\r\nDATA\r\nHi\r\n.\r\n")
            while raw.recv(4096) and peer.whole == []:
                pass
            raw.settimeout(0.3)
            with suppress(OSError):
                while raw.recv(4096):
                    pass
        assert peer.whole[0].verdict == ("open" if action is cut else verdict)
