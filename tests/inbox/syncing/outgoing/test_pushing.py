"""What is changed here reaches a real server: keywords, moves, what is deleted and brought back."""

from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.accounts import credentials
from inbox.actor import system_actor
from inbox.models import Mailbox, Message
from inbox.models.remote import RemoteFolder, RemoteMessage, SyncState, SyncStatus
from inbox.operations.accounts.connections import mail_store_of
from inbox.operations.deletions import purge_deleted
from inbox.operations.mail.message_changes import (
    MessageChanges,
    delete_message,
    move_message,
    restore_message,
    update_message,
)
from inbox.operations.purging import KEPT_FOR
from inbox.providers.mail_store import StoreError
from inbox.syncing.outgoing.pushing import push_changes
from inbox.syncing.scheduling import hold, settle_success
from inbox.syncing.turns import LeaseLost
from inbox.syncing.visits import visiting
from tests import factories
from tests.dovecot import PASSWORD

pytestmark = pytest.mark.services
ROLES = {"INBOX": "inbox", "Trash": "trash", "Archive": "archive", "Sent": "sent"}


@pytest.fixture
def account(inbox, dovecot, user):
    account = inbox.account
    account.provider, account.settings = "imap_smtp", dovecot.settings(user)
    account.secret = credentials.encrypt(PASSWORD)
    account.save()
    SyncState.objects.create(
        workspace=account.workspace, account=account, status=SyncStatus.CURRENT
    )
    return account


@pytest.fixture
def actor(account):
    return system_actor(account.workspace_id, "tests")


@pytest.fixture
def folders(account, there):
    """The server's mailboxes, with rows of ours as reading them leaves them."""
    return {name: folder_row(account, there, name) for name in ROLES}


def folder_row(account, there, name):
    state = there.folder_status(name, ["UIDVALIDITY", "UIDNEXT"])
    return RemoteFolder.objects.create(
        account=account, name=name, role=ROLES[name], delimiter="/",
        mailbox=Mailbox.objects.get(inbox__account=account, role=ROLES[name]),
        uidvalidity=state[b"UIDVALIDITY"], uidnext=state[b"UIDNEXT"], read_down_to=1,
    )  # fmt: skip


def mail(account, there, folder, *flags, subject="A question"):
    """Put a message into a mailbox there, and the row of it here."""
    inbox = account.inboxes.get()
    message = factories.make_message(inbox, subject=subject)
    there.append(folder.name, message.blob.read(), flags)
    there.select_folder(folder.name)
    uid = max(there.search("ALL"))
    there.unselect_folder()
    keywords = sorted(flag.lstrip("\\").lower() for flag in flags)
    known = [f"${word}" for word in keywords]
    message.keywords = list(known)
    message.save()
    message.mailboxes.set([folder.mailbox])
    RemoteMessage.objects.create(folder=folder, uid=uid, message=message, keywords=known)
    return message


def flags(there, name):
    """Return the flags of each message of a mailbox there, in lower case, by its UID."""
    there.select_folder(name, readonly=True)
    found = there.fetch(there.search("ALL"), ["FLAGS"])
    there.unselect_folder()
    return {
        uid: {flag.decode().lower() for flag in data[b"FLAGS"]} - {"\\recent"}
        for uid, data in found.items()
    }


def push(account):
    with begun(account) as visit:
        return push_changes(visit), visit.store.commands


@contextmanager
def begun(account):
    """Begin a visit of an account, as a sync does."""
    SyncState.objects.update(next_at=timezone.now())
    held = hold(account.pk)
    try:
        with mail_store_of(account) as store, visiting(account, store, held) as visit:
            yield visit
    finally:
        settle_success(held, unfinished=False)


def change(actor, message, **changes):
    update_message(actor=actor, message=message, changes=MessageChanges(**changes))


def lying(message):
    return sorted(
        RemoteMessage.objects.filter(message=message).values_list("folder__name", "uid", "dirty")
    )


def test_a_message_that_is_read_here_is_read_there(account, actor, there, folders):
    message = mail(account, there, folders["INBOX"], "\\Flagged")
    change(actor, message, is_read=True, categories=["Travel", "two words"])
    push(account)
    assert flags(there, "INBOX") == {1: {"\\flagged", "\\seen", "travel"}}
    place = message.places.get()
    assert (place.dirty, place.keywords) == (False, ["$flagged", "$seen", "travel"])


def test_what_is_changed_here_is_told_soon(account, actor, there, folders):
    message = mail(account, there, folders["INBOX"])
    SyncState.objects.update(next_at=timezone.now() + timedelta(hours=1))
    change(actor, message, is_read=True)
    assert SyncState.objects.get().next_at <= timezone.now()


def test_who_lost_the_lease_writes_nothing_down(account, actor, there, folders):
    message = mail(account, there, folders["INBOX"])
    change(actor, message, is_read=True)
    with begun(account) as visit:
        SyncState.objects.update(fence="another's")
        with pytest.raises(LeaseLost):
            push_changes(visit)
    assert message.places.get().dirty


def test_what_another_program_marked_meanwhile_stays(account, actor, there, folders):
    message = mail(account, there, folders["INBOX"])
    there.select_folder("INBOX")
    there.add_flags([1], ["\\Answered", "errand"])
    change(actor, message, is_read=True)
    push(account)
    assert flags(there, "INBOX") == {1: {"\\answered", "errand", "\\seen"}}


def test_twenty_that_changed_alike_take_one_command(account, actor, there, folders):
    messages = [mail(account, there, folders["INBOX"]) for _ in range(20)]
    for message in messages:
        change(actor, message, is_read=True)
    _, commands = push(account)
    assert commands <= 6
    assert all(found == {"\\seen"} for found in flags(there, "INBOX").values())


def test_nothing_is_told_that_did_not_change(account, actor, there, folders):
    message = mail(account, there, folders["INBOX"])
    change(actor, message, importance="high")
    assert not message.places.get().dirty
    assert push(account)[0].told == 0


def test_a_move_is_made_there_and_the_place_follows(account, actor, there, folders):
    message = mail(account, there, folders["INBOX"])
    change(actor, message, is_read=True)
    move_message(actor=actor, message=message, role="archive")
    push(account)
    assert (flags(there, "INBOX"), flags(there, "Archive")) == ({}, {1: {"\\seen"}})
    assert lying(message) == [("Archive", 1, False)]


def test_what_is_deleted_goes_into_the_trash_and_comes_back(account, actor, there, folders):
    message = mail(account, there, folders["Archive"])
    delete_message(actor=actor, message=message)
    push(account)
    assert (flags(there, "Archive"), lying(message)) == ({}, [("Trash", 1, False)])
    restore_message(actor=actor, message=message)
    push(account)
    assert (flags(there, "Trash"), lying(message)) == ({}, [("Archive", 2, False)])


def test_copies_in_two_mailboxes_go_back_each_to_its_own(account, actor, there, folders):
    message = mail(account, there, folders["INBOX"])
    there.append("Archive", message.blob.read())
    RemoteMessage.objects.create(folder=folders["Archive"], uid=1, message=message)
    message.mailboxes.add(folders["Archive"].mailbox)
    delete_message(actor=actor, message=message)
    push(account)
    assert [name for name, _, _ in lying(message)] == ["Trash", "Trash"]
    restore_message(actor=actor, message=message)
    push(account)
    assert [name for name, _, _ in lying(message)] == ["Archive", "INBOX"]


def test_what_is_removed_for_good_goes_there_too_and_nothing_else(account, actor, there, folders):
    message = mail(account, there, folders["INBOX"])
    kept = mail(account, there, folders["Trash"])
    there.select_folder("Trash")
    there.add_flags([1], ["\\Deleted"])
    delete_message(actor=actor, message=message)
    push(account)
    purge_deleted(timezone.now() + KEPT_FOR)
    assert not Message.objects.filter(pk=message.pk).exists()
    push(account)
    assert list(flags(there, "Trash")) == [1]
    assert list(RemoteMessage.objects.values_list("message", flat=True)) == [kept.pk]


def test_a_mailbox_that_the_server_lacks_is_made(account, actor, there, folders):
    there.delete_folder("Archive")
    folders["Archive"].delete()
    message = mail(account, there, folders["INBOX"])
    move_message(actor=actor, message=message, role="archive")
    push(account)
    assert list(flags(there, "Archive")) == [1]
    assert lying(message) == [("Archive", 1, False)]


def test_a_message_that_is_gone_there_stops_nothing(account, actor, there, folders):
    gone, other = mail(account, there, folders["INBOX"]), mail(account, there, folders["INBOX"])
    there.select_folder("INBOX")
    there.delete_messages([1])
    there.expunge([1])
    for message in (gone, other):
        change(actor, message, is_read=True)
        move_message(actor=actor, message=message, role="archive")
    push(account)
    assert lying(gone) == [("INBOX", 1, False)]
    assert lying(other) == [("Archive", 1, False)]


def test_a_message_that_goes_while_we_move_it_does_not_keep_the_others(
    account, actor, there, folders
):
    gone, other = mail(account, there, folders["INBOX"]), mail(account, there, folders["INBOX"])
    for message in (gone, other):
        move_message(actor=actor, message=message, role="archive")
    with begun(account) as visit:
        real = visit.store.move

        def expunge_first(uids, to):
            there.select_folder("INBOX")
            there.delete_messages([1])
            there.uid_expunge([1])
            return real(uids, to)

        visit.store.move = expunge_first
        assert push_changes(visit).refused == []
    push(account)
    assert lying(other) == [("Archive", 1, False)]


def test_a_mailbox_whose_uids_are_others_now_is_not_touched(account, actor, there, folders):
    message = mail(account, there, folders["INBOX"])
    RemoteFolder.objects.filter(name="INBOX").update(uidvalidity=7)
    change(actor, message, is_read=True)
    push(account)
    assert flags(there, "INBOX") == {1: set()}
    assert message.places.get().dirty


def test_after_a_crash_between_telling_and_writing_it_down_all_is_told(
    account, actor, there, folders, monkeypatch
):
    message = mail(account, there, folders["INBOX"])
    change(actor, message, is_read=True)
    move_message(actor=actor, message=message, role="archive")
    before = list(RemoteMessage.objects.values())
    push(account)
    # As the rows were when the worker died.
    RemoteMessage.objects.all().delete()
    RemoteMessage.objects.bulk_create(RemoteMessage(**row) for row in before)
    pushed, _ = push(account)
    assert pushed.refused == []
    assert list(flags(there, "Archive")) == [1]
    assert not message.places.get().dirty


def test_what_is_changed_again_meanwhile_is_told_the_next_time(account, actor, there, folders):
    message = mail(account, there, folders["INBOX"])
    change(actor, message, is_read=True)
    with begun(account) as visit:
        real = visit.store.store_keywords

        def change_meanwhile(uids, **how):
            real(uids, **how)
            change(actor, message, is_read=False)

        visit.store.store_keywords = change_meanwhile
        push_changes(visit)
    assert message.places.get().dirty
    push(account)
    assert flags(there, "INBOX") == {1: set()}
    assert not message.places.get().dirty


def test_a_refused_login_is_told(account, actor, there, folders):
    account.secret = credentials.encrypt("wrong")
    account.save()
    with pytest.raises(StoreError) as caught:
        push(account)
    assert caught.value.kind == "login"
