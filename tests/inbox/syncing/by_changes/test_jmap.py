"""Mail by JMAP, at a real Cyrus that other programs change by IMAP and by JMAP meanwhile."""

import os
import random
import sys

import pytest

from inbox.actor import system_actor
from inbox.models import Message, SyncState
from inbox.models.remote import RemoteMessage
from inbox.operations.accounts.connections import with_mail_changes
from inbox.operations.mail.message_changes import MessageChanges, move_message, update_message
from tests.inbox.syncing.by_changes.jmap_account import JmapProgram, agree, connect
from tests.inbox.syncing.by_changes.test_made_up import act_here
from tests.inbox.syncing.killing import Kills
from tests.inbox.syncing.mirrors import duplicates, letter
from tests.inbox.syncing.random_clients import RandomClient

pytestmark = [pytest.mark.services, pytest.mark.django_db]
ROUNDS = int(os.environ.get("SYNC_ROUNDS", "25"))
SEED = int(os.environ.get("SYNC_SEED", "20260302"))


@pytest.fixture
def user(cyrus):
    return cyrus.new_user()


@pytest.fixture
def program(cyrus, user):
    """A mail program of the same user, by IMAP."""
    with cyrus.client(user) as client:
        yield client


@pytest.fixture
def mirror(inbox, cyrus, user):
    return connect(inbox, cyrus.settings(user))


@pytest.fixture
def actor(inbox):
    return system_actor(inbox.workspace_id, "tests")


def test_what_lies_there_is_read_to_the_byte(mirror, cyrus, user, program):
    raw = letter("Bytes", body="Grüße\r\n.dots\r\n\r\n  blanks  ")
    program.append("INBOX", raw, [b"\\Seen", b"errand"])
    program.append("Archive", letter("Filed"))
    assert mirror.sync()
    agree(cyrus, user, mirror)
    message = Message.objects.get(subject="Bytes")
    assert message.blob.read() == raw
    assert message.keywords == ["$seen", "errand"]
    assert mirror.subjects("Archive") == ["Filed"]
    assert mirror.state.status == "current"
    assert mirror.state.features == ["push"]


def test_a_look_with_nothing_new_is_two_requests(mirror, program):
    program.append("INBOX", letter("One"))
    mirror.sync(times=2)
    calls = []

    def look(store):
        with store:
            store.mailboxes()
            state = SyncState.objects.get(account=mirror.account)
            changes = store.changes("", state.position)
            calls.append(store.calls)
            return changes

    changes = with_mail_changes(mirror.account, look)
    assert (changes.changed, changes.gone, changes.more) == ({}, frozenset(), False)
    assert calls == [2]


def test_what_changes_there_changes_here(mirror, cyrus, user, program):
    for word in ("Read", "Moved", "Gone"):
        program.append("INBOX", letter(word))
    mirror.sync()
    program.select_folder("INBOX")
    program.add_flags([1], [b"\\Seen"])
    program.move([2], "Archive")
    program.add_flags([3], [b"\\Deleted"])
    program.expunge([3])
    mirror.sync()
    agree(cyrus, user, mirror)
    assert Message.objects.get(subject="Read").keywords == ["$seen"]
    assert mirror.subjects("Archive") == ["Moved"]
    assert Message.objects.get(subject="Gone").deleted_at is not None


def test_what_is_changed_here_is_told(mirror, cyrus, user, program, actor):
    program.append("INBOX", letter("Letter"))
    mirror.sync()
    message = Message.objects.get()
    update_message(actor=actor, message=message, changes=MessageChanges(is_read=True))
    move_message(actor=actor, message=message, role="archive")
    before = list(RemoteMessage.objects.values_list("remote_id", flat=True))
    mirror.sync(times=2)
    agree(cyrus, user, mirror)
    assert list(RemoteMessage.objects.values_list("remote_id", flat=True)) == before
    program.select_folder("Archive", readonly=True)
    assert b"\\Seen" in program.fetch([1], ["FLAGS"])[1][b"FLAGS"]


def test_a_position_of_another_time_lists_all_anew_and_reads_nothing_twice(
    mirror, cyrus, user, program
):
    for number in range(5):
        program.append("INBOX", letter(f"Letter {number}"))
    mirror.sync()
    SyncState.objects.update(position='{"state": "of another server"}')
    program.select_folder("INBOX")
    program.move([2], "Junk")
    before = set(Message.objects.values_list("pk", flat=True))
    mirror.sync()
    agree(cyrus, user, mirror)
    assert set(Message.objects.values_list("pk", flat=True)) == before


@pytest.mark.django_db(transaction=True)
def test_two_programs_and_we_change_it_at_random(mirror, cyrus, user, program, actor):
    # Shown where it fails.
    sys.stderr.write(f"SYNC_SEED={SEED}\n")
    chance = random.Random(SEED)
    kills = Kills(mirror.account, chance, ROUNDS)
    for number in range(8):
        program.append("INBOX", letter(f"Letter {number}"))

    def by_imap():
        return cyrus.logged_in(user)

    others = [RandomClient(by_imap, SEED, ROUNDS), JmapProgram(cyrus, user, SEED + 1, ROUNDS)]
    for other in others:
        other.start()
    while any(other.is_alive() for other in others):
        act_here(actor, chance)
        kills.now_and_then()
        mirror.sync()
    mirror.sync(times=3)
    assert not RemoteMessage.objects.filter(dirty=True).exists()
    agree(cyrus, user, mirror)
    assert duplicates(mirror.account) == []
    kills.assert_read()
    assert any("refused" not in line for line in others[1].log)
