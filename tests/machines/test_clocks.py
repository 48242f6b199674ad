"""Workers whose clocks are wrong, or jump: the fence decides whose a submission is, not the time."""

import subprocess
import time
from contextlib import ExitStack, contextmanager
from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.background import jobs
from inbox.models import Job, Message, Submission
from tests.fork_server import start
from tests.processes import process_environment
from tests.sending_tools import propose, recover, release
from tests.servers import Peer, say

pytestmark = pytest.mark.django_db(transaction=True)
HOUR = 3600
LEFT = {"sent", "unknown"}


@contextmanager
def worker(tmp_path, clock: str):
    """Run a worker of its own whose clock is off by these seconds."""
    process = start(
        ["-m", "tests.machines.wrong_clock", clock],
        env=process_environment(CHANCERY_VAR=str(tmp_path)),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def slowly(talk) -> None:
    time.sleep(0.1)
    say("250 taken")(talk)


@pytest.mark.parametrize("clocks", [("0", str(HOUR)), (f"0,{HOUR},0,{-HOUR}", str(-HOUR))])
def test_a_wrong_clock_beside_a_right_one_sends_nothing_twice(
    clocks, actor, inbox, reviewer, tmp_path
):
    with Peer(dot=slowly) as peer, ExitStack() as stack:
        released = [release(propose(actor, inbox, peer.port), reviewer) for _ in range(8)]
        for clock in clocks:
            stack.enter_context(worker(tmp_path, clock))
        until(lambda: states() <= LEFT, 6)
        stack.close()
        # Jobs that wait for a time which only a wrong clock noted have it set right.
        for _ in range(3):
            recover()
    assert states() <= LEFT
    arrived = sorted(taken.content for taken in peer.whole)
    assert len(arrived) == len(set(arrived))
    sealed = {it.mime_bytes: it.state for it in Submission.objects.all()}
    assert {sealed[content] for content in arrived} <= LEFT
    sent = {content for content, state in sealed.items() if state == "sent"}
    assert sent <= set(arrived)
    assert Message.objects.count() == len(sent)
    assert len(sealed) == len(released)


def states() -> set[str]:
    return set(Submission.objects.values_list("state", flat=True))


def until(condition, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)


def test_a_lease_that_only_a_wrong_clock_can_have_taken_is_swept():
    jobs.enqueue("note", {})
    jobs.claim(now=timezone.now() + timedelta(days=300))
    assert Job.objects.get().state == "running"
    assert jobs.sweep() == 1
