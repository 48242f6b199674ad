"""An account is kept in step with a server of any make: Dovecot, or what the environment names.

See tests/any_imap.py. `SYNC_CORPUS` names a folder of .eml files that the first sync has to bring.
"""

import asyncio
import os
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from inbox.actor import system_actor
from inbox.models import Message
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.accounts.connections import (
    connection_of,
    mail_store_of,
    watched_mailbox_of,
)
from inbox.operations.mail.message_changes import (
    MessageChanges,
    delete_message,
    move_message,
    restore_message,
    update_message,
)
from inbox.providers.probing import is_sound, probe
from inbox.providers.sent_copies import has_copy, put_copy
from tests.any_imap import some_server
from tests.inbox.syncing.mirrors import Mirror, connect_account, duplicates, letter

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
CORPUS = os.environ.get("SYNC_CORPUS", "")
MOST = 400
UMLAUTS = "Lager/Küche"


@pytest.fixture(scope="module")
def server():
    with some_server() as server:
        yield server


@pytest.fixture
def ours(inbox, server, user, there):
    """Our side of an account with three messages, synced."""
    for number in (1, 2, 3):
        there.append("INBOX", letter(f"Letter {number}"))
    made = Mirror(connect_account(inbox, server.settings(user)))
    assert made.sync(times=2), made.state.words
    return made


@pytest.fixture
def actor(ours):
    return system_actor(ours.account.workspace_id, "tests")


def agree(ours):
    ours.look_closely()
    assert ours.sync(times=2), ours.state.words
    assert not ours.state.words
    assert not RemoteMessage.objects.filter(dirty=True).exists()
    ours.assert_agrees()
    assert not duplicates(ours.account)


def open_inbox(there):
    there.select_folder("INBOX")
    return there.search("ALL")


def mark(client, uids, flags):
    client.add_flags(uids, flags, silent=True)


def expunge(client, uids):
    mark(client, uids, [b"\\Deleted"])
    client.expunge(uids if client.has_capability("UIDPLUS") else None)


def place(role):
    return RemoteFolder.objects.get(role=role).name


@pytest.mark.parametrize("security", ["none", "starttls"])
def test_a_connection_is_found_sound(ours, server, user, security):
    if security == "starttls":
        with server.client(user) as client:
            if b"STARTTLS" not in client.welcome and not client.has_capability("STARTTLS"):
                pytest.skip("the server has no STARTTLS")
    ours.account.settings = server.settings(user, security)
    ours.account.save()
    findings = probe(connection_of(ours.account))
    assert is_sound(findings), findings


def corpus():
    if not CORPUS:
        return [letter(f"Of many {number}", body="Line.\r\n" * number) for number in range(200)]
    found = [path.read_bytes() for path in sorted(Path(CORPUS).rglob("*")) if path.is_file()]
    lines = [b"\r\n".join(raw.replace(b"\r\n", b"\n").split(b"\n")) for raw in found]
    return [raw for raw in lines[:: max(1, len(lines) // MOST)] if b"\0" not in raw]


def test_the_first_sync_brings_all_with_their_bytes(ours, there, server):
    there.create_folder(server.place(UMLAUTS))
    refused = 0
    for number, raw in enumerate(corpus()):
        try:
            there.append(server.place(UMLAUTS) if number % 3 else "INBOX", raw)
        except there.Error:
            refused += 1
    assert refused < 20
    agree(ours)
    assert not list(RemoteMessage.objects.exclude(problem="").values_list("problem", flat=True))
    assert UMLAUTS in [folder.mailbox.name for folder in RemoteFolder.objects.all()]


def test_flags_and_keywords_both_ways(ours, there, actor):
    first, second, third = open_inbox(there)
    mark(there, [first], [b"\\Seen", b"\\Flagged"])
    there.unselect_folder() if there.has_capability("UNSELECT") else there.close_folder()
    message = ours.messages("Inbox")[1]
    update_message(
        actor=actor, message=message, changes=MessageChanges(is_read=True, categories=["Travel"])
    )
    agree(ours)
    found = {it.subject: set(it.keywords) for it in ours.messages("Inbox")}
    assert found["Letter 1"] == {"$seen", "$flagged"}
    assert "$seen" in found["Letter 2"]
    open_inbox(there)
    assert b"\\Seen" in there.get_flags([second])[second]
    there.remove_flags([second], [b"\\Seen"])
    mark(there, [third], [b"\\Answered"])
    agree(ours)
    found = {it.subject: set(it.keywords) for it in ours.messages("Inbox")}
    assert "$seen" not in found["Letter 2"]
    assert "Travel" in found["Letter 2"]
    assert found["Letter 3"] == {"$answered"}


def test_moved_deleted_and_restored_here(ours, actor, there):
    if not (there.has_capability("MOVE") or there.has_capability("UIDPLUS")):
        pytest.skip("the server can neither move nor remove single messages")
    one, two, three = ours.messages("Inbox")
    move_message(actor=actor, message=one, role="archive")
    delete_message(actor=actor, message=two)
    agree(ours)
    assert ours.subjects("Archive") == [one.subject]
    with mail_store_of(ours.account) as store:
        store.open(place("trash"), read_only=True)
        assert len(store.uids()) == 1
        store.open("INBOX", read_only=True)
        assert len(store.uids()) == 1
    restore_message(actor=actor, message=two)
    agree(ours)
    assert ours.subjects("Inbox") == sorted([two.subject, three.subject])
    assert Message.objects.count() == 3


def test_moved_and_removed_by_another_program(ours, there, server):
    first, second, _ = open_inbox(there)
    there.copy([first], server.place("Archive"))
    expunge(there, [first, second])
    agree(ours)
    assert ours.subjects("Archive") == ["Letter 1"]
    assert ours.subjects("Inbox") == ["Letter 3"]
    assert Message.objects.get(subject="Letter 2").deleted_at is not None


def test_mailboxes_made_renamed_removed_and_made_anew(ours, there, server):
    name, other = server.place("Gärten"), server.place("Höfe")
    there.create_folder(name)
    for number in (7, 8):
        there.append(name, letter(f"Letter {number}"))
    agree(ours)
    assert ours.subjects("Gärten") == ["Letter 7", "Letter 8"]
    there.rename_folder(name, other)
    agree(ours)
    assert ours.subjects("Höfe") == ["Letter 7", "Letter 8"]
    assert Message.objects.kept().count() == 5
    there.delete_folder(other)
    there.create_folder(other)
    for number in (8, 7, 9):
        there.append(other, letter(f"Letter {number}"))
    agree(ours)
    assert ours.subjects("Höfe") == ["Letter 7", "Letter 8", "Letter 9"]
    time.sleep(1.1)  # Cyrus keeps what is removed under the second of it
    there.delete_folder(other)
    agree(ours)
    assert sorted(it.subject for it in Message.objects.kept()) == [
        "Letter 1", "Letter 2", "Letter 3",
    ]  # fmt: skip


def test_a_resync_with_nothing_new_costs_few_commands(ours, monkeypatch):
    ours.sync()
    counted = []

    def connect(account):
        counted.append(mail_store_of(account))
        return counted[-1]

    monkeypatch.setattr("inbox.syncing.session.mail_store_of", connect)
    assert ours.sync()
    [store] = counted
    each = 0 if "list-status" in store.features else RemoteFolder.objects.count() + 2
    assert store.commands <= 5 + each


def test_mail_that_comes_is_heard_of(ours, there):
    async def go():
        mailbox = await watched_mailbox_of(ours.account.pk, "imap_smtp", "INBOX", asyncio.to_thread)
        await mailbox.look()
        later = threading.Timer(0.5, there.append, ("INBOX", letter("Late")))
        later.start()
        assert await mailbox.wait(90)
        later.join()
        await mailbox.close()

    asyncio.run(go())


def test_the_sent_copy_is_put_once(ours):
    raw = letter("Our answer", From="office@lantern.example")
    for _ in range(2):
        with mail_store_of(ours.account) as store:
            put_copy(store, raw, "Our-answer@customer.example", datetime.now(UTC))
            assert has_copy(store, "Our-answer@customer.example")
    agree(ours)
    assert ours.subjects("Sent") == ["Our answer"]
