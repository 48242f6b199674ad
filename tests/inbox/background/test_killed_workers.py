"""A worker killed at each step between the release and the copy of what was sent."""

import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from inbox.models import Account, Message
from inbox.operations.drafts.writing import attach_to_draft
from inbox.operations.sending.submissions import propose_submission
from tests.fork_server import Forked, start
from tests.patience import LONG
from tests.processes import process_environment
from tests.sending_tools import fate, propose, recover, release
from tests.servers import USUAL, Pause, Peer, say

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def worker(var: Path):
    """Run a real worker, as a process of its own, on the database of the test; kill it at last."""
    environment = process_environment(CHANCERY_VAR=str(var))
    process = start(
        ["manage.py", "worker", "--threads", "1"], env=environment, stdout=subprocess.PIPE
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("verb", ["connect", "EHLO", "MAIL", "RCPT", "DATA"])
def test_killed_before_the_final_dot_it_leaves_once_afterwards(
    verb, actor, inbox, reviewer, tmp_path
):
    pause = Pause(USUAL[verb])
    with Peer(**{verb: [pause, USUAL[verb]]}) as peer:
        submission = release(propose(actor, inbox, peer.port), reviewer)
        with worker(tmp_path) as process:
            until(pause.reached.is_set, process)
        pause.go.set()
        assert fate(submission) == "sending"
        recover()
        assert (fate(submission), peer.whole) == ("pending", [])
        recover()
    assert fate(submission) == "sent"
    assert [taken.content for taken in peer.whole] == [submission.mime_bytes]
    assert Message.objects.count() == 1


def test_killed_in_the_middle_of_the_text_it_leaves_once_afterwards(
    actor, inbox, reviewer, tmp_path
):
    reached, go = threading.Event(), threading.Event()

    def take_no_more(talk):
        say("354 go on")(talk)
        reached.set()
        go.wait(90)

    with Peer(DATA=[take_no_more, "354 go on"], EHLO="250 peer") as peer:
        submission = propose(actor, inbox, peer.port)
        # More than the buffers in between can hold.
        attach_to_draft(
            draft=submission.draft, filename="large.bin", content=bytes(4_500_000),
            content_type="application/octet-stream",
        )  # fmt: skip
        submission = propose_submission(actor=actor, draft=submission.draft)
        release(submission, reviewer)
        with worker(tmp_path) as process:
            until(reached.is_set, process)
        go.set()
        recover()
        recover()
    assert fate(submission) == "sent"
    assert [taken.content for taken in peer.whole] == [submission.mime_bytes]


def test_killed_after_the_final_dot_nobody_knows_and_nothing_is_sent_again(
    actor, inbox, reviewer, tmp_path
):
    pause = Pause("250 taken")
    with Peer(dot=[pause, "250 taken"]) as peer:
        submission = propose(actor, inbox, peer.port)
        patient = submission.account.settings | {"smtp_answer_timeout": 60}
        Account.objects.update(settings=patient)
        release(submission, reviewer)
        with worker(tmp_path) as process:
            until(pause.reached.is_set, process)
        pause.go.set()
        recover()
        recover()
    assert fate(submission) == "unknown"
    assert len(peer.whole) == 1
    assert not Message.objects.exists()


def test_killed_when_it_was_just_sent_its_copy_is_still_made_once(actor, inbox, reviewer, tmp_path):
    with Peer() as peer:
        submission = release(propose(actor, inbox, peer.port), reviewer)
        with worker(tmp_path) as process:
            until(lambda: fate(submission) == "sent", process)
        recover()
        recover()
    assert fate(submission) == "sent"
    assert len(peer.whole) == 1
    assert Message.objects.get().submission_id == submission.pk


def test_asked_to_stop_it_ends_in_order(tmp_path, transactional_db):
    with worker(tmp_path) as process:
        process.stdout.readline()
        process.terminate()
        assert process.wait(90) == 0


def until(condition, process: Forked) -> None:
    end = time.monotonic() + LONG
    while not condition():
        assert process.poll() is None, "the worker ended"
        assert time.monotonic() < end
        time.sleep(0.01)
