"""What machines ask, and who is answered."""

import asyncio
import json
import queue
import threading
from concurrent.futures import Future
from contextlib import suppress
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.db import connections
from django.utils import timezone

from inbox.models import Job, WorkerProcess
from project.monitoring import health, probes
from project.monitoring.health import Health, Readiness
from project.monitoring.probes import Probes
from tests.project.asgi_calls import answer_of, ask


async def elsewhere(scope, receive, send):
    await send({"type": "http.response.start", "status": 418, "headers": []})
    await send({"type": "http.response.body", "body": b""})


class Here:
    """Does in the thread of the test, so on its own connection, what probes do in theirs."""

    def __init__(self):
        self.waiting = queue.SimpleQueue()

    def submit(self, work):
        future = Future()
        self.waiting.put((future, work))
        return future

    def while_alive(self, thread):
        while thread.is_alive():
            with suppress(queue.Empty):
                future, work = self.waiting.get(timeout=0.01)
                try:
                    future.set_result(work())
                except Exception as error:  # noqa: BLE001
                    future.set_exception(error)


@pytest.fixture
def probe(monkeypatch):
    """Ask the probes, whose work this thread does."""
    here = Here()
    monkeypatch.setattr(probes, "ThreadPoolExecutor", lambda *_, **__: here)
    monkeypatch.setattr(probes, "close_old_connections", lambda: None)
    app = Probes(elsewhere)

    def probe(path, **more):
        answers = []
        asking = threading.Thread(target=lambda: answers.append(ask(app, path, **more)))
        asking.start()
        here.while_alive(asking)
        return answers[0]

    return probe


def a_worker_was_seen(seconds_ago: float = 1) -> None:
    now = timezone.now()
    WorkerProcess.objects.create(
        name="here:7", started_at=now, seen_at=now - timedelta(seconds=seconds_ago)
    )


def test_alive_is_answered_whatever_else_is_broken():
    answer = ask(Probes(elsewhere), "/health/live", host="10.1.2.3")
    assert (answer.status, json.loads(answer.body)) == (200, {"status": "ok"})
    assert answer.headers["cache-control"] == "no-store"


def test_what_is_no_probe_goes_on():
    for path in ("/", "/health/", "/health/live/x", "/metrics/x"):
        assert ask(Probes(elsewhere), path).status == 418


def test_a_probe_is_only_read():
    assert ask(Probes(elsewhere), "/health/live", method="POST").status == 405
    head = ask(Probes(elsewhere), "/health/live", method="HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", "16")


@pytest.mark.django_db
def test_it_is_ready_where_all_is_well(probe):
    a_worker_was_seen()
    answer = probe("/health/ready")
    assert answer.status == 200
    assert json.loads(answer.body) == {
        "status": "ok",
        "checks": dict.fromkeys(("database", "migrations", "storage", "queue", "worker"), "ok"),
    }


@pytest.mark.django_db
def test_work_that_is_not_done_degrades_and_takes_nobody_out_of_service(probe):
    a_worker_was_seen(seconds_ago=600)
    Job.objects.create(kind="note", run_at=timezone.now() - timedelta(minutes=10))
    answer = probe("/health/ready")
    told = json.loads(answer.body)
    assert (answer.status, told["status"]) == (200, "degraded")
    assert told["checks"]["queue"] == "work is late"
    assert told["checks"]["worker"] == "none was seen lately"


@pytest.mark.django_db
def test_a_set_up_that_never_had_a_worker_says_so():
    assert Readiness().look().as_json()["checks"]["worker"] == "none was ever seen"


@pytest.mark.django_db
def test_a_storage_that_takes_nothing_makes_it_unready(probe, settings, tmp_path):
    (tmp_path / "media").write_text("not a folder")
    answer = probe("/health/ready")
    assert answer.status == 503
    assert json.loads(answer.body)["checks"]["storage"] == "does not answer"
    assert str(tmp_path).encode() not in answer.body


@pytest.mark.django_db
def test_the_storage_is_left_as_it_was(probe):
    probe("/health/ready")
    assert default_storage.listdir("probes")[1] == []


@pytest.mark.django_db
def test_missing_migrations_make_it_unready(monkeypatch):
    monkeypatch.setattr(health, "missing_migrations", lambda: ["inbox.0001_initial"])
    found = Readiness().look()
    assert found.status == "unavailable"
    assert found.as_json()["checks"]["migrations"] == "there are migrations to apply"


def test_a_database_that_is_away_makes_it_unready_and_names_nothing(settings):
    away = connections["default"].copy()
    away.settings_dict = {
        **away.settings_dict,
        "NAME": "/nowhere/at/all.sqlite3",
        "HOST": "nowhere.invalid",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(health, "connection", away)
        found = Readiness().look()
    assert (found.status, found.as_json()["checks"]) == (
        "unavailable",
        {"database": "does not answer"},
    )


def test_a_database_that_hangs_is_told_of_in_time_and_asked_once(monkeypatch):
    monkeypatch.setattr(probes, "PATIENCE", 0.05)
    monkeypatch.setattr(probes, "close_old_connections", lambda: None)
    asked, go = [], threading.Event()

    def hang(self) -> Health:
        asked.append(1)
        go.wait(10)
        return Health(())

    monkeypatch.setattr(Readiness, "look", hang)
    app = Probes(elsewhere)

    async def many():
        return await asyncio.gather(*(answer_of(app, "/health/ready") for _ in range(20)))

    assert {answer.status for answer in asyncio.run(many())} == {503}
    go.set()
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("client", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("10.0.0.9", {}, 403),
        (None, {}, 403),
        ("127.0.0.1", {"x_forwarded_for": "10.0.0.9"}, 403),
        ("127.0.0.1", {"forwarded": "for=10.0.0.9"}, 403),
    ],
)
@pytest.mark.django_db
def test_without_a_token_figures_are_for_this_machine(probe, client, headers, status):
    assert probe("/metrics", client=client, **headers).status == status


@pytest.mark.django_db
def test_with_a_token_figures_are_for_whoever_sends_it(probe, settings):
    settings.METRICS_TOKEN = "wax"
    assert probe("/metrics", client="10.0.0.9", authorization="Bearer wax").status == 200
    for given in ("Bearer wa", "Bearer wax2", "Basic wax", ""):
        assert probe("/metrics", authorization=given).status == 403
