"""An account is mirrored from a server that fails: at last all is there, once, and none is marked."""

import random
from functools import partial

import pytest
from django.db import connections

from inbox.actor import system_actor
from inbox.models import Message
from inbox.models.remote import SyncState
from inbox.operations.mail.message_changes import delete_message, move_message, restore_message
from tests.cases import made_up
from tests.faults.imap_faults import random_imap_scripts, refuse
from tests.faults.imap_peer import ImapPeer
from tests.faults.scripted import after, cut, drop, nth, reset, silence
from tests.inbox.syncing.mirrors import Mirror, connect_account, duplicates, letter

LETTERS = 8


@pytest.fixture
def peer():
    with ImapPeer() as peer:
        for number in range(LETTERS):
            peer.add("INBOX", letter(f"Letter {number}"), ("\\Flagged",) if number == 3 else ())
        peer.add("Archive", letter("An old one"), ("\\Seen",))
        yield peer


@pytest.fixture
def mirror(inbox, peer):
    settings = {
        "imap_host": "127.0.0.1", "imap_port": peer.port, "imap_security": "none",
        "imap_timeout": 1, "smtp_host": "127.0.0.1", "username": "office",
    }  # fmt: skip
    return Mirror(connect_account(inbox, settings))


def assert_all_is_there(mirror: Mirror, peer: ImapPeer) -> None:
    peer.scripts.clear()
    peer.script = {}
    # What one of them puts off, the next one does.
    went_well = 0
    for _ in range(6):
        went_well = went_well + 1 if mirror.sync() else 0
        if went_well == 2:
            break
    mirror.assert_agrees()
    assert duplicates(mirror.account) == []
    there = {it.raw for box in peer.mailboxes.values() for it in box.messages.values()}
    assert Message.objects.kept().count() == len(there)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("action", [reset, cut, refuse("NO [LIMIT] wait")])
@pytest.mark.parametrize("verb", ["connect", "AUTHENTICATE", "LIST", "FETCH"])
def test_a_failure_at_any_verb_is_mended_by_the_next_sync(mirror, peer, verb, action):
    peer.scripts.append({verb: [action]})
    mirror.sync()
    assert_all_is_there(mirror, peer)


@pytest.mark.django_db(transaction=True)
def test_a_server_that_falls_silent_is_given_up_in_time(mirror, peer):
    peer.scripts.append({"FETCH": [silence]})
    assert not mirror.sync()
    assert SyncState.objects.get().words
    assert_all_is_there(mirror, peer)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", [1, 4, LETTERS])
def test_a_connection_lost_in_the_middle_of_a_batch_loses_nothing(mirror, peer, number):
    peer.scripts.append({"message": nth(number, drop)})
    assert not mirror.sync()
    state = SyncState.objects.get()
    assert state.words
    assert state.next_at is not None
    assert_all_is_there(mirror, peer)


@pytest.mark.django_db(transaction=True)
def test_messages_that_go_while_they_are_fetched_are_no_error(mirror, peer):
    gone = peer.expunging("INBOX", 2, 5, 8)
    peer.scripts.append({"message": nth(3, after(gone))})
    mirror.sync()
    assert_all_is_there(mirror, peer)
    assert len(mirror.messages("Inbox")) == LETTERS - 3


@pytest.mark.django_db(transaction=True)
def test_a_mailbox_renumbered_in_between_loses_and_doubles_nothing(mirror, peer):
    mirror.sync()
    peer.mailboxes["INBOX"].renumber()
    peer.add("INBOX", letter("After that"))
    before = len(peer.log)
    assert_all_is_there(mirror, peer)
    bodies = b"".join(it.data for it in peer.log[before:] if not it.to_peer)
    assert bodies.count(b"Subject: Letter 1") <= 1


@pytest.mark.django_db(transaction=True)
def test_nothing_is_marked_as_read_whatever_happens(mirror, peer):
    chance = random.Random(7)
    for _ in range(12):
        peer.scripts.extend(random_imap_scripts(chance))
        mirror.sync()
    assert_all_is_there(mirror, peer)
    assert not any("\\Seen" in it.flags for it in peer.mailboxes["INBOX"].messages.values())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(made_up(4)))
@pytest.mark.parametrize("without", [(), ("QRESYNC",), ("QRESYNC", "CONDSTORE", "LIST-STATUS")])
def test_changes_at_random_under_random_failures_end_in_agreement(mirror, peer, seed, without):
    peer.without(*without)
    chance = random.Random(seed)
    for number in range(12):
        change(peer, chance, number)
        peer.scripts.extend(random_imap_scripts(chance))
        mirror.look_closely()
        mirror.sync()
    peer.scripts.clear()
    mirror.look_closely()
    assert_all_is_there(mirror, peer)


def change(peer: ImapPeer, chance: random.Random, number: int) -> None:
    """Do what another mail program might."""
    with peer.lock:
        box = peer.mailboxes["INBOX"]
        uids = chance.sample(sorted(box.messages), k=min(2, len(box.messages)))
        action = chance.choice(("add", "flag", "expunge", "move"))
        if action == "add":
            box.add(letter(f"New {number}"))
        for uid in uids[: 0 if action == "add" else 2]:
            if action == "flag":
                box.flag(uid, box.messages[uid].flags ^ {chance.choice(("\\Flagged", "work"))})
                continue
            if action == "move":
                message = box.messages[uid]
                peer.mailboxes["Archive"].add(message.raw, message.flags, message.at)
            box.expunge([uid])


@pytest.mark.django_db(transaction=True)
def test_one_put_elsewhere_and_deleted_here_is_restored_to_there_wherever_it_was_moved(
    mirror, peer
):
    mirror.sync()
    message = Message.objects.get(subject="Letter 1")
    actor = system_actor(mirror.account.workspace_id, "tests")
    move_message(actor=actor, message=message, role="junk")
    delete_message(actor=actor, message=message)
    move_there(peer, "Letter 1")
    mirror.sync(times=2)
    restore_message(actor=actor, message=message)
    mirror.sync(times=2)
    mirror.assert_agrees()
    assert [it.role for it in message.mailboxes.all()] == ["junk"]


def in_a_thread(doing, **arguments) -> None:
    """Do it where the peer speaks, in whose thread nobody else closes the connection."""
    doing(**arguments)
    connections.close_all()


def move_there(peer: ImapPeer, subject: str) -> None:
    """Have another program archive it."""
    with peer.lock:
        box = peer.mailboxes["INBOX"]
        [moved] = [it for it in box.messages.values() if subject.encode() in it.raw]
        peer.mailboxes["Archive"].add(moved.raw, moved.flags, moved.at)
        box.expunge([moved.uid])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("told_in_between", [False, True])
def test_one_deleted_here_while_it_is_moved_there_is_restored_to_one_mailbox(
    mirror, peer, told_in_between
):
    mirror.sync()
    message = Message.objects.get(subject="Letter 1")
    actor = system_actor(mirror.account.workspace_id, "tests")
    move_there(peer, "Letter 1")
    # Between two looks: the new place is known, and it is not yet known that the old one is gone.
    delete = partial(in_a_thread, delete_message, actor=actor, message=message)
    peer.scripts.append({"LIST": nth(2, after(delete))})
    mirror.sync(times=2 if told_in_between else 1)
    message.refresh_from_db()
    assert message.deleted_at is not None
    restore_message(actor=actor, message=message)
    mirror.sync(times=2)
    mirror.assert_agrees()
    assert message.mailboxes.count() == message.places.count() == 1
