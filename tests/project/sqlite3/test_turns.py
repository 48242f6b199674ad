"""Who writes into SQLite waits for a turn: in order, over threads and processes, and never for good."""

import gc
import os
import signal
import sqlite3
import struct
import subprocess
import threading
import time
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path

import pytest
from django.db.utils import ConnectionHandler, OperationalError

from inbox.background.precedence import in_background
from project.sqlite3 import SQLITE_OPTIONS
from project.sqlite3 import turns as turns_module
from project.sqlite3.base import CHECKPOINT_AFTER
from project.sqlite3.turns import QUIET, SUFFIX, Turns, turns_of
from tests import fork_server
from tests.up import clean_environment


@pytest.fixture
def database(tmp_path, django_db_blocker):
    path = tmp_path / "written.sqlite3"
    with django_db_blocker.unblock():
        connection = connect(path)
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE written (id INTEGER PRIMARY KEY, name TEXT)")
        connection.close()
        yield path


def connect(path):
    options = {**SQLITE_OPTIONS, "timeout": 2}
    given = {"ENGINE": "project.sqlite3", "NAME": str(path), "OPTIONS": options}
    return ConnectionHandler({"default": given})["default"]


@contextmanager
def within(connection):
    """Hold a transaction of a connection that Django's settings do not name."""
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    try:
        yield
    finally:
        connection.rollback()
        connection.set_autocommit(True)


def write(connection, name="row"):
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO written (name) VALUES (%s)", [name])


def written(path):
    connection = connect(path)
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM written ORDER BY id")
        return [name for (name,) in cursor.fetchall()]


def start(path, name, times, held, *background):
    """Start one that writes; it says that it is ready, and waits for a line."""
    command = ["-m", "tests.project.sqlite3.hammering", path, name, times, held, *background]
    environment, (theirs, ours) = clean_environment(), os.pipe()
    try:
        process = fork_server.start(command, env=environment, stdin=theirs, stdout=subprocess.PIPE)
    finally:
        os.close(theirs)
    process.stdin = os.fdopen(ours, "wb", buffering=0)
    assert process.stdout.readline() == b"ready\n"
    return process


def go(process):
    with process.stdin:
        process.stdin.write(b"\n")


def end(process):
    """Wait for its end, whatever it says until then."""
    with process.stdout:
        process.stdout.read()
    assert process.wait(60) == 0


def is_free(path, *, is_patient=False):
    """Return True if a turn comes at once."""
    turns = turns_of(str(path))
    taken = turns.take(0, is_patient=is_patient)
    if taken:
        turns.end()
    return taken


def test_processes_that_write_without_a_pause_take_turns(database):
    processes = [start(database, name, 20, 0.02) for name in "abc"]
    for process in processes:
        go(process)
    for process in processes:
        end(process)
    names = written(database)
    assert sorted(names) == sorted("abc" * 20)
    # While all of them write, none is passed over for long.
    among = names[: min(max(i for i, it in enumerate(names) if it == name) for name in "abc")]
    assert max(len(list(run)) for _, run in groupby(among)) <= 3


def test_a_process_that_is_killed_while_it_writes_keeps_nobody_waiting(database):
    process = start(database, "killed", 1, 60)
    go(process)
    assert process.stdout.readline() == b"writes\n"
    assert not is_free(database)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    assert is_free(database)
    connection = connect(database)
    with within(connection):
        write(connection)
        connection.commit()
    assert written(database) == ["row"]


def test_what_is_killed_in_the_background_keeps_nobody_waiting(database):
    process = start(database, "killed", 1, 60, "background")
    go(process)
    assert process.stdout.readline() == b"writes\n"
    assert not is_free(database, is_patient=True)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    assert is_free(database, is_patient=True)
    assert is_free(database)


def test_threads_take_turns_in_the_order_in_which_they_ask(tmp_path):
    turns, order, threads = Turns(tmp_path / "turns"), [], []
    assert turns.take()

    def wait(number):
        assert turns.take()
        order.append(number)
        turns.end()

    for number in range(8):
        thread = threading.Thread(target=wait, args=(number,))
        thread.start()
        threads.append(thread)
        while len(turns._all._waiting) <= number:
            time.sleep(0.001)
    turns.end()
    for thread in threads:
        thread.join(30)
    assert order == list(range(8))
    assert turns.take(0)


def test_a_turn_that_does_not_come_leaves_it_to_sqlite(tmp_path):
    turns, results = Turns(tmp_path / "turns"), []
    assert turns.take()
    thread = threading.Thread(target=lambda: results.append(turns.take(0.05)))
    thread.start()
    thread.join(30)
    assert results == [False]
    turns.end()
    # Who gave up is not waited for.
    assert turns.take(0)


def test_a_thread_does_not_wait_for_itself(database):
    one, other = connect(database), connect(database)
    with within(one):
        write(one)
        began = time.monotonic()
        with pytest.raises(OperationalError, match="locked"):
            write(other)
        # The two seconds of SQLite alone.
        assert time.monotonic() - began < 8
    write(other)


def test_every_end_of_a_transaction_ends_its_turn(database):
    connection = connect(database)
    with within(connection):
        assert not taken_elsewhere(database)
        connection.commit()
        assert taken_elsewhere(database)
    with within(connection):
        assert not taken_elsewhere(database)
        connection.rollback()
        assert taken_elsewhere(database)
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    assert not taken_elsewhere(database)
    connection.close()
    assert taken_elsewhere(database)


def taken_elsewhere(path):
    """Return True if another thread gets a turn at once."""
    found = []
    thread = threading.Thread(target=lambda: found.append(is_free(path)))
    thread.start()
    thread.join(30)
    return found == [True]


def test_a_transaction_that_does_not_begin_has_no_turn(database):
    connection, other = connect(database), connect(database)
    connection.ensure_connection()
    with within(other):
        write(other)
        with (
            pytest.raises(OperationalError, match="locked"),
            within(connection),
        ):
            pytest.fail("two write at once")
    assert taken_elsewhere(database)


def test_a_connection_that_nobody_closes_ends_its_turn(database):
    def begin():
        connection = connect(database)
        connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)

    thread = threading.Thread(target=begin)
    thread.start()
    thread.join(30)
    gc.collect()
    assert taken_elsewhere(database)


def test_a_statement_that_writes_by_itself_waits_for_a_turn_and_one_that_reads_does_not(database):
    connection = connect(database)
    connection.ensure_connection()
    holder = start(database, "held", 1, 1)
    go(holder)
    assert holder.stdout.readline() == b"writes\n"
    assert written(database) == []
    write(connection)
    end(holder)
    assert written(database) == ["held", "row"]
    assert taken_elsewhere(database)


def test_a_process_that_was_forked_off_has_turns_of_its_own(database):
    turns = turns_of(str(database))
    assert turns.take()
    child = os.fork()
    if child == 0:
        # What its parent holds is taken here, and nothing of it is given back here.
        os._exit(int(turns_of(str(database)).take(0)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert turns_of(str(database)) is turns
    turns.end()
    child = os.fork()
    if child == 0:
        os._exit(int(turns_of(str(database)).take(0)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert is_free(database)


def test_where_no_file_can_be_made_everything_is_written_without_an_order(tmp_path):
    turns = Turns(tmp_path / "nowhere" / f"database{SUFFIX}")
    assert turns.take() is False
    assert turns.take() is False


def test_work_in_the_background_lets_others_write_first(tmp_path):
    turns = Turns(tmp_path / "others")
    assert turns.take()
    turns.end()
    ended = time.monotonic()
    assert turns.take(is_patient=True)
    assert time.monotonic() - ended >= QUIET - 0.005
    turns.end()


def test_work_in_the_background_does_not_wait_for_others_of_its_kind(tmp_path, monkeypatch):
    turns = Turns(tmp_path / "others")
    assert turns.take(is_patient=True)
    turns.end()
    monkeypatch.setattr(time, "sleep", never)
    assert turns.take(is_patient=True)
    turns.end()


def test_patience_ends_while_others_go_on_writing(tmp_path):
    turns, is_over = Turns(tmp_path / "others"), threading.Event()

    def go_on():
        while not is_over.is_set():
            if turns.take():
                turns.end()

    others = threading.Thread(target=go_on)
    others.start()
    try:
        assert turns.take(is_patient=True)
        turns.end()
        assert others.is_alive()
    finally:
        is_over.set()
        others.join()


def test_who_is_waited_for_goes_before_all_in_the_background_that_asked_earlier(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(turns_module, "LONGEST_PATIENCE", 60)
    turns, order, threads = Turns(tmp_path / "others"), [], []

    def wait(name, is_patient):
        assert turns.take(is_patient=is_patient)
        order.append(name)
        turns.end()

    def begin(name, line, waiting, is_patient):
        threads.append(threading.Thread(target=wait, args=(name, is_patient)))
        threads[-1].start()
        while not line._is_taken or len(line._waiting) < waiting:
            time.sleep(0.001)

    assert turns.take()
    for number in range(3):
        begin(number, turns._background, number, is_patient=True)
    begin("waited for", turns._all, 1, is_patient=False)
    turns.end()
    for thread in threads:
        thread.join(30)
    assert order == ["waited for", 0, 1, 2]


def test_who_is_waited_for_goes_before_a_process_in_the_background(tmp_path, monkeypatch):
    monkeypatch.setattr(turns_module, "QUIET", 1)
    monkeypatch.setattr(turns_module, "LONGEST_PATIENCE", 60)
    path, order = tmp_path / "database", tmp_path / "order"
    turns = turns_of(str(path))
    assert turns.take()
    children = []
    for name in ("background", "waited for"):
        before = noted_in(path)
        children.append(in_a_fork(partial(note_turn, path, order, name)))
        while name == "waited for" and noted_in(path) == before:
            time.sleep(0.001)
    turns.end()
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    assert order.read_text().splitlines() == ["waited for", "background"]


def note_turn(path, order, name):
    own = turns_of(str(path))
    assert own.take(is_patient=name == "background")
    with order.open("a") as file:
        file.write(f"{name}\n")
    own.end()


def noted_in(path):
    return Path(f"{path}{SUFFIX}").read_bytes()


def in_a_fork(work):
    """Do it in a process forked off, and return its id."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return child


def test_work_in_the_background_goes_on_beside_a_process_that_writes_without_a_pause(database):
    busy = start(database, "busy", 100_000, 0)
    reading = threading.Thread(target=busy.stdout.read)
    reading.start()
    go(busy)
    late = [start(database, name, 3, 0.01, "background") for name in ("one", "other")]
    try:
        for process in late:
            go(process)
        for process in late:
            end(process)
        assert busy.poll() is None
    finally:
        busy.kill()
        reading.join(30)
        busy.wait(30)
    names = written(database)
    assert (names.count("one"), names.count("other")) == (3, 3)


@pytest.mark.parametrize("is_in_background", [True, False])
def test_much_that_is_written_in_the_background_is_copied_into_the_database_after_its_turn(
    is_in_background, database
):
    connection = connect(database)
    with in_background(is_in_background), within(connection):
        with connection.cursor() as cursor:
            rows = [(str(number),) for number in range(CHECKPOINT_AFTER)]
            cursor.executemany("INSERT INTO written (name) VALUES (%s)", rows)
        connection.commit()
    assert connection.connection.total_changes == CHECKPOINT_AFTER
    # The file alone, without its log.
    alone = database.with_name("alone")
    alone.write_bytes(database.read_bytes())
    assert (len(written(alone)) == CHECKPOINT_AFTER) == is_in_background
    assert taken_elsewhere(database)


def test_a_log_that_cannot_be_copied_undoes_nothing(database):
    connection = connect(database)
    with in_background(), within(connection):
        with connection.cursor() as cursor:
            rows = [(str(number),) for number in range(CHECKPOINT_AFTER)]
            cursor.executemany("INSERT INTO written (name) VALUES (%s)", rows)
        asked = []
        connection.connection.set_authorizer(partial(refuse_pragmas, asked))
        connection.commit()
        connection.connection.set_authorizer(None)
    assert asked == ["wal_checkpoint"]
    assert len(written(database)) == CHECKPOINT_AFTER
    assert taken_elsewhere(database)


def refuse_pragmas(asked, action, name, *_):
    if action != sqlite3.SQLITE_PRAGMA:
        return sqlite3.SQLITE_OK
    asked.append(name)
    return sqlite3.SQLITE_DENY


@pytest.mark.parametrize("noted", [b"", b"cut", struct.pack("<q", 2**62), struct.pack("<q", -1)])
def test_a_time_that_says_nothing_is_not_waited_for(noted, tmp_path, monkeypatch):
    path = tmp_path / "others"
    path.write_bytes(b"\0" * 8 + noted)
    monkeypatch.setattr(time, "sleep", never)
    turns = Turns(path)
    assert turns.take(is_patient=True)
    turns.end()


def test_a_connection_is_patient_in_the_background(database):
    connection, other = connect(database), connect(database)
    write(connection)
    ended = time.monotonic()
    with in_background():
        write(other, "late")
    assert time.monotonic() - ended >= QUIET - 0.005
    assert written(database) == ["row", "late"]


def never(_):
    raise AssertionError("it waited")
