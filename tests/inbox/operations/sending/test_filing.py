"""The copy of what was sent, in a real mailbox."""

from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.accounts.credentials import encrypt
from inbox.background.jobs import run_due
from inbox.models import Account, Job, Message, Submission, SyncState
from inbox.operations.accounts.connections import mail_store_of
from inbox.operations.sending import filing
from inbox.providers.sent_copies import put_copy
from tests import sending_tools
from tests.dovecot import PASSWORD, run_dovecot
from tests.inbox.syncing.mirrors import Mirror
from tests.sending_tools import fate, hurry, propose, recover
from tests.servers import Peer, drop

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture(scope="module")
def dovecot():
    with run_dovecot() as server:
        yield server


@pytest.fixture
def user(dovecot):
    return dovecot.new_user()


@pytest.fixture
def release(actor, inbox, reviewer, dovecot, user):
    """Release a submission of an account whose mail lies in Dovecot."""

    def make(port: int, bcc: tuple[str, ...] = (), **settings) -> Submission:
        submission = propose(actor, inbox, port, bcc=list(bcc))
        account = Account.objects.get(pk=inbox.account_id)
        account.settings |= dovecot.settings(user) | settings
        account.secret = encrypt(PASSWORD)
        account.save()
        return sending_tools.release(submission, reviewer)

    return make


def sending_server(**script) -> Peer:
    return Peer(EHLO="250-peer\r\n250 AUTH PLAIN", **script)


def in_sent(dovecot, user, name: str = "Sent") -> list[tuple[bytes, bool]]:
    """The bytes of each message in the mailbox, and whether it is marked as read."""
    with dovecot.client(user) as client:
        client.select_folder(name, readonly=True)
        uids = client.search()
        rows = client.fetch(uids, ["BODY.PEEK[]", "FLAGS"]) if uids else {}
    return [(row[b"BODY[]"], b"\\Seen" in row[b"FLAGS"]) for row in rows.values()]


def test_what_was_sent_lies_with_the_sent_mail_once_and_read(release, dovecot, user):
    with sending_server() as peer:
        submission = release(peer.port)
        run_due()
        recover()
        # As after a loss of the job, and of the word that it had been done.
        Submission.objects.update(filed_at=None)
        filing.sweep_filing(timezone.now() + timedelta(days=1))
        run_due()
    assert fate(submission) == "sent"
    assert in_sent(dovecot, user) == [(submission.mime_bytes, True)]
    assert submission.filed_at is not None


def test_bcc_is_in_no_copy(release, dovecot, user):
    with sending_server() as peer:
        release(peer.port, bcc=["cid@customer.example"])
        run_due()
    assert peer.whole[0].recipients == ["ada@customer.example", "cid@customer.example"]
    [(raw, _)] = in_sent(dovecot, user)
    assert b"cid@" not in raw


def test_a_provider_that_files_by_itself_is_left_alone(release, dovecot, user):
    with sending_server() as peer:
        submission = release(peer.port, sent_by_server=True)
        run_due()
    assert (fate(submission), submission.filed_at is not None) == ("sent", True)
    assert in_sent(dovecot, user) == []


@pytest.fixture(scope="module")
def bare_dovecot():
    with run_dovecot(roles=False) as server:
        yield server


def test_where_there_is_no_mailbox_for_it_one_is_made(release, bare_dovecot, user):
    with sending_server() as peer:
        release(peer.port, **bare_dovecot.settings(user))
        run_due()
    assert len(in_sent(bare_dovecot, user)) == 1


def test_a_mailbox_that_cannot_be_reached_is_told_and_tried_again(release, dovecot, user):
    with sending_server() as peer:
        submission = release(peer.port, imap_port=1)
        run_due()
        assert (fate(submission), submission.filed_at) == ("sent", None)
        assert submission.filing_problem
        filing.sweep_filing(timezone.now() + timedelta(days=1))
        [job] = Job.objects.filter(kind=filing.JOB)
        assert (job.state, job.run_at > timezone.now()) == ("queued", True)
        account = Account.objects.get()
        account.settings["imap_port"] = dovecot.port
        account.save()
        hurry()
        run_due()
    assert len(in_sent(dovecot, user)) == 1
    submission.refresh_from_db()
    assert (submission.filing_problem, submission.filed_at is not None) == ("", True)


def test_the_copy_of_one_who_looked_before_another_came_goes_again(release, dovecot, user):
    with sending_server() as peer:
        submission = release(peer.port)
        run_due()
    with mail_store_of(Account.objects.get()) as store:
        raw, message_id = submission.mime_bytes, submission.message_id_header
        blind = Blind(store)
        put_copy(blind, raw, message_id, None)
    assert blind.looks == 2
    assert len(in_sent(dovecot, user)) == 1


class Blind:
    """A store whose first look finds nothing, as if the other's copy came right after it."""

    def __init__(self, store) -> None:
        self.store = store
        self.looks = 0

    def __getattr__(self, name):
        return getattr(self.store, name)

    def find(self, name, message_id):
        self.looks += 1
        return [] if self.looks == 1 else self.store.find(name, message_id)


# -- found with the sent mail ----------------------------------------------------------------------
def file_by_hand(dovecot, user, raw: bytes, name: str = "Sent") -> None:
    with dovecot.client(user) as client:
        client.append(name, raw)


@pytest.mark.parametrize("mailbox", ["Sent", "INBOX"])
def test_what_a_dead_worker_left_is_sent_where_it_is_found(release, dovecot, user, mailbox):
    with sending_server(dot=drop) as peer:
        submission = release(peer.port, sent_by_server=True)
        rows = Submission.objects.filter(pk=submission.pk)
        rows.update(state="sending", fence="f", handed_over_at=timezone.now())
        file_by_hand(dovecot, user, submission.mime_bytes, mailbox)
        recover()
    assert (fate(submission), peer.whole) == ("sent", [])


def test_what_is_not_found_stays_unknown_until_it_is(release, dovecot, user):
    with sending_server(dot=drop) as peer:
        submission = release(peer.port, sent_by_server=True)
        run_due()
        assert fate(submission) == "unknown"
        Job.objects.filter(key__endswith=":0").update(run_at=timezone.now())
        run_due()
        assert fate(submission) == "unknown"
        file_by_hand(dovecot, user, submission.mime_bytes)
        hurry()
        run_due()
    assert (fate(submission), "found it on the server" in submission.outcome) == ("sent", True)
    assert len(peer.whole) == 1
    assert Message.objects.get().submission_id == submission.pk


# -- seen by the mirror ----------------------------------------------------------------------------
@pytest.fixture
def mirror(inbox):
    account = inbox.account
    SyncState.objects.create(workspace=account.workspace, account=account, next_at=timezone.now())
    return Mirror(account)


def test_the_copy_that_was_filed_is_the_place_of_our_message(release, mirror):
    with sending_server() as peer:
        submission = release(peer.port)
        run_due()
    mirror.sync(times=2)
    run_due()
    message = Message.objects.get()
    assert message.submission_id == submission.pk
    assert [place.folder.name for place in message.places.all()] == ["Sent"]


def test_an_unknown_one_is_settled_by_the_mirror(release, mirror, dovecot, user):
    with sending_server(dot=drop) as peer:
        submission = release(peer.port, sent_by_server=True)
        run_due()
    assert fate(submission) == "unknown"
    file_by_hand(dovecot, user, b"X-Filed-By: them\r\n" + submission.mime_bytes)
    mirror.sync()
    run_due()
    assert fate(submission) == "sent"
    assert Message.objects.get().submission_id == submission.pk
