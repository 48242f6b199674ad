"""Servers and messages that make trouble: one bad message stops nothing, and is not asked for again."""

import pytest
from django.db import connection
from django.utils import timezone

from inbox.errors import DomainError
from inbox.models import Account, Message, SyncState
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.syncing.mirror import consult
from tests.faults.imap_messages import asked_for
from tests.faults.imap_peer import ImapPeer
from tests.faults.imap_syntax import text_of
from tests.faults.scripted import OverError
from tests.inbox.syncing.mirrors import Mirror, connect_account, letter

BAD = 4


@pytest.fixture
def peer():
    with ImapPeer() as peer:
        for number in range(1, 8):
            peer.add("INBOX", letter(f"Letter {number}", body="Hello.\r\n" * number))
        yield peer


def asks_for_the_bad_one(talk) -> bool:
    command = talk.peer.commands[-1]
    is_body = "BODY" in str(command.words)
    return is_body and BAD in asked_for(talk, command, text_of(command.words[0]))


def hang_up_over_it(talk, usual):
    if asks_for_the_bad_one(talk):
        raise OverError
    return usual


def refuse_it(talk, usual):
    if asks_for_the_bad_one(talk):
        return talk.send(usual.split(b" ")[0] + b" NO this one is broken\r\n")
    return talk.send(usual)


def assert_only_the_bad_one_is_missing(mirror):
    assert mirror.state.status == "current"
    assert mirror.subjects("Inbox") == [f"Letter {it}" for it in range(1, 8) if it != BAD]
    place = RemoteMessage.objects.get(message=None)
    assert place.uid == BAD
    return place.problem


def bodies_asked_for(peer):
    return sum("BODY" in str(command.words) for command in peer.commands)


def test_a_message_over_which_the_server_hangs_up_is_left_out_in_the_end(mirror, peer):
    peer.script = {"message": hang_up_over_it}
    for _ in range(8):
        mirror.sync()
    problem = assert_only_the_bad_one_is_missing(mirror)
    assert "connection was lost" in problem
    assert RemoteFolder.objects.get(name="INBOX").stuck == 0
    asked = bodies_asked_for(peer)
    mirror.sync()
    assert bodies_asked_for(peer) == asked


def test_a_message_that_the_server_refuses_is_left_out_at_once(mirror, peer):
    peer.script = {"FETCH": refuse_it}
    mirror.sync()
    assert "this one is broken" in assert_only_the_bad_one_is_missing(mirror)


def test_a_message_that_is_too_large_is_not_fetched(mirror, peer, monkeypatch):
    monkeypatch.setattr("inbox.providers.imap.fetching.LARGEST_MESSAGE", 10_000)
    monkeypatch.setattr("inbox.syncing.incoming.fetching.LARGEST_MESSAGE", 10_000)
    peer.add("INBOX", letter("Large", body="x" * 20_000))
    mirror.sync()
    assert len(mirror.messages("Inbox")) == 7
    assert "too large" in RemoteMessage.objects.get(message=None).problem


def test_an_empty_message_and_one_of_noise_stop_nothing(mirror, peer):
    peer.add("INBOX", b"")
    peer.add("INBOX", bytes(range(256)) * 20)
    mirror.sync()
    mirror.assert_agrees()
    assert len(mirror.messages("Inbox")) == 8


def test_a_server_that_forgets_the_inbox_costs_nothing(mirror, peer):
    mirror.sync()
    with peer.lock:
        kept = peer.mailboxes.pop("INBOX")
    assert not mirror.sync()
    assert "INBOX" in mirror.state.words
    peer.mailboxes["INBOX"] = kept
    mirror.sync()
    assert Message.objects.kept().count() == 7


@pytest.mark.django_db(transaction=True)
def test_a_sync_that_lost_its_lease_writes_nothing_more(mirror, peer):
    mirror.sync()
    peer.add("INBOX", letter("Late"))

    def take_over(talk, usual):
        SyncState.objects.update(fence="another")
        connection.close()
        return talk.send(usual)

    peer.script = {"EXAMINE": take_over}
    mirror.sync()
    assert Message.objects.count() == 7


@pytest.mark.django_db(transaction=True)
def test_trouble_is_logged_once_with_the_account_however_many_ask(mirror, peer, caplog):
    mirror.sync()
    peer.script = {"LIST": lambda talk, usual: talk.send(usual.split()[0] + b" NO tired\r\n")}
    caplog.clear()
    mirror.sync()
    account = Account.objects.get()
    for _ in range(3):
        with pytest.raises(DomainError):
            consult(account=account, resource="email_list", key="x", force_refresh=True)
    told = [record for record in caplog.records if record.levelname in {"WARNING", "ERROR"}]
    assert [record.levelname for record in told] == ["WARNING"]
    assert told[0].getMessage().startswith(f"account {mirror.account.pk}: ")
    assert "tired" in told[0].getMessage()


def test_without_condstore_a_flag_on_old_mail_is_seen_at_each_look_with_few_commands(inbox, db):
    with ImapPeer().without("CONDSTORE", "QRESYNC") as peer:
        peer.add("INBOX", letter("Old"))
        settings = {
            "imap_host": "127.0.0.1", "imap_port": peer.port, "imap_security": "none",
            "imap_timeout": 5, "username": "office",
        }  # fmt: skip
        mirror = Mirror(connect_account(inbox, settings))
        mirror.sync(times=2)
        _let_many_lie_above(peer, 4000)
        mirror.sync()
        for number in range(2):
            peer.mailboxes["INBOX"].flag(1, {"\\Flagged"} if number == 0 else set())
            begun = len(peer.commands)
            assert mirror.sync()
            names = [command.name for command in peer.commands[begun:]]
            assert len(names) <= 5, names
            [old] = mirror.messages("Inbox")
            assert ("$flagged" in old.keywords) is (number == 0)


def _let_many_lie_above(peer, number: int) -> None:
    """Let many messages lie there that were noted before, and have no message here."""
    folder = RemoteFolder.objects.get(name="INBOX")
    uids = [peer.add("INBOX", b"Subject: x\r\n\r\n") for _ in range(number)]
    RemoteMessage.objects.bulk_create(RemoteMessage(folder=folder, uid=uid) for uid in uids)
    RemoteFolder.objects.filter(pk=folder.pk).update(
        uidnext=uids[-1] + 1, messages=number + 1, compared_at=timezone.now()
    )


def test_a_server_that_opens_nothing_for_those_who_do_not_say_who_they_are_is_told(mirror, peer):
    def unless_named(talk, usual):
        if any(command.name == "ID" for command in peer.commands):
            return talk.send(usual)
        return talk.send(usual.split(b" ")[0] + b" NO EXAMINE Unsafe Login.\r\n")

    peer.script = {"EXAMINE": unless_named}
    mirror.sync()
    assert mirror.state.status == "current"
    assert len(mirror.messages("Inbox")) == 7
    assert sum(command.name == "ID" for command in peer.commands) == 1
