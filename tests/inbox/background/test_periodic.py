import logging
import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from inbox.background import periodic
from inbox.background.precedence import is_in_background
from inbox.models import PeriodicRun


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    monkeypatch.setattr(periodic, "_PERIODIC", {})


def register(seconds: float, **options) -> list:
    """Register a periodic function; return the list that each run of it makes longer."""
    ran: list[int] = []

    @periodic.periodic(seconds, **options)
    def tidy_up():
        ran.append(1)

    return ran


def as_another_process() -> None:
    """Forget what this process knows of the time: only the rows are left."""
    for each in periodic._PERIODIC.values():
        each.look_at = 0.0


def due_in(**fields) -> None:
    PeriodicRun.objects.update(due_at=timezone.now() + timedelta(**fields))
    as_another_process()


@pytest.mark.django_db
def test_it_runs_when_it_is_due():
    ran = register(3600)
    periodic.run_periodic()
    periodic.run_periodic()
    assert len(ran) == 1
    due_in(seconds=-1)
    periodic.run_periodic()
    assert len(ran) == 2


@pytest.mark.django_db
def test_one_that_fails_is_logged_and_keeps_no_other_from_its_turn(caplog):
    caplog.set_level(logging.ERROR)
    periodic.periodic(3600)(lambda: 1 // 0)
    ran = register(3600)
    periodic.run_periodic()
    assert len(ran) == 1
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.django_db
def test_however_many_processes_look_it_runs_once():
    ran = register(3600)
    for _ in range(5):
        as_another_process()
        periodic.run_periodic()
    assert len(ran) == 1


@pytest.mark.django_db(transaction=True)
def test_however_many_look_at_once_it_runs_once():
    ran = register(3600)
    together = threading.Barrier(4)

    def look():
        as_another_process()
        together.wait(10)
        periodic.run_periodic()
        connections.close_all()

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ran) == 1


@pytest.mark.django_db
def test_what_each_process_does_for_itself_runs_in_each():
    ran = register(3600, in_each_process=True)
    for _ in range(3):
        as_another_process()
        periodic.run_periodic()
    assert len(ran) == 3
    assert not PeriodicRun.objects.exists()


@pytest.mark.django_db
def test_a_time_that_only_a_wrong_clock_can_have_noted_holds_nothing_up():
    ran = register(60)
    periodic.run_periodic()
    due_in(days=300)
    periodic.run_periodic()
    assert len(ran) == 2


@pytest.mark.django_db
def test_looking_takes_no_query_until_something_may_be_due(django_assert_num_queries):
    register(3600)
    periodic.run_periodic()
    with django_assert_num_queries(0):
        periodic.run_periodic()


def test_a_function_is_registered_once():
    register(60)
    with pytest.raises(ValueError, match="two periodic"):
        register(60)


@pytest.mark.django_db
def test_what_says_that_a_process_works_comes_first_and_waits_for_nobody():
    ran = []

    def note(name, **options):
        @periodic.periodic(60, **options)
        def tidy_up():
            ran.append((name, is_in_background()))

        periodic._PERIODIC[name] = periodic._PERIODIC.pop(next(reversed(periodic._PERIODIC)))

    note("for all")
    note("its own", in_each_process=True)
    periodic.run_periodic()
    assert ran == [("its own", False), ("for all", True)]
