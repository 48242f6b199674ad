"""Two mail programs change a mailbox at random while we sync and are killed: in the end nothing differs.

`SYNC_ROUNDS=500` has each of them make so many changes; `SYNC_SEED` repeats a run. With
`CHANCERY_TEST_IMAP` it is another server than Dovecot (tests/any_imap.py).
"""

import os
import random
import sys

import pytest

from inbox.models import Message
from tests.any_imap import some_server
from tests.inbox.syncing.killing import Kills
from tests.inbox.syncing.mirrors import Mirror, connect_account, duplicates
from tests.inbox.syncing.random_clients import RandomClient

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
ROUNDS = int(os.environ.get("SYNC_ROUNDS", "60"))
SEED = int(os.environ.get("SYNC_SEED", "1"))
PLAIN = "IMAP4rev1 UIDPLUS MOVE LITERAL+"
CONDSTORE = f"{PLAIN} ENABLE CONDSTORE LIST-EXTENDED LIST-STATUS SPECIAL-USE"


@pytest.mark.parametrize("extensions", ["", CONDSTORE, PLAIN], ids=["all", "condstore", "plain"])
def test_nothing_differs_after_two_programs_changed_all_they_could(inbox, extensions):
    # Shown where it fails.
    sys.stderr.write(f"SYNC_SEED={SEED}\n")
    with some_server(capability=extensions) as server:
        user = server.new_user()
        mirror = Mirror(connect_account(inbox, server.settings(user)))
        clients = [
            RandomClient(lambda: server.client(user), seed, ROUNDS, server.place)
            for seed in (SEED, SEED + 1)
        ]
        for client in clients:
            client.start()
        kills = Kills(mirror.account, random.Random(SEED), ROUNDS)
        while any(client.is_alive() for client in clients):
            kills.now_and_then()
            # A server may hang up where the mailbox that we read is removed.
            mirror.sync()
        mirror.look_closely()
        assert mirror.sync(times=2), mirror.state.words
        mirror.assert_agrees()
        assert not duplicates(mirror.account)
        kills.assert_read()
        lost = Message.objects.kept().filter(places=None)
        assert not lost.exists(), f"seed {SEED}"
