"""Work that blocks runs in a few threads, none of which holds up the end of the process."""

import subprocess
import sys
import threading

import pytest

from inbox.background.daemon_threads import DaemonExecutor
from tests.patience import LONG


def test_no_more_run_at_once_than_there_are_threads():
    executor, gate, names = DaemonExecutor(2, "few"), threading.Event(), set()
    running = threading.Semaphore(0)

    def work(number):
        names.add(threading.current_thread().name)
        running.release()
        gate.wait(LONG)
        return number

    futures = [executor.submit(work, number) for number in range(5)]
    assert running.acquire(timeout=LONG)
    assert running.acquire(timeout=LONG)
    assert not running.acquire(timeout=0.1)
    gate.set()
    assert [future.result(LONG) for future in futures] == list(range(5))
    assert names == {"few-1", "few-2"}


def test_what_fails_is_told_and_the_thread_goes_on():
    executor = DaemonExecutor(1, "one")
    failing = executor.submit(int, "none")
    with pytest.raises(ValueError, match="none"):
        failing.result(LONG)
    assert executor.submit(int, "7").result(LONG) == 7


def test_what_is_cancelled_before_it_began_does_not_run():
    executor, gate = DaemonExecutor(1, "one"), threading.Event()
    first = executor.submit(gate.wait, LONG)
    second = executor.submit(int, "7")
    assert second.cancel()
    gate.set()
    assert first.result(LONG)


def test_the_process_ends_whatever_they_wait_for():
    program = (
        "import time; from inbox.background.daemon_threads import DaemonExecutor;"
        " DaemonExecutor(1, 'one').submit(time.sleep, 600)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=LONG)
