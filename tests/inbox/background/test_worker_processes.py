from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.models import WorkerProcess
from inbox.operations.worker_processes import (
    note_worker,
    seconds_since_worker,
    started_before,
    workers_at_work,
)

pytestmark = pytest.mark.django_db


def test_a_worker_is_one_row_however_often_it_is_seen():
    now = timezone.now()
    assert (seconds_since_worker(), workers_at_work()) == (None, 0)
    note_worker(now - timedelta(seconds=10))
    note_worker(now)
    assert (seconds_since_worker(now), workers_at_work()) == (0, 1)
    assert WorkerProcess.objects.get().started_at < now


def test_one_that_is_silent_counts_as_gone_and_is_forgotten_after_a_day():
    now = timezone.now()
    note_worker(now - timedelta(days=2))
    WorkerProcess.objects.update(name="elsewhere:7")
    assert workers_at_work() == 0
    note_worker(now)
    assert WorkerProcess.objects.count() == 1


def test_one_with_the_name_of_another_before_it_began_when_it_did_itself():
    # As in a container that is restarted: its name stays, and the process has the same number.
    note_worker()
    WorkerProcess.objects.update(started_at=timezone.now() - timedelta(days=2))
    note_worker()
    assert started_before(timezone.now() - timedelta(days=1)) == []
    assert started_before(timezone.now()) != []
