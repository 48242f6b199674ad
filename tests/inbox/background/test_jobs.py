import logging
import threading
from datetime import timedelta

import pytest
from django.db import connections, transaction
from django.utils import timezone

from inbox.background import fairness, jobs
from inbox.models import Job, Pace


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """Handlers, subscribers and turns of the test's own."""
    for name in ("_HANDLERS", "_SUBSCRIBERS"):
        monkeypatch.setattr(jobs, name, {})
    monkeypatch.setattr(jobs, "_WAKERS", [])
    monkeypatch.setattr(fairness, "_SERVED", {})


@pytest.fixture
def done() -> list:
    """What the handler of `note` was given, in order."""
    notes = []
    jobs.handler("note")(lambda payload: notes.append(payload["n"]))
    return notes


def later(**fields):
    return timezone.now() + timedelta(**fields)


def only_job() -> Job:
    return Job.objects.get()


# -- enqueueing ------------------------------------------------------------------------------------
@pytest.mark.django_db
def test_a_job_runs_once(done):
    jobs.enqueue("note", {"n": 1})
    assert (jobs.run_due(), jobs.run_due()) == (1, 0)
    assert done == [1]
    assert only_job().state == "done"


@pytest.mark.django_db
def test_work_with_the_same_key_is_enqueued_once(done):
    for n in (1, 2, 3):
        jobs.enqueue("note", {"n": n}, key="the same")
    jobs.run_due()
    assert done == [1]


@pytest.mark.django_db
def test_a_job_lives_and_dies_with_its_transaction():
    with transaction.atomic():
        jobs.enqueue("note", {"n": 1})
        transaction.set_rollback(True)
    assert not Job.objects.exists()


@pytest.mark.django_db
def test_a_job_waits_for_its_time(done):
    jobs.enqueue("note", {"n": 1}, run_at=later(minutes=5))
    assert jobs.run_due() == 0
    assert jobs.claim(now=later(minutes=6)) is not None


@pytest.mark.django_db
def test_urgent_jobs_go_first_then_the_more_pressing(done):
    for n, priority in ((1, 9), (2, 5), (3, 1), (4, 0)):
        jobs.enqueue("note", {"n": n}, priority=priority)
    jobs.run_due()
    assert done == [4, 3, 2, 1]


@pytest.mark.django_db
def test_a_lane_for_urgent_jobs_leaves_the_others(done):
    jobs.enqueue("note", {"n": 1})
    assert jobs.claim(paces=[Pace.URGENT]) is None
    jobs.enqueue("note", {"n": 2}, priority=jobs.URGENT)
    assert jobs.claim(paces=[Pace.URGENT]).payload == {"n": 2}


@pytest.mark.django_db
def test_each_subscriber_of_a_fact_has_a_job_of_its_own(workspace):
    heard = []
    jobs.subscribe("tea.ready", "one")(lambda payload: heard.append(("one", payload)))
    jobs.subscribe("tea.ready", "two")(lambda payload: heard.append(("two", payload)))
    jobs.publish("tea.ready", {"cups": 2}, workspace_id=workspace.pk)
    jobs.publish("nobody.cares", {}, workspace_id=workspace.pk)
    jobs.run_due()
    assert sorted(heard, key=str) == [("one", {"cups": 2}), ("two", {"cups": 2})]


def test_a_kind_has_one_handler():
    jobs.handler("note")(print)
    with pytest.raises(ValueError, match="two handlers"):
        jobs.handler("note")(print)


@pytest.mark.django_db(transaction=True)
def test_wakers_hear_of_jobs_after_the_commit_and_not_before():
    heard = []
    remove = jobs.add_waker(lambda *told: heard.append(told))
    with transaction.atomic():
        jobs.enqueue("note", {"n": 1})
        assert heard == []
    assert len(heard) == 1
    remove()
    jobs.enqueue("note", {"n": 2})
    assert len(heard) == 1


@pytest.mark.django_db(transaction=True)
def test_a_waker_in_trouble_does_not_disturb_who_enqueues():
    jobs.add_waker(lambda *_: 1 // 0)
    with transaction.atomic():
        jobs.enqueue("note", {"n": 1})
    assert Job.objects.count() == 1


# -- failing ---------------------------------------------------------------------------------------
def fail_with(error: BaseException):
    def work(payload):
        raise error

    jobs.handler("bad")(work)


@pytest.mark.django_db
def test_a_failing_job_comes_back_later_and_later_and_then_fails_visibly():
    fail_with(ZeroDivisionError("no way"))
    jobs.enqueue("bad", {}, max_attempts=3)
    pauses = []
    for _ in range(5):
        Job.objects.filter(state="queued").update(run_at=timezone.now())
        jobs.run_due()
        pauses.append(only_job().run_at - timezone.now())
    job = only_job()
    assert (job.state, job.attempts) == ("failed", 3)
    assert "no way" in job.error
    assert timedelta(seconds=0.5) < pauses[0] < timedelta(seconds=2) <= pauses[1] * 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    "error",
    [
        SystemExit(1), RecursionError(), MemoryError(),
        ValueError("a NUL \0, half a character \ud800, and very long " + "x" * 100_000),
    ],
)  # fmt: skip
def test_whatever_a_handler_raises_is_recorded(error):
    fail_with(error)
    jobs.enqueue("bad", {}, max_attempts=1)
    jobs.run_due()
    job = only_job()
    assert job.state == "failed"
    assert 0 < len(job.error) <= jobs.LONGEST_ERROR


@pytest.mark.django_db
def test_a_job_of_an_unknown_kind_fails_visibly(caplog):
    caplog.set_level(logging.CRITICAL)
    jobs.enqueue("what is this?", {}, max_attempts=1)
    jobs.run_due()
    assert "no handler" in only_job().error


@pytest.mark.django_db
@pytest.mark.parametrize("payload", [[], 3, "text", {}, {"n": {"deep": [1] * 1000}}])
def test_a_poisonous_payload_harms_nobody_else(done, payload):
    jobs.enqueue("note", payload, max_attempts=1)
    jobs.enqueue("note", {"n": "after"})
    jobs.run_due()
    assert done[-1] == "after"


@pytest.mark.django_db
def test_a_handler_may_say_when_to_come_again(done):
    at = later(hours=2)
    fail_with(jobs.RetryLater("not yet", at))
    jobs.enqueue("bad", {})
    jobs.run_due()
    job = only_job()
    assert (job.state, job.run_at, job.error) == ("queued", at, "not yet")
    assert job.attempts == 0


@pytest.mark.django_db
def test_a_handler_that_leaves_the_time_open_gives_up_some_day():
    fail_with(jobs.RetryLater("not yet"))
    jobs.enqueue("bad", {}, max_attempts=2)
    for _ in range(3):
        Job.objects.filter(state="queued").update(run_at=timezone.now())
        jobs.run_due()
    assert (only_job().state, only_job().attempts) == ("failed", 2)


@pytest.mark.django_db
def test_what_a_failing_handler_wrote_in_its_transaction_is_gone():
    def work(payload):
        with transaction.atomic():
            jobs.enqueue("note", {"n": 1})
            raise ZeroDivisionError

    jobs.handler("bad")(work)
    jobs.enqueue("bad", {})
    jobs.run_due()
    assert Job.objects.count() == 1


# -- leases ----------------------------------------------------------------------------------------
@pytest.mark.django_db
def test_what_a_dead_worker_held_is_freed(done):
    jobs.enqueue("note", {"n": 1})
    jobs.claim()
    assert jobs.sweep() == 0
    assert jobs.sweep(now=later(minutes=5)) == 1
    Job.objects.update(run_at=timezone.now())
    jobs.run_due()
    assert done == [1]


@pytest.mark.django_db
def test_a_job_that_ends_its_workers_is_not_tried_for_ever():
    jobs.enqueue("deadly", {}, max_attempts=3)
    for _ in range(5):
        Job.objects.filter(state="queued").update(run_at=timezone.now())
        jobs.claim()
        jobs.sweep(now=later(minutes=5))
    job = only_job()
    assert (job.state, job.attempts) == ("failed", 3)
    assert "worker ended" in job.error


@pytest.mark.django_db
def test_who_lost_the_lease_cannot_finish_the_job(done):
    jobs.enqueue("note", {"n": 1})
    slow = jobs.claim()
    jobs.sweep(now=later(minutes=5))
    Job.objects.update(run_at=timezone.now())
    quick = jobs.claim()
    jobs.run(slow)
    assert only_job().state == "running"
    jobs.run(quick)
    assert only_job().state == "done"


@pytest.mark.django_db(transaction=True)
def test_a_long_job_keeps_its_lease():
    def work(payload):
        first = only_job().leased_until
        renewed.wait(10)
        longer.append(only_job().leased_until > first)

    longer, renewed = [], threading.Event()
    original = jobs._renew

    def renew(job):
        try:
            return original(job)
        finally:
            renewed.set()

    jobs.handler("long", lease=timedelta(seconds=0.3))(work)
    jobs.enqueue("long", {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "_renew", renew)
        jobs.run_due()
    assert longer == [True]


@pytest.mark.django_db(transaction=True)
def test_many_workers_at_once_run_each_job_once():
    seen, lock = [], threading.Lock()

    def work(payload):
        with lock:
            seen.append(payload["n"])

    jobs.handler("note")(work)
    for n in range(60):
        jobs.enqueue("note", {"n": n})

    def worker():
        while jobs.run_due():
            pass
        connections.close_all()

    threads = [threading.Thread(target=worker) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(60))


# -- many jobs --------------------------------------------------------------------------------------
@pytest.mark.django_db
def test_old_finished_jobs_are_removed_and_failed_ones_stay_longer(done):
    jobs.enqueue("note", {"n": 1})
    jobs.enqueue("no such kind", {}, max_attempts=1)
    jobs.enqueue("note", {"n": 2}, run_at=later(days=1))
    jobs.run_due()
    assert jobs.remove_finished() == 0
    assert jobs.remove_finished(now=later(days=4)) == 1
    assert sorted(Job.objects.values_list("state", flat=True)) == ["failed", "queued"]
    assert jobs.remove_finished(now=later(days=91)) == 1
