import os
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inbox.background import jobs
from inbox.background.precedence import is_in_background
from inbox.intake import pools, workers
from inbox.intake.sources import open_source
from inbox.models import Blob, Import, ImportProblem, Job, Message, Thread
from inbox.operations.mail import imports
from inbox.operations.mail.imports import ImportStoppedError, import_mail
from tests.inbox.letters import letter

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path) -> Path:
    path = tmp_path / "letters"
    path.mkdir()
    return path


def write(folder: Path, count: int, start: int = 0) -> None:
    for number in range(start, start + count):
        (folder / f"{number:04}.eml").write_bytes(letter(str(number), subject=f"Lamp {number}"))


def bring_in(inbox, path, **options) -> Import:
    return import_mail(inbox=inbox, source=open_source(path), **options)


def problems(run: Import) -> dict[str, str]:
    return dict(run.problems.values_list("source", "problem"))


def test_everything_is_stored_and_progress_told(inbox, folder):
    write(folder, 30)
    heard: list[int] = []
    run = bring_in(inbox, folder, on_progress=heard.append)
    assert (run.total, run.stored, run.known) == (30, 30, 0)
    assert run.finished_at is not None
    assert sum(heard) == 30
    assert Message.objects.count() == Thread.objects.count() == 30


def test_nobody_waits_for_an_import(inbox, folder):
    write(folder, 1)
    seen: list[bool] = []
    bring_in(inbox, folder, on_progress=lambda _: seen.append(is_in_background()))
    assert seen == [True]
    assert not is_in_background()


def test_a_second_run_finds_everything_known(inbox, folder):
    write(folder, 10)
    bring_in(inbox, folder)
    write(folder, 5, start=10)
    run = bring_in(inbox, folder)
    assert (run.total, run.stored, run.known) == (15, 5, 10)
    assert Message.objects.count() == 15


def test_the_same_mail_from_an_mbox_is_known(inbox, folder, tmp_path):
    write(folder, 3)
    bring_in(inbox, folder)
    lines = b"".join(
        b"From ada@customer.example Mon Mar  2 09:00:00 2026\n"
        + path.read_bytes().replace(b"\r\n", b"\n")
        + b"\n"
        for path in sorted(folder.iterdir())
    )
    (tmp_path / "mail").write_bytes(lines)
    run = bring_in(inbox, tmp_path / "mail")
    assert (run.stored, run.known) == (0, 3)


def test_the_same_bytes_twice_in_one_run_are_one_message(inbox, folder):
    for name in ("a.eml", "b.eml"):
        (folder / name).write_bytes(letter())
    run = bring_in(inbox, folder)
    assert (run.stored, run.known) == (1, 1)


def test_twins_in_one_run_are_kept_apart_and_marked(inbox, folder):
    (folder / "a.eml").write_bytes(letter())
    (folder / "b.eml").write_bytes(letter(text="Something else."))
    assert bring_in(inbox, folder).stored == 2
    marks = sorted("duplicate_message_id" in m.anomalies for m in Message.objects.all())
    assert marks == [False, True]


def test_what_is_no_message_is_listed_and_the_rest_is_stored(inbox, folder):
    write(folder, 2)
    (folder / "empty.eml").write_bytes(b"")
    (folder / "scan.pdf").write_bytes(b"%PDF-1.7")
    run = bring_in(inbox, folder)
    assert (run.total, run.stored) == (4, 2)
    assert problems(run) == {"empty.eml": "is empty", "scan.pdf": "is not mail"}


def test_an_eml_of_garbage_is_stored_as_well_as_can_be(inbox, folder):
    raw = bytes(range(256)) * 40
    (folder / "a.eml").write_bytes(raw)
    assert bring_in(inbox, folder).stored == 1
    assert Message.objects.get().blob.read() == raw


def test_a_file_that_vanishes_is_listed(inbox, folder):
    write(folder, 2)
    source = open_source(folder)
    (folder / "0001.eml").unlink()
    run = import_mail(inbox=inbox, source=source)
    assert run.stored == 1
    assert "cannot be read" in problems(run)["0001.eml"]


def test_a_message_that_the_parser_fails_on_is_kept_listed_and_stored(inbox, folder, monkeypatch):
    write(folder, 3)
    parse = workers.parse_message

    def fail(raw):
        if b"Lamp 1" in raw:
            raise RecursionError
        return parse(raw)

    monkeypatch.setattr(workers, "parse_message", fail)
    run = bring_in(inbox, folder)
    assert run.stored == 3
    assert "could not be read" in problems(run)["0001.eml"]
    blob = run.problems.get().blob
    assert blob.read() == (folder / "0001.eml").read_bytes()
    message = Message.objects.get(blob=blob)
    assert "unreadable" in message.anomalies
    assert "Lamp 1" in message.text


def test_a_message_that_cannot_be_stored_harms_no_other(inbox, folder, monkeypatch):
    write(folder, 5)
    prepare = workers.prepare_parsed

    def spoil(parsed, *rest):
        prepared = prepare(parsed, *rest)
        if parsed.subject == "Lamp 3":
            prepared.columns["received_at"] = None
        return prepared

    monkeypatch.setattr(workers, "prepare_parsed", spoil)
    run = bring_in(inbox, folder)
    assert (run.total, run.stored, run.known) == (5, 4, 0)
    assert "could not be stored" in problems(run)["0003.eml"]
    assert run.problems.get().blob.read() == (folder / "0003.eml").read_bytes()


def test_a_very_large_message_is_kept_whole_and_read_in_part(inbox, folder, monkeypatch):
    monkeypatch.setattr(workers, "LARGEST_READ", 10_000)
    monkeypatch.setattr(workers, "HEAD_OF_LARGE", 1000)
    raw = letter(text="long " * 10_000)
    (folder / "a.eml").write_bytes(raw)
    run = bring_in(inbox, folder)
    message = Message.objects.get()
    assert message.blob.read() == raw
    assert (message.subject, message.size) == ("The lamps", len(raw))
    assert "too large" in problems(run)["a.eml"]
    assert bring_in(inbox, folder).known == 1


def test_a_full_disk_stops_the_import_with_its_reason_and_loses_nothing(inbox, folder, monkeypatch):
    write(folder, 4)
    monkeypatch.setattr(imports, "BATCH", 2)
    store = workers.store_bytes

    def run_out(workspace_id, content):
        if b"Lamp 3" in content:
            raise OSError(28, "No space left on device")
        return store(workspace_id, content)

    monkeypatch.setattr(workers, "store_bytes", run_out)
    with pytest.raises(ImportStoppedError, match="No space left on device"):
        bring_in(inbox, folder)
    assert Message.objects.count() == 2
    assert Import.objects.get().finished_at is None
    monkeypatch.undo()
    assert bring_in(inbox, folder).stored == 2


def test_a_batch_publishes_one_fact_behind_what_is_to_leave(inbox, folder, monkeypatch):
    monkeypatch.setitem(jobs._SUBSCRIBERS, "message.received", ["test.heard"])
    write(folder, 7)
    bring_in(inbox, folder)
    job = Job.objects.get()
    assert sorted(job.payload["message_ids"]) == sorted(
        Message.objects.values_list("pk", flat=True)
    )
    assert job.priority == 8


def test_an_import_takes_as_many_queries_for_many_as_for_few(inbox, folder):
    counts = []
    # The first letter brings the people in it.
    for start, count in ((0, 1), (1, 10), (11, 20), (31, 30)):
        for path in folder.iterdir():
            path.unlink()
        write(folder, count, start)
        with CaptureQueriesContext(connection) as queries:
            bring_in(inbox, folder)
        counts.append(len(queries))
    assert counts[1] == counts[2] <= counts[3] <= counts[1] + 4  # SQLite splits long inserts


def test_folders_of_a_maildir_become_mailboxes_and_labels(inbox, tmp_path):
    for number, sub in enumerate((".", ".Sent", ".Junk", ".Lists.raid")):
        (tmp_path / "m" / sub / "cur").mkdir(parents=True)
        (tmp_path / "m" / sub / "cur" / "1.a:2,FS").write_bytes(letter(str(number)))
    bring_in(inbox, tmp_path / "m")
    found = {message.mailboxes.get().name: message.keywords for message in Message.objects.all()}
    assert found == {key: ["$flagged", "$seen"] for key in ("Inbox", "Sent", "Junk", "Lists/raid")}
    assert all(thread.mailboxes.count() == 1 for thread in Thread.objects.all())


@pytest.mark.django_db(transaction=True)
def test_worker_processes_read_the_same_as_one(inbox, folder):
    write(folder, 80)
    (folder / "empty.eml").write_bytes(b"")
    run = bring_in(inbox, folder, processes=2)
    assert (run.total, run.stored) == (81, 80)
    assert problems(run) == {"empty.eml": "is empty"}
    assert bring_in(inbox, folder, processes=2).known == 80
    assert Blob.objects.count() == 80


@pytest.mark.django_db(transaction=True)
def test_a_message_that_kills_its_reader_is_stored_unread(inbox, folder, monkeypatch):
    write(folder, 40)
    parse, parent = workers.parse_message, os.getpid()

    def die(raw):
        if b"Lamp 17" in raw and os.getpid() != parent:
            os._exit(1)
        return parse(raw)

    # A worker is a fork of this process, and inherits what was put in its place.
    monkeypatch.setattr(workers, "parse_message", die)
    pools.SPARES.close()
    monkeypatch.setattr(pools.threading, "active_count", lambda: 1)
    started = []
    monkeypatch.setattr(
        workers, "start_pool", lambda *told: started.append(told) or pools.start_pool(*told)
    )
    run = bring_in(inbox, folder, processes=2)
    pools.SPARES.close()
    assert run.stored == 40
    # One read what came before it and died of it, one died of it at once, one read what came after.
    assert len(started) == 3
    assert list(problems(run)) == ["0017.eml"]
    assert ImportProblem.objects.get().blob.read() == (folder / "0017.eml").read_bytes()
