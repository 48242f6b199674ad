"""A worker killed in the middle of a sync by JMAP: the next one goes on and loses nothing."""

import random

import pytest

from inbox.models import Message, SyncState
from tests.faults.http_proxy import HttpProxy
from tests.inbox.syncing.by_changes.jmap_account import agree, connect
from tests.inbox.syncing.killing import sync_and_be_killed
from tests.inbox.syncing.mirrors import duplicates, letter

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
LETTERS, KILLS = 60, 3


def test_whenever_it_is_killed_the_next_sync_goes_on(inbox, cyrus):
    user = cyrus.new_user()
    chance = random.Random(3)
    with HttpProxy(cyrus.host, cyrus.port) as proxy, cyrus.client(user) as program:
        for number in range(LETTERS):
            program.append("INBOX", letter(f"Letter {number}"))
        mirror = connect(inbox, {"jmap_url": f"{proxy.url}/", "username": user})
        for number in range(KILLS):
            sync_and_be_killed(mirror.account, chance.uniform(0.05, 0.6))
            program.select_folder("INBOX")
            program.delete_messages([number + 1])
            program.expunge()
            program.append("INBOX", letter(f"New {number}"))
        SyncState.objects.update(leased_until=None)
        mirror.sync(times=2)
    agree(cyrus, user, mirror)
    assert duplicates(mirror.account) == []
    assert Message.objects.kept().count() == LETTERS
    assert mirror.state.done == mirror.state.total
