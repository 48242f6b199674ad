"""What servers in use do otherwise than most, each as it was seen, done by the scripted peer."""

import pytest

from tests.faults.imap_peer import ImapPeer
from tests.inbox.syncing.mirrors import letter


@pytest.fixture
def peer():
    with ImapPeer() as peer:
        for number in (1, 2, 3):
            peer.add("INBOX", letter(f"Letter {number}"))
        yield peer


@pytest.mark.parametrize("without", [(), ("CONDSTORE", "QRESYNC")])
def test_a_message_that_was_hidden_for_a_moment_comes_back(mirror, peer, without):
    peer.without(*without)
    assert mirror.sync()
    with peer.lock:
        hidden = peer.mailboxes["INBOX"].messages.pop(2)
    assert mirror.sync()
    assert mirror.subjects("Inbox") == ["Letter 1", "Letter 3"]
    with peer.lock:
        peer.mailboxes["INBOX"].messages[2] = hidden
    assert mirror.sync()
    mirror.assert_agrees()
    assert mirror.subjects("Inbox") == ["Letter 1", "Letter 2", "Letter 3"]
