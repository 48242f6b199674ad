import secrets
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from django.conf import settings as django_settings
from django.db import transaction
from django.utils import timezone

from inbox.background import jobs, tasks
from inbox.models import Message, Pace, Submission
from project.celery import app
from tests.patience import LONG
from tests.processes import process_environment
from tests.sending_tools import fate, propose, release
from tests.servers import smtp_sink

BROKERS = {"redis": "redis://127.0.0.1:6379/9", "rabbitmq": "amqp://guest:guest@127.0.0.1:5672//"}
# Other runs may use the same brokers.
QUEUES = f"test-{secrets.token_hex(4)}"
# Nobody listens there.
DEAD = "redis://127.0.0.1:1/0"


@contextmanager
def broker(url: str):
    """Have this process ring at a broker."""
    before, app.conf.broker_url = app.conf.broker_url, url
    queues, django_settings.QUEUES = django_settings.QUEUES, QUEUES
    app._after_fork()
    bell = tasks.BrokerNotifier()
    remove = jobs.add_waker(bell)
    try:
        yield bell
    finally:
        remove()
        app.conf.broker_url, django_settings.QUEUES = before, queues
        app._after_fork()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("trouble", ["away", "silent"])
def test_a_broker_in_trouble_makes_nobody_wait_and_loses_nothing(trouble, actor, inbox, reviewer):
    silent = socket.create_server(("127.0.0.1", 0))
    url = DEAD if trouble == "away" else f"amqp://127.0.0.1:{silent.getsockname()[1]}//"
    with smtp_sink() as (sink, port), silent, broker(url):
        with transaction.atomic():
            submission = release(propose(actor, inbox, port), reviewer)
        assert fate(submission) == "pending"
        # What the beat sends once the broker is back.
        assert tasks.sweep() >= 2
    assert fate(submission) == "sent"
    assert len(sink.taken) == 1


@pytest.mark.django_db
def test_a_task_makes_room_and_asks_for_another(monkeypatch):
    rung = []
    monkeypatch.setattr(tasks, "STRETCH", -1)
    monkeypatch.setattr(tasks, "BELL", lambda *told: rung.append(told))
    for n in range(3):
        jobs.enqueue("no such kind", {"n": n}, max_attempts=1)
    assert tasks.run_jobs() == 1
    assert len(rung) == 1


def test_the_bell_leaves_far_off_work_to_the_sweep():
    bell = tasks.BrokerNotifier()
    bell(timezone.now() + tasks.FORESEEN * 2, Pace.QUICK)
    assert bell._thread is None


@contextmanager
def celery_worker(url: str, tmp_path):
    environment = process_environment(
        CHANCERY_VAR=str(tmp_path), CELERY_BROKER_URL=url, CHANCERY_QUEUES=QUEUES
    )
    command = [sys.executable, "-m", "celery", "-A", "project", "worker", "-c", "3", "-l", "error"]
    process = subprocess.Popen(command, cwd=django_settings.BASE_DIR, env=environment)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(LONG)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def until(condition) -> None:
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.services
@pytest.mark.parametrize("name", BROKERS)
@pytest.mark.django_db(transaction=True)
def test_a_task_delivered_ten_times_sends_once(name, actor, inbox, reviewer, tmp_path):
    url = BROKERS[name]
    with smtp_sink() as (sink, port), broker(url), celery_worker(url, tmp_path):
        first = release(propose(actor, inbox, port), reviewer)
        # The bell alone brings it: there is no beat here.
        until(lambda: fate(first) == "sent")
        second = release(propose(actor, inbox, port), reviewer)
        for _ in range(10):
            tasks.run_jobs.apply_async(queue=tasks.queue_of(Pace.URGENT))
        until(lambda: Message.objects.count() == 2)
    assert len(sink.taken) == 2
    assert {fate(it) for it in (first, second)} == {"sent"}
    assert set(Submission.objects.values_list("attempts", flat=True)) == {1}
