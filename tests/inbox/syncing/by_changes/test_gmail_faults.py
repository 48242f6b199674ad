"""Gmail behind a proxy at which each request goes wrong in turn, and workers that are killed.

`HTTP_FAULTS=all` has every request go wrong in every way, else some of them.
"""

import random

import pytest

from inbox.actor import system_actor
from inbox.models import Message, SyncState
from inbox.models.remote import RemoteMessage
from inbox.operations.mail.message_changes import MessageChanges, update_message
from tests.http_faults import WAYS, faulty, some_of
from tests.inbox.syncing.by_changes.gmail_account import agree, connect
from tests.inbox.syncing.killing import sync_and_be_killed
from tests.inbox.syncing.mirrors import duplicates, letter
from tests.machines.google.everything import google_server

CALLS = 8
LETTERS, KILLS = 60, 2


@pytest.fixture
def google():
    with google_server() as server:
        yield server
    assert server.violations == []


@pytest.mark.django_db
@pytest.mark.parametrize("way", WAYS)
def test_whatever_request_of_a_sync_fails_the_next_goes_on(inbox, google, way):
    numbers = some_of(range(CALLS), 2)
    box, actor = google.gmail.box, system_actor(inbox.workspace_id, "tests")
    for number in range(4):
        box.add(letter(f"Letter {number}"))
    with faulty(google.url) as proxy:
        mirror = connect(inbox, google, proxy.url)
        for number in numbers:
            if message := Message.objects.kept().filter(keywords=[]).first():
                update_message(actor=actor, message=message, changes=MessageChanges(is_read=True))
            proxy.spoil(number, way)
            mirror.sync()
            SyncState.objects.update(failures=0)
            box.add(letter(f"New {number}"))
        proxy.spoil(-1, "")
        assert mirror.sync(times=2)
    agree(google, mirror)
    assert Message.objects.kept().count() == 4 + len(numbers)
    assert duplicates(mirror.account) == []
    assert not RemoteMessage.objects.filter(dirty=True).exists()
    assert mirror.state.status == "current"


@pytest.mark.django_db(transaction=True)
def test_whenever_it_is_killed_the_next_sync_goes_on(inbox, google):
    box, chance = google.gmail.box, random.Random(3)
    letters = [box.add(letter(f"Letter {number}")) for number in range(LETTERS)]
    google.gmail.page_size = 20
    mirror = connect(inbox, google)
    for number in range(KILLS):
        sync_and_be_killed(mirror.account, chance.uniform(0.05, 0.6))
        with google.lock:
            box.remove(letters[number].id)
            box.add(letter(f"New {number}"))
    SyncState.objects.update(leased_until=None)
    mirror.sync(times=2)
    agree(google, mirror)
    assert duplicates(mirror.account) == []
    assert Message.objects.kept().count() == LETTERS
    assert mirror.state.done == mirror.state.total
