"""A worker killed in the middle of a sync: the next one goes on where it was, and loses nothing."""

import random
import time

import pytest

from inbox.models import Message, SyncState
from tests.faults.imap_peer import ImapPeer
from tests.inbox.syncing.killing import sync_and_be_killed
from tests.inbox.syncing.mirrors import Mirror, connect_account, duplicates, letter

LETTERS, KILLS = 60, 2


@pytest.fixture
def peer():
    with ImapPeer() as peer:
        for number in range(LETTERS):
            peer.add("INBOX", letter(f"Letter {number}"))
        # Slow enough to be cut off in the middle.
        peer.script = {"message": lambda talk, usual: time.sleep(0.003) or usual}
        yield peer


@pytest.mark.django_db(transaction=True)
def test_whenever_it_is_killed_the_next_sync_goes_on(inbox, peer):
    settings = {
        "imap_host": "127.0.0.1", "imap_port": peer.port, "imap_security": "none",
        "imap_timeout": 5, "username": "office",
    }  # fmt: skip
    mirror = Mirror(connect_account(inbox, settings))
    chance = random.Random(3)
    for number in range(KILLS):
        sync_and_be_killed(mirror.account, chance.uniform(0.05, 0.8))
        with peer.lock:
            peer.mailboxes["INBOX"].expunge([number + 1])
        peer.add("INBOX", letter(f"New {number}"))
    peer.script = {}
    SyncState.objects.update(leased_until=None)
    mirror.sync(times=2)
    mirror.assert_agrees()
    assert not duplicates(mirror.account)
    assert Message.objects.kept().count() == LETTERS
    assert mirror.state.done == mirror.state.total
