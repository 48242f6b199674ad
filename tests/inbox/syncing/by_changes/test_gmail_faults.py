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
from tests.machines.google.refusing import Refused

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


@pytest.mark.django_db
@pytest.mark.parametrize("news", [True, False])
def test_a_message_that_google_never_hands_out_keeps_no_other_back(inbox, google, news):
    letters = [google.gmail.box.add(letter(f"Letter {number}")) for number in range(30)]
    mirror, honest = connect(inbox, google), google.gmail.get

    def get(asked):
        if asked["id"] == letters[15].id and asked.get("format") == "raw":
            raise Refused(500, "backendError", "Backend Error")
        return honest(asked)

    google.handlers["gmail.users.messages.get"] = get
    assert not mirror.sync()
    # Those that were asked for together with it came all the same.
    assert Message.objects.count() >= 24
    place = RemoteMessage.objects.filter(remote_id=letters[15].id)
    for number in range(4):
        assert (mirror.sync(), place.get().problem) == (False, "")
        if news and number == 3:
            google.gmail.box.add(letter("New"))
    # It may be the line as long as nothing else comes; not for ever.
    for _ in range(0 if news else 5):
        assert (mirror.sync(), place.get().problem) == (False, "")
    assert mirror.sync()
    assert Message.objects.count() == 29 + news
    assert "connection was lost" in str(place.get().problem)
    assert mirror.state.status == "current"


@pytest.mark.django_db
def test_what_google_puts_off_of_many_at_once_is_asked_for_again(inbox, google):
    for number in range(60):
        google.gmail.box.add(letter(f"Letter {number}"))
    mirror, honest = connect(inbox, google), google.gmail.batch

    def batch(call):
        # No more than twenty of a batch are worked on at a time.
        google.order(429, "GET .*/messages/", after=20, times=-1)
        try:
            return honest(call)
        finally:
            google.faults.clear()

    google.batches["/batch/gmail/v1"] = batch
    assert mirror.sync()
    agree(google, mirror)
    assert Message.objects.count() == 60
