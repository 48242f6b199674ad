"""A worker killed in the middle of a sync by Graph: the next one goes on and loses nothing."""

import random

import pytest

from inbox.models import Message, SyncState
from tests.inbox.syncing.by_changes.graph_account import agree, connect
from tests.inbox.syncing.killing import sync_and_be_killed
from tests.inbox.syncing.mirrors import duplicates, letter
from tests.machines.graph.server import graph_server

LETTERS, KILLS = 40, 2


@pytest.mark.django_db(transaction=True)
def test_whenever_it_is_killed_the_next_sync_goes_on(inbox):
    chance = random.Random(3)
    with graph_server() as graph:
        mail = graph.add_account().mail
        mirror = connect(inbox, graph)
        kept = [mail.arrive(letter(f"Letter {number}")) for number in range(LETTERS)]
        for number in range(KILLS):
            sync_and_be_killed(mirror.account, chance.uniform(0.05, 0.6))
            with graph.lock:
                mail.remove(kept[number])
                mail.move(kept[number + KILLS], mail.folder("archive"))
                mail.arrive(letter(f"New {number}"))
        SyncState.objects.update(leased_until=None)
        mirror.sync(times=2)
        agree(mail, mirror)
    assert duplicates(mirror.account) == []
    assert Message.objects.kept().count() == LETTERS
    assert mirror.state.done == mirror.state.total
