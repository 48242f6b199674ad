"""A change made here shows there and back without an echo; what is read waits for a real server."""

import socket
import threading
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.accounts import credentials
from inbox.actor import system_actor
from inbox.background.jobs import run_due
from inbox.errors import DomainError
from inbox.models import Account, Job, Message, MirrorEntry, SyncState, SyncStatus
from inbox.models.remote import RemoteMessage
from inbox.operations.drafts.writing import create_draft
from inbox.operations.mail.message_changes import (
    MessageChanges,
    delete_message,
    move_message,
    restore_message,
    update_message,
)
from inbox.operations.sending.submissions import propose_submission
from inbox.syncing import asking, mirror
from inbox.syncing.watching import watchers as watching
from inbox.syncing.watching.leases import Leases, unwatched
from inbox.syncing.watching.watchers import Watchers
from tests.dovecot import PASSWORD, run_dovecot
from tests.inbox.syncing.mirrors import Mirror, connect_account, letter
from tests.patience import LONG
from tests.sending_tools import release
from tests.servers import smtp_sink

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def ours(inbox, dovecot, user, there):
    """Our side of an account with two messages, synced."""
    for subject in ("One", "Two"):
        there.append("INBOX", letter(subject))
    made = Mirror(connect_account(inbox, dovecot.settings(user, imap_timeout=5)))
    assert made.sync(times=2)
    return made


@pytest.fixture
def actor(ours):
    return system_actor(ours.account.workspace_id, "tests")


def one(ours):
    return ours.messages("Inbox")[0]


def mark(actor, message, **changes):
    update_message(actor=actor, message=message, changes=MessageChanges(**changes))


def test_what_is_changed_here_comes_back_as_it_was_said_and_nothing_is_told_twice(ours, actor):
    message = one(ours)
    mark(actor, message, is_read=True, categories=["Travel", "two words"])
    ours.sync()
    ours.assert_agrees()
    message.refresh_from_db()
    assert message.keywords == ["$seen", "Travel", "two words"]
    facts = Job.objects.filter(kind__contains="message").count()
    ours.sync(times=2)
    assert not RemoteMessage.objects.filter(dirty=True).exists()
    assert Job.objects.filter(kind__contains="message").count() == facts


def test_what_is_answered_here_is_answered_there(ours, actor, there, reviewer):
    question = one(ours)
    draft = create_draft(
        actor=actor, inbox=question.inbox, identity=ours.account.identities.get(),
        to=["ada@customer.example"], subject="Re: One", body="Yes.", thread=question.thread,
        in_reply_to=question,
    )  # fmt: skip
    with smtp_sink() as (sink, port):
        smtp = {"smtp_host": "127.0.0.1", "smtp_port": port, "smtp_security": "none"}
        settings = ours.account.settings | smtp | {"sent_by_server": True}
        Account.objects.update(settings=settings, secret=None, undo_seconds=0)
        submission = propose_submission(actor=actor, draft=draft)
        release(submission, reviewer)
        run_due()
        assert len(sink.taken) == 1
    Account.objects.update(secret=credentials.encrypt(PASSWORD))
    assert ours.sync(times=2)
    there.select_folder("INBOX", readonly=True)
    uid = question.places.get().uid
    assert b"\\Answered" in there.get_flags([uid])[uid]
    assert "$answered" in Message.objects.get(pk=question.pk).keywords
    ours.assert_agrees()


def test_both_sides_change_one_message_at_once(ours, actor, there):
    message = one(ours)
    mark(actor, message, is_read=True)
    there.select_folder("INBOX")
    there.add_flags([message.places.get().uid], ["\\Flagged"])
    there.unselect_folder()
    ours.sync()
    message.refresh_from_db()
    assert message.keywords == ["$flagged", "$seen"]
    ours.assert_agrees()


def test_a_move_a_deletion_and_a_restoration_end_where_they_should(ours, actor, there):
    message = one(ours)
    move_message(actor=actor, message=message, role="archive")
    ours.sync()
    ours.assert_agrees()
    delete_message(actor=actor, message=message)
    ours.sync()
    assert list(ours.places()["Trash"]) == [1]
    restore_message(actor=actor, message=message)
    ours.sync()
    ours.assert_agrees()
    assert ours.subjects("Archive") == [message.subject]
    assert Message.objects.count() == 2


def test_what_somebody_takes_out_of_the_trash_there_is_restored_here(ours, actor, there):
    message = one(ours)
    delete_message(actor=actor, message=message)
    ours.sync()
    there.select_folder("Trash")
    there.move([1], "Archive")
    ours.sync()
    message.refresh_from_db()
    assert message.deleted_at is None
    assert ours.subjects("Archive") == [message.subject]


def test_without_move_and_uidplus_nothing_is_lost(inbox, actor_of):
    with run_dovecot(capability="IMAP4rev1 LITERAL+ CONDSTORE LIST-STATUS LIST-EXTENDED") as old:
        user = old.new_user()
        with old.client(user) as there:
            there.append("INBOX", letter("One"))
            made = Mirror(connect_account(inbox, old.settings(user)))
            made.sync(times=2)
            move_message(actor=actor_of(made), message=one(made), role="archive")
            made.sync(times=2)
            assert Message.objects.kept().count() == 1
            assert made.state.status == SyncStatus.CURRENT


@pytest.fixture
def actor_of():
    return lambda made: system_actor(made.account.workspace_id, "tests")


# -- reading ---------------------------------------------------------------------------------------
def read(ours, **how):
    account = type(ours.account).objects.select_related("sync").get(pk=ours.account.pk)
    return mirror.consult(account=account, resource="email_list", key={"limit": 5}, **how)


def test_a_reading_after_a_sync_is_fresh_and_asks_nobody(ours):
    found = read(ours)
    assert (found.status, found.cached_at) == ("fresh", ours.state.current_at)
    entry = MirrorEntry.objects.get()
    assert (entry.hits, entry.misses) == (1, 0)


def test_who_asks_anew_gets_what_came_a_moment_ago(ours, there):
    there.append("INBOX", letter("Three"))
    before = timezone.now()
    found = read(ours, force_refresh=True)
    assert (found.status, found.cached_at >= before) == ("miss", True)
    assert ours.subjects("Inbox") == ["One", "Three", "Two"]


def test_a_write_is_told_before_the_next_reading_answers(ours, actor):
    mark(actor, one(ours), is_read=True)
    assert read(ours).status == "miss"
    assert {frozenset({"$seen"}), frozenset()} == set(ours.there()["INBOX"].values())


def test_a_server_that_refuses_the_password_is_told_of_and_then_left_alone(ours):
    ours.account.secret = credentials.encrypt("changed meanwhile")
    ours.account.save()
    for _ in range(2):
        with pytest.raises(DomainError) as caught:
            read(ours, force_refresh=True)
        assert caught.value.code == "provider_error"
        assert str(caught.value.message) == "The server refused the sign-in."
    state = ours.state
    assert (state.status, state.failures) == ("refused", 1)
    assert state.words
    assert MirrorEntry.objects.get().cached_at is None


def test_nobody_waits_longer_than_they_have_patience(ours, monkeypatch):
    released = threading.Event()
    monkeypatch.setattr(asking, "run_now", lambda *_: released.wait(3 * LONG))
    start = time.monotonic()
    with pytest.raises(Exception, match="within 0 seconds"):
        asking.bring_up_to_date(ours.account, patience=0.3)
    assert time.monotonic() - start < LONG
    released.set()


def test_a_paused_account_answers_with_what_there_is(ours):
    SyncState.objects.update(status=SyncStatus.PAUSED, next_at=None)
    found = read(ours, force_refresh=True)
    assert (found.status, found.cached_at) == ("stale", ours.state.current_at)


# -- watching --------------------------------------------------------------------------------------
@pytest.fixture
def watchers():
    made = Watchers(most=5)
    made.start()
    yield made
    made.stop()


def until(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def test_mail_that_comes_is_noticed_at_once(ours, watchers, there):
    until(lambda: watchers.number == 1 and SyncState.objects.get().watched_until is not None)
    time.sleep(0.5)  # it opens the mailbox and waits
    SyncState.objects.update(next_at=timezone.now() + timedelta(hours=1))
    there.append("INBOX", letter("Three"))
    until(lambda: SyncState.objects.get().next_at <= timezone.now())
    assert Job.objects.filter(kind="account.sync", state="queued").exists()


def test_one_process_watches_an_account_and_gives_it_back(ours):
    keys = [ours.account.pk]
    first, second = Leases(), Leases()
    assert (first.claim(keys), second.claim(keys)) == (set(keys), set())
    assert (first.renew(), second.renew()) == (set(keys), set())
    assert list(unwatched(timezone.now())) == []
    second.release()
    assert first.renew()
    first.release()
    assert second.claim(keys)


@pytest.mark.parametrize("status", ["paused", "refused", "first"])
def test_an_account_that_rests_is_not_watched(ours, status):
    held = Leases()
    held.claim([ours.account.pk])
    SyncState.objects.update(status=status)
    assert not held.renew()
    SyncState.objects.update(watched_until=None)
    assert list(unwatched(timezone.now())) == []


def test_an_account_that_may_have_one_connection_only_is_not_watched(ours):
    ours.account.settings["imap_max_connections"] = 1
    ours.account.save()
    assert list(unwatched(timezone.now())) == []


def test_a_server_that_hangs_up_is_tried_once_and_then_left_alone(ours, monkeypatch):
    monkeypatch.setattr(watching, "LOOK", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(5)
        ours.account.settings["imap_port"] = listening.getsockname()[1]
        ours.account.save()
        watchers = Watchers(most=5)
        watchers.start()
        listening.accept()[0].close()
        listening.settimeout(1)
        with pytest.raises(TimeoutError):
            listening.accept()
        watchers.stop()
    until(lambda: SyncState.objects.get().watched_until is None)
