"""What is sent as a draft of the provider's, and seen by a sync on the way, is one message."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from inbox.background.jobs import run_due
from inbox.models import Message, Submission
from inbox.models.remote import RemoteMessage
from inbox.operations.accounts.connections import with_provider
from inbox.operations.sending.delivery import parcel_of
from inbox.operations.sending.keeping_copies import enqueue_copy
from tests.inbox.syncing.by_changes import graph_account, jmap_account
from tests.machines.graph.mail.exchange import rewritten
from tests.machines.graph.server import graph_server
from tests.sending_tools import fate, hurry, propose, release

pytestmark = pytest.mark.django_db


@pytest.fixture
def graph():
    with graph_server() as server:
        server.add_account("office@lantern.example")
        yield server


@pytest.fixture
def mail(graph):
    return next(iter(graph.boxes.values())).mail


@pytest.fixture
def approved(actor, inbox, reviewer):
    """A message that a person let leave."""
    return release(propose(actor, inbox), reviewer)


@pytest.fixture
def mirror(inbox, graph, approved):
    inbox.account.refresh_from_db()
    mirror = graph_account.connect(inbox, graph, "office@lantern.example")
    assert mirror.sync()
    return mirror


def is_once(submission, *, in_="sent"):
    """The message that left is the only one, and lies there and here among the sent mail."""
    [message] = Message.objects.all()
    assert (message.submission_id, message.deleted_at) == (submission.pk, None)
    assert [box.role for box in message.mailboxes.all()] == [in_]
    assert [place.folder.role for place in message.places.select_related("folder")] == [in_]
    assert message.blob.read() == submission.mime_bytes
    assert not RemoteMessage.objects.filter(message=None).exists()


def send(submission, between):
    """Send it as a worker does, which does something between its draft and the sending."""
    now = timezone.now()
    Submission.objects.filter(pk=submission.pk).update(
        state="sending", fence="f", leased_until=now + timedelta(minutes=1)
    )
    account = Submission.objects.select_related("account").get(pk=submission.pk).account
    with_provider(account, lambda way: way.submit(parcel_of(submission), between))
    Submission.objects.filter(pk=submission.pk).update(state="sent", finished_at=now)


def test_a_draft_that_is_seen_before_it_is_sent_is_no_message(mirror, graph, mail, approved):
    send(approved, partial(mirror.sync, times=2))
    assert not Message.objects.exists()
    assert RemoteMessage.objects.get().submission_id == approved.pk
    graph.calls.clear()
    enqueue_copy(approved)
    run_due()
    # The look that sees it sent reads it once more, and then never again.
    assert mirror.sync(times=2)
    is_once(approved)
    graph_account.agree(mail, mirror)
    assert len([call for call in graph.calls if call.path.endswith("$value")]) == 1
    assert len(mail.left) == 1


def test_a_sent_draft_is_the_message_whoever_comes_first(mirror, mail, approved):
    send(approved, partial(mirror.sync, times=1))
    assert mirror.sync()
    is_once(approved)
    enqueue_copy(approved)
    run_due()
    assert mirror.sync()
    is_once(approved)
    graph_account.agree(mail, mirror)


@pytest.mark.parametrize("again", [False, True])
def test_what_a_killed_worker_left_is_sent_once_and_is_one_message(mirror, mail, approved, again):
    left = mail.arrive(rewritten(approved.mime_bytes), "drafts", is_draft=True)
    assert mirror.sync(times=2)
    assert not Message.objects.exists()
    if again:
        mail.arrive(rewritten(approved.mime_bytes), "drafts", is_draft=True)
        assert mirror.sync(times=2)
    hurry()
    run_due()
    assert fate(approved) == "sent"
    assert left.id not in mail.letters
    assert mirror.sync(times=2)
    is_once(approved)
    graph_account.agree(mail, mirror)
    assert len(mail.left) == 1


@pytest.mark.parametrize("vanishes", [False, True])
def test_of_what_nobody_knows_the_sent_draft_tells(mirror, graph, mail, approved, vanishes):
    graph.order("drop", "POST .*/send")
    graph.order(503, "GET .*/messages/", times=9)
    hurry()
    run_due()
    graph.faults.clear()
    assert fate(approved) == "unknown"
    assert mirror.sync(times=2)
    assert not Message.objects.exists()
    [draft] = mail.letters.values()
    if vanishes:
        mail.remove(draft)
        mail.arrive(draft.raw, "sentitems", is_read=True)
    else:
        mail.change(draft, is_draft=False)
        mail.move(draft, mail.folder("sentitems"))
    assert mirror.sync()
    hurry()
    run_due()
    assert fate(approved) == "sent"
    assert mirror.sync(times=2)
    is_once(approved)
    graph_account.agree(mail, mirror)


def test_a_draft_whose_message_did_not_leave_is_one_among_the_drafts(mirror, graph, mail, approved):
    graph.order(403, "POST .*/send")
    graph.order(503, "POST .*/permanentDelete", times=9)
    hurry()
    run_due()
    graph.faults.clear()
    assert fate(approved) == "failed"
    assert mirror.sync()
    assert mirror.subjects("Drafts") == ["News"]
    graph_account.agree(mail, mirror)


def test_what_others_have_among_the_drafts_comes_as_ever(mirror, mail, approved):
    raw = approved.mime_bytes
    mail.arrive(raw.replace(b"office@", b"other@"), "drafts", is_draft=True)
    mail.arrive(raw.replace(b"Message-ID: <", b"Message-ID: <x"), "drafts", is_draft=True)
    assert mirror.sync()
    assert mirror.subjects("Drafts") == ["News", "News"]


@pytest.mark.services
def test_by_jmap_a_draft_that_is_seen_before_it_is_sent_is_no_message(inbox, cyrus, approved):
    user = cyrus.new_user()
    inbox.account.refresh_from_db()
    mirror = jmap_account.connect(inbox, cyrus.settings(user))
    assert mirror.sync()
    send(approved, partial(mirror.sync, times=2))
    assert not Message.objects.exists()
    assert RemoteMessage.objects.get().submission_id == approved.pk
    assert mirror.sync(times=2)
    enqueue_copy(approved)
    run_due()
    assert mirror.sync(times=2)
    is_once(approved)
    jmap_account.agree(cyrus, user, mirror)


@pytest.mark.services
def test_by_jmap_what_a_killed_worker_left_is_one_message(inbox, cyrus, approved):
    user = cyrus.new_user()
    inbox.account.refresh_from_db()
    mirror = jmap_account.connect(inbox, cyrus.settings(user))
    with cyrus.client(user) as program:
        program.append("Drafts", approved.mime_bytes, [b"\\Draft", b"\\Seen"])
    assert mirror.sync(times=2)
    assert not Message.objects.exists()
    hurry()
    run_due()
    assert fate(approved) == "sent"
    assert mirror.sync(times=2)
    is_once(approved)
    jmap_account.agree(cyrus, user, mirror)
