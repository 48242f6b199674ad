"""The processes that read mail: kept for the next who needs some, and replaced when killed."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from inbox.intake.held_items import HeldItem
from inbox.intake.pools import SPARES
from inbox.intake.prepared import Delivery, Recipient
from inbox.intake.workers import ReaderContext, Readers
from inbox.rfc5322.parse import parse_message
from tests.patience import LONG

ME = Recipient(workspace_id=1, authserv_id="", own_addresses=frozenset({"me@example.org"}))
OTHER = Recipient(workspace_id=2, authserv_id="", own_addresses=frozenset())


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Have patterns compiled once here, and not in each process that is forked off."""
    parse_message(letters(1)[0].raw)


@pytest.fixture(autouse=True)
def no_spares() -> Iterator[None]:
    """Begin and end without processes."""
    SPARES.close()
    yield
    SPARES.close()


def letters(count: int) -> list[HeldItem]:
    """Return messages that differ."""
    raw = "From: Ann <ann@example.org>\nTo: me@example.org\nSubject: Nr. {}\n\nHello\n"
    return [
        HeldItem(str(number), raw.format(number).encode(), Delivery()) for number in range(count)
    ]


def read(recipient: Recipient, count: int = 100) -> list[str]:
    """Read messages for somebody, let the processes go, and return the subjects."""
    readers = Readers(ReaderContext(recipient, frozenset()), 2)
    outcomes = list(readers.read(letters(count)))
    readers.close()
    return [it.prepared.columns["subject"] for it in outcomes if it.prepared is not None]


def waiting() -> set[int]:
    """Return the processes that wait for work."""
    return {pid for pool, _ in SPARES._pools.values() for pid in pool._processes}


def test_processes_are_kept_for_whoever_reads_next() -> None:
    subjects = [f"Nr. {number}" for number in range(100)]
    assert read(ME) == subjects
    first = waiting()
    assert first
    assert read(OTHER) == subjects
    assert waiting() == first


def test_one_that_was_killed_while_it_waited_is_replaced() -> None:
    can_fork = sys.platform == "linux" and threading.active_count() == 1
    read(ME)
    first = waiting()
    for pid in first:
        os.kill(pid, signal.SIGKILL)
    time.sleep(0.2)
    assert len(read(ME)) == 100
    assert waiting()
    assert not waiting() & first
    # By a fork, unless something else has a thread here.
    [(pool, _)] = SPARES._pools.values()
    assert pool._mp_context.get_start_method() == "fork" or not can_fork


def test_one_that_is_killed_at_work_loses_nothing() -> None:
    readers, killed = Readers(ReaderContext(ME, frozenset()), 2), []

    def some_then_a_kill() -> Iterator[HeldItem]:
        first, rest = letters(600)[:300], letters(600)[300:]
        yield from first
        pool = readers._executor
        os.kill(next(iter(pool._processes)), signal.SIGKILL)
        end = time.monotonic() + LONG
        while not pool._broken and time.monotonic() < end:
            time.sleep(0.01)
        killed.append(pool)
        yield from rest

    outcomes = list(readers.read(some_then_a_kill()))
    # It had more to read: others came in its place.
    assert killed
    assert readers._executor not in (None, *killed)
    readers.close()
    assert [it.name for it in outcomes] == [str(number) for number in range(600)]
    assert all(it.prepared is not None for it in outcomes)


def test_work_that_is_given_up_leaves_no_processes() -> None:
    readers = Readers(ReaderContext(ME, frozenset()), 2)
    next(readers.read(letters(400)))
    readers.close()
    assert not waiting()


def test_what_was_left_of_a_reading_is_not_given_to_the_next() -> None:
    readers = Readers(ReaderContext(ME, frozenset()), 2)
    left = readers.read(letters(400))
    next(left)
    others = [HeldItem(f"other {number}", b"Subject: x\n\nx", Delivery()) for number in range(3)]
    names = [outcome.name for outcome in readers.read(others)]
    left.close()
    readers.close()
    assert names == ["other 0", "other 1", "other 2"]
