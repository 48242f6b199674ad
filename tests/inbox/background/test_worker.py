import logging
import threading
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.background import jobs, periodic
from inbox.background.precedence import is_in_background
from inbox.background.worker import Worker
from inbox.models import Job
from tests.patience import LONG


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    monkeypatch.setattr(jobs, "_HANDLERS", {})
    monkeypatch.setattr(periodic, "_PERIODIC", {})


@pytest.fixture
def worker(transactional_db):
    worker = Worker()
    worker.start()
    yield worker
    assert worker.stop()


def test_it_runs_what_is_enqueued_while_it_waits(worker):
    ran = threading.Event()
    jobs.handler("note")(lambda payload: ran.set())
    jobs.enqueue("note", {})
    assert ran.wait(10)


def test_it_finds_what_another_process_enqueued(worker):
    ran = threading.Event()
    jobs.handler("note")(lambda payload: ran.set())
    Job.objects.create(kind="note", run_at=timezone.now() + timedelta(seconds=0.2))
    assert ran.wait(10)


def test_a_failing_job_does_not_end_it(worker, caplog):
    caplog.set_level(logging.CRITICAL)
    ran = threading.Event()
    jobs.handler("bad")(lambda payload: 1 // 0)
    jobs.handler("note")(lambda payload: ran.set())
    jobs.enqueue("bad", {})
    jobs.enqueue("note", {})
    assert ran.wait(10)


def test_trouble_outside_a_job_does_not_end_it(worker, monkeypatch, caplog):
    caplog.set_level(logging.CRITICAL)
    ran, claim = threading.Event(), jobs.claim
    troubles = iter([1, 2, 3])

    def troubled(**options):
        if next(troubles, None):
            raise RuntimeError("the database is away")
        return claim(**options)

    monkeypatch.setattr(jobs, "claim", troubled)
    jobs.handler("note")(lambda payload: ran.set())
    jobs.enqueue("note", {})
    assert ran.wait(10)


def test_an_urgent_job_does_not_wait_behind_a_long_one(worker):
    begun, go, urgent = threading.Event(), threading.Event(), threading.Event()

    def long(payload):
        begun.set()
        go.wait(10)

    jobs.handler("long")(long)
    jobs.handler("urgent")(lambda payload: urgent.set())
    jobs.enqueue("long", {})
    assert begun.wait(LONG)
    jobs.enqueue("urgent", {}, priority=jobs.URGENT)
    assert urgent.wait(10)
    go.set()


@pytest.mark.django_db(transaction=True)
def test_it_stops_in_time_though_a_job_goes_on():
    begun, go = threading.Event(), threading.Event()

    def long(payload):
        begun.set()
        go.wait(3 * LONG)

    jobs.handler("long")(long)
    worker = Worker()
    worker.start()
    jobs.enqueue("long", {})
    assert begun.wait(LONG)
    start = time.monotonic()
    assert not worker.stop(timeout=0.3)
    assert time.monotonic() - start < LONG
    go.set()
    assert worker.stop(timeout=LONG)


def test_it_does_what_is_periodic(transactional_db):
    ran = threading.Event()
    periodic.periodic(0)(ran.set)
    worker = Worker()
    worker.start()
    assert ran.wait(10)
    assert worker.stop()


@pytest.mark.parametrize(
    ("kind", "waits"),
    [({"priority": jobs.URGENT}, False), ({"priority": 5}, True), ({"slow": True}, True)],
)
def test_nobody_waits_for_jobs_that_are_not_urgent(kind, waits, worker):
    seen, ran = [], threading.Event()

    def look(payload):
        seen.append(is_in_background())
        ran.set()

    jobs.handler("note")(look)
    jobs.enqueue("note", {}, **kind)
    assert ran.wait(LONG)
    assert seen == [waits]
