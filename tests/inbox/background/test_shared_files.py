"""What processes share by files, and what is left of one that was killed."""

import os
import signal
import threading

from inbox.background.shared_files import SharedFile, SharedPlaces
from tests.patience import LONG


def forked(work) -> int:
    """Do something in a process of its own, which then waits to be killed; return its id."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        work()
        os.write(writing, b"!")
        signal.pause()
    assert os.read(reading, 1)
    os.close(reading)
    os.close(writing)
    return child


def kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_what_one_process_writes_another_reads(tmp_path):
    kill(forked(lambda: SharedFile(tmp_path / "file", 8).memory.write(b"written")))
    file = SharedFile(tmp_path / "file", 8)
    assert file.memory[:] == b"written\0"
    file.close()


def test_who_is_killed_while_it_holds_a_file_holds_up_nobody(tmp_path):
    child = forked(SharedFile(tmp_path / "file", 8).held().__enter__)
    file, held = SharedFile(tmp_path / "file", 8), threading.Event()

    def hold() -> None:
        with file.held():
            held.set()

    waiting = threading.Thread(target=hold)
    waiting.start()
    assert not held.wait(0.2)
    kill(child)
    assert held.wait(LONG)
    waiting.join()


def test_there_are_so_many_places_over_all_processes_and_those_of_a_killed_one_are_free(tmp_path):
    one = SharedPlaces(tmp_path / "places", 2)
    assert one.acquire(0)
    child = forked(lambda: SharedPlaces(tmp_path / "places", 2).acquire(0))
    assert not one.acquire(0.1)
    kill(child)
    assert one.acquire(LONG)
    assert not one.acquire(0)
    one.release()
    assert one.acquire(0)
