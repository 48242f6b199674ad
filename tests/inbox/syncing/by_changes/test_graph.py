"""Mail by Microsoft Graph, at a strict stand-in that other programs change meanwhile.

`SYNC_ROUNDS=500` has one make so many changes; `SYNC_SEED` is what it goes by.
"""

import email
import email.policy
import hashlib
import json
import os
import random

import pytest
from django.utils import timezone

from agents.models import Receipt
from inbox.accounts.credentials import Secret, Tokens, encrypt_tokens
from inbox.actor import system_actor
from inbox.background.jobs import run_due
from inbox.models import Account, Job, Message, Submission
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.deletions import purge_deleted
from inbox.operations.drafts.writing import NewAttachment
from inbox.operations.mail.message_changes import (
    MessageChanges,
    delete_message,
    move_message,
    update_message,
)
from inbox.operations.purging import KEPT_FOR
from tests import sending_tools
from tests.http_faults import some_of
from tests.inbox.syncing.by_changes.graph_account import VERB, OtherProgram, agree, connect
from tests.inbox.syncing.by_changes.test_made_up import act_here
from tests.inbox.syncing.killing import Kills
from tests.inbox.syncing.mirrors import duplicates, letter
from tests.machines.graph.server import ADDRESS, graph_server

pytestmark = pytest.mark.django_db
SEED = int(os.environ.get("SYNC_SEED", "0"))
SEEDS = int(os.environ.get("SYNC_SEEDS", "1"))
ROUNDS = int(os.environ.get("SYNC_ROUNDS", "15"))
FAULTS = ("drop", "lose", "half", 401, 429, 500, 503)


@pytest.fixture
def graph():
    with graph_server() as server:
        server.add_account()
        yield server


@pytest.fixture
def mail(graph):
    return graph.boxes[ADDRESS].mail


@pytest.fixture
def mirror(inbox, graph):
    return connect(inbox, graph)


@pytest.fixture
def actor(inbox):
    return system_actor(inbox.workspace_id, "tests")


def asked(graph, method):
    return [call for call in graph.calls if call.method == method]


def patched(graph):
    """Return the changes of messages that were asked for, which go many in a request."""
    batches = [call for call in graph.calls if call.path.endswith("/$batch")]
    each = [request for call in batches for request in json.loads(call.body)["requests"]]
    return [request for request in each if request["method"] == "PATCH"]


def downloads(graph):
    return [call for call in graph.calls if call.path.endswith("/$value")]


def test_what_lies_there_is_read_to_the_byte(mirror, mail):
    raw = letter("Bytes", body="Grüße\r\n.dots\r\n\r\n  blanks  ")
    mail.arrive(raw, is_read=True, categories=["Red category", "Travel"], flag="flagged")
    mail.arrive(letter("Filed"), "archive")
    assert mirror.sync()
    agree(mail, mirror)
    message = Message.objects.get(subject="Bytes")
    assert message.blob.read() == raw
    assert message.keywords == ["$flagged", "$seen", "red category", "travel"]
    assert mirror.subjects("Archive") == ["Filed"]
    assert mirror.state.status == "current"
    assert mirror.state.features == []


def test_folders_are_mailboxes_by_their_paths_and_roles(mirror, mail):
    travel = mail.add_folder("Travel", parent=mail.folder("inbox").id)
    mail.add_folder("2026", parent=travel.id)
    mail.add_folder("Conflicts", parent=mail.folder("syncissues").id)
    mirror.sync()
    found = dict(RemoteFolder.objects.values_list("name", "role"))
    assert found == {
        "Inbox": "inbox", "Drafts": "drafts", "Sent Items": "sent", "Archive": "archive",
        "Junk Email": "junk", "Deleted Items": "trash", "Inbox/Travel": "", "Inbox/Travel/2026": "",
    }  # fmt: skip


def test_the_first_sync_reads_the_newest_first_and_says_how_far_it_is(mirror, mail, graph):
    for number in range(30):
        mail.arrive(letter(f"Letter {number}"))
    mirror.sync()
    newest = mail.newest_first(mail.folder("inbox"))
    fetched = [call.path.split("/")[-2] for call in downloads(graph)]
    assert set(fetched[:20]) == set(newest[:20])
    assert mirror.state.done == mirror.state.total == 30


def test_a_look_with_nothing_new_is_one_call_for_the_folders_and_one_for_each(mirror, mail, graph):
    mail.arrive(letter("One"))
    mirror.sync(times=2)
    before = list(RemoteMessage.objects.values())
    graph.calls.clear()
    assert mirror.sync()
    assert len(graph.calls) == 1 + RemoteFolder.objects.count()
    assert list(RemoteMessage.objects.values()) == before


def test_what_changes_there_changes_here_and_is_not_told_back(mirror, mail, graph):
    read, moved, gone = (mail.arrive(letter(word)) for word in ("Read", "Moved", "Gone"))
    mirror.sync()
    mail.change(read, is_read=True)
    mail.move(moved, mail.folder("archive"))
    mail.remove(gone)
    mirror.sync()
    mail.change(read, categories=["Two words"], flag="flagged")
    graph.calls.clear()
    mirror.sync(times=2)
    agree(mail, mirror)
    assert Message.objects.get(subject="Read").keywords == ["$flagged", "$seen", "two words"]
    assert mirror.subjects("Archive") == ["Moved"]
    assert Message.objects.get(subject="Gone").deleted_at is not None
    assert not patched(graph)
    assert len(asked(graph, "POST")) == 2
    assert not downloads(graph)


def test_what_is_changed_here_is_told_and_comes_not_back_as_news(mirror, mail, graph, actor):
    kept = mail.arrive(letter("Letter"), categories=["Old one", "Travel"])
    mirror.sync()
    changes = MessageChanges(is_read=True, categories=["Travel", "Two words"])
    update_message(actor=actor, message=Message.objects.get(), changes=changes)
    move_message(actor=actor, message=Message.objects.get(), role="archive")
    mirror.sync()
    assert kept.is_read
    assert kept.categories == ["Travel", "two words"]
    assert kept.folder == mail.folder("archive").id
    published = Job.objects.count()
    calls = len(patched(graph))
    mirror.sync(times=2)
    agree(mail, mirror)
    assert (len(patched(graph)), Job.objects.count()) == (calls, published)
    assert Message.objects.get().keywords == ["$seen", "Travel", "Two words"]


def test_that_we_answered_is_told_to_outlook_once(mirror, mail, graph, actor):
    kept = mail.arrive(letter("Letter"))
    mirror.sync()
    answered = MessageChanges(is_answered=True)
    update_message(actor=actor, message=Message.objects.get(), changes=answered)
    mirror.sync()
    assert (kept.extended["Integer 0x1081"], kept.extended["Integer 0x1080"]) == ("102", "261")
    assert kept.extended["SystemTime 0x1082"].startswith("20")
    assert len(patched(graph)) == 1
    published = Job.objects.count()
    mirror.sync(times=2)
    assert Job.objects.count() == published
    mail.change(kept, flag="flagged")
    mail.change(kept, is_read=True)
    mirror.sync(times=2)
    agree(mail, mirror)
    assert Message.objects.get().keywords == ["$answered", "$flagged", "$seen"]
    assert len(patched(graph)) == 1
    unanswered = MessageChanges(is_answered=False)
    update_message(actor=actor, message=Message.objects.get(), changes=unanswered)
    mirror.sync(times=2)
    assert kept.extended["Integer 0x1081"] == "0"
    agree(mail, mirror)


def test_that_somebody_answered_in_outlook_is_heard(mirror, mail, graph):
    kept = mail.arrive(letter("Letter"))
    mirror.sync()
    for verb, is_answered in (("103", True), ("104", False), ("102", True), ("1", False)):
        mail.change(kept, extended={VERB: verb})
        mirror.sync(times=2)
        assert ("$answered" in Message.objects.get().keywords) is is_answered
        agree(mail, mirror)
    assert patched(graph) == []


def test_a_position_from_before_answers_were_asked_for_has_everything_compared(mirror, mail, graph):
    kept = mail.arrive(letter("Letter"))
    mirror.sync()
    Message.objects.update(keywords=["$answered"])
    for row in RemoteFolder.objects.all():
        said = json.loads(row.position)
        assert said.pop("asked")
        RemoteFolder.objects.filter(pk=row.pk).update(position=json.dumps(said))
    mail.change(kept, flag="flagged")
    read = len(downloads(graph))
    mirror.sync(times=2)
    assert Message.objects.get().keywords == ["$answered", "$flagged"]
    assert len(downloads(graph)) == read


def test_what_both_change_of_a_message_is_both(mirror, mail, graph, actor):
    kept = mail.arrive(letter("Letter"))
    mirror.sync()
    update_message(actor=actor, message=Message.objects.get(), changes=MessageChanges(is_read=True))
    honest = graph.answer

    def meddling(call):
        reply = honest(call)
        if b"isRead,isDraft" in call.body:
            # Between our look and our change another program changes it.
            graph.answer = honest
            mail.change(kept, categories=["Travel"])
        return reply

    graph.answer = meddling
    mirror.sync(times=2)
    agree(mail, mirror)
    assert (kept.is_read, kept.categories) == (True, ["Travel"])


def test_deleted_here_goes_to_the_trash_and_purged_here_is_removed(mirror, mail, actor):
    kept = mail.arrive(letter("Letter"))
    mirror.sync()
    delete_message(actor=actor, message=Message.objects.get())
    mirror.sync()
    assert kept.folder == mail.folder("deleteditems").id
    purge_deleted(timezone.now() + 2 * KEPT_FOR)
    mirror.sync(times=2)
    assert mail.letters == {}
    assert not RemoteMessage.objects.exists()


def test_what_moves_is_never_taken_for_deleted_and_never_read_again(mirror, mail, graph):
    kept = mail.arrive(letter("Wanderer"))
    mirror.sync()
    graph.calls.clear()
    for known in ("archive", "junkemail", "inbox", "deleteditems"):
        mail.move(kept, mail.folder(known))
        mirror.sync()
        place = RemoteMessage.objects.select_related("folder__mailbox").get()
        assert place.folder.remote_id == mail.folder(known).id
        assert list(Message.objects.get().mailboxes.all()) == [place.folder.mailbox]
    assert not downloads(graph)
    assert not Job.objects.filter(payload__fact="message.deleted").exists()


def test_positions_that_are_forgotten_read_nothing_twice_and_find_what_is_gone(mirror, mail, graph):
    kept = [mail.arrive(letter(f"Letter {number}")) for number in range(12)]
    mirror.sync()
    mail.remove(kept[3])
    mail.move(kept[4], mail.folder("archive"))
    graph.forget_changes()
    mail.arrive(letter("New"))
    graph.calls.clear()
    mirror.sync()
    agree(mail, mirror)
    assert len(downloads(graph)) == 1


def test_a_folder_for_what_is_archived_is_made_where_there_is_none(mirror, mail, actor):
    mail.remove_folder(mail.folder("archive"))
    kept = mail.arrive(letter("Letter"))
    mirror.sync()
    move_message(actor=actor, message=Message.objects.get(), role="archive")
    mirror.sync(times=2)
    agree(mail, mirror)
    assert kept.folder == mail.folder("Archive").id


def test_four_requests_of_a_mailbox_at_a_time_are_enough(mirror, mail, graph, actor):
    graph.most_mail_in_batch = 4
    for number in range(9):
        mail.arrive(letter(f"Letter {number}"))
    mirror.sync()
    for message in Message.objects.all():
        update_message(actor=actor, message=message, changes=MessageChanges(is_read=True))
    mirror.sync(times=2)
    agree(mail, mirror)
    assert all(one.is_read for one in mail.letters.values())


def send(mirror, inbox, actor, reviewer, **fields):
    """Have a person let a message leave by Graph."""
    identity = inbox.account.identities.get()
    identity.email = ADDRESS
    identity.save()
    settings = inbox.account.settings
    submission = sending_tools.propose(actor, inbox, **fields)
    rows = Account.objects.filter(pk=mirror.account.pk)
    rows.update(provider=mirror.account.provider, settings=settings)
    submission.account.refresh_from_db()
    sending_tools.release(submission, reviewer)
    run_due()
    assert Submission.objects.get().state == "sent"
    mirror.sync()
    run_due()
    return Submission.objects.get()


def test_what_was_sent_is_held_against_the_copy_that_exchange_made(
    mirror, mail, inbox, actor, reviewer
):
    submission = send(mirror, inbox, actor, reviewer)
    [left] = mail.left
    assert left.raw != submission.mime_bytes
    assert submission.copy_sha256 == hashlib.sha256(left.raw).hexdigest()
    told = str(submission.copy_differences)
    assert "x-ms-has-attach" in told
    assert "The text differs" not in told
    receipt = Receipt.objects.get(tool="submission.rewritten")
    assert receipt.result["sealed_sha256"] == submission.sha256
    # One message here, of the sealed bytes.
    assert Message.objects.get().blob.read() == submission.mime_bytes


def test_of_large_files_that_stand_in_another_order_the_receipt_tells(
    mirror, mail, inbox, actor, reviewer
):
    files = [
        NewAttachment("Übersicht.pdf", "application/pdf", bytes(range(256)) * 16_000),
        NewAttachment("list.txt", "text/plain", "Grüße".encode()),
    ]
    submission = send(mirror, inbox, actor, reviewer, attachments=files)
    [left] = mail.left
    arrived = email.message_from_bytes(left.raw, policy=email.policy.default)
    came = {one.get_filename(): one.get_payload(decode=True) for one in arrived.iter_attachments()}
    assert came == {one.filename: one.content for one in files}
    assert (
        Receipt.objects.get(tool="submission.rewritten").result["differences"][-1] == "copy_order"
    )
    assert Message.objects.get().blob.read() == submission.mime_bytes
    agree(mail, mirror)


def test_whoever_is_to_wait_waits_as_long_as_graph_says(mirror, mail, graph):
    mail.arrive(letter("Letter"))
    graph.allowance, graph.retry_after = 1, "90"
    assert not mirror.sync()
    state = mirror.state
    assert state.status == "throttled"
    assert (state.next_at - timezone.now()).total_seconds() > 80


def test_who_did_not_allow_mail_is_told(inbox, graph):
    mirror = connect(inbox, graph)
    token = graph.sign_in(ADDRESS, "Calendars.ReadWrite")
    none = Secret("")
    secret = encrypt_tokens(Tokens(Secret(token), none, none))
    Account.objects.filter(pk=mirror.account.pk).update(secret=secret)
    assert not mirror.sync()
    assert mirror.state.status == "failed"
    assert "ErrorAccessDenied" in mirror.state.reply


def test_whatever_request_of_a_sync_fails_the_next_goes_on(mirror, mail, graph, actor):
    for number in range(4):
        mail.arrive(letter(f"Letter {number}"))
    # Requests of a sync: folders, states, changes, moves, each folder's news, mail itself.
    every = [(fault, number) for fault in FAULTS for number in range(14)]
    spoiled = some_of(every, 12)
    for fault, number in spoiled:
        graph.order(fault, after=number, retry_after="1" if fault == 429 else "")
        mirror.sync()
        graph.faults.clear()
        mail.arrive(letter(f"New {fault} {number}"))
        message = Message.objects.kept().order_by("pk").first()
        if message is not None:
            is_read = "$seen" not in message.keywords
            changes = MessageChanges(is_read=is_read)
            update_message(actor=actor, message=message, changes=changes)
            move_message(actor=actor, message=message, role=("archive", "inbox")[number % 2])
    assert mirror.sync(times=2)
    agree(mail, mirror)
    assert Message.objects.kept().count() == 4 + len(spoiled)
    assert duplicates(mirror.account) == []
    assert not RemoteMessage.objects.filter(dirty=True).exists()
    assert mirror.state.status == "current"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(SEED, SEED + SEEDS))
def test_in_the_end_both_sides_are_the_same(mirror, mail, graph, actor, seed):
    chance = random.Random(seed)
    other, kills = OtherProgram(graph, mail, chance), Kills(mirror.account, chance, ROUNDS)
    honest = graph.handle

    def handle(call):
        # Another program is at work while we sync, and the line breaks at times.
        if chance.random() < 0.1:
            other.act()
        if chance.random() < 0.02:
            graph.order(chance.choice(("drop", "lose", "half", 503)))
        return honest(call)

    graph.handle = handle
    for _ in range(ROUNDS):
        other.act()
        act_here(actor, chance)
        kills.now_and_then()
        mirror.sync()
    graph.handle = honest
    graph.faults.clear()
    mirror.sync(times=3)
    assert not RemoteMessage.objects.filter(dirty=True).exists()
    agree(mail, mirror)
    kills.assert_read()
    assert duplicates(mirror.account) == []
    assert mirror.state.status == "current"
