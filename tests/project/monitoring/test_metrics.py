"""What Prometheus is told."""

from datetime import timedelta

import pytest
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from agents.dispatching.dispatch import call
from agents.models import Approval
from inbox.models import Job, Pace, SyncState, WorkerProcess
from project.monitoring.metrics import exposition
from tests import factories
from tests.sending_tools import propose, release

pytestmark = pytest.mark.django_db


def figures() -> dict[str, float]:
    """Every figure by its name and labels, as `name{label=value}`."""
    found = {}
    for family in text_string_to_metric_families(exposition().decode()):
        for sample in family.samples:
            labels = ",".join(f"{name}={text}" for name, text in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def test_an_empty_set_up_has_all_figures_at_zero():
    found = figures()
    assert found["chancery_jobs{pace=urgent,state=due}"] == 0
    assert found["chancery_jobs_oldest_seconds{pace=urgent}"] == 0
    assert found["chancery_submissions{state=sent}"] == 0
    assert found["chancery_approvals_waiting"] == 0
    assert found["chancery_sync_lag_seconds"] == 0
    assert "chancery_worker_seen_seconds" not in found


def test_the_queue_is_told_by_pace_and_age():
    now = timezone.now()
    for minutes in (7, 3, -5):
        Job.objects.create(kind="note", pace=Pace.URGENT, run_at=now - timedelta(minutes=minutes))
    Job.objects.create(kind="note", state="failed", run_at=now, finished_at=now)
    Job.objects.create(kind="note", state="running", run_at=now)
    WorkerProcess.objects.create(name="here:7", started_at=now, seen_at=now - timedelta(seconds=9))

    found = figures()
    assert found["chancery_jobs{pace=urgent,state=due}"] == 2
    assert found["chancery_jobs{pace=urgent,state=later}"] == 1
    assert found["chancery_jobs{pace=quick,state=due}"] == 0
    assert 420 <= found["chancery_jobs_oldest_seconds{pace=urgent}"] < 430
    assert found["chancery_jobs_failed_day"] == found["chancery_jobs_running"] == 1
    assert 9 <= found["chancery_worker_seen_seconds"] < 15
    assert found["chancery_workers"] == 1


def test_submissions_are_told_by_state(actor, inbox, reviewer):
    propose(actor, inbox)
    release(propose(actor, inbox), reviewer)
    found = figures()
    assert found["chancery_submissions{state=held}"] == 1
    assert found["chancery_submissions{state=pending}"] == 1


def test_what_waits_for_a_person_is_told_with_its_age(actor, inbox):
    thread = factories.make_message(inbox).thread.public_id
    arguments = {"thread_id": thread, "body_or_draft_id": "Soon.", "idempotency_key": "k1"}
    call("send_reply", arguments, actor)
    Approval.objects.update(created_at=timezone.now() - timedelta(hours=1))
    found = figures()
    assert found["chancery_approvals_waiting"] == 1
    assert 3600 <= found["chancery_approvals_oldest_seconds"] < 3700


def test_the_oldest_mirror_is_told_but_not_one_that_is_paused(inbox, workspace):
    now = timezone.now()
    state = SyncState.objects.create(
        workspace=workspace, account=inbox.account, status="current", first_done_at=now,
        current_at=now - timedelta(minutes=4),
    )  # fmt: skip
    found = figures()
    assert 240 <= found["chancery_sync_lag_seconds"] < 250
    assert found["chancery_accounts{status=current}"] == 1
    SyncState.objects.filter(pk=state.pk).update(status="paused")
    assert figures()["chancery_sync_lag_seconds"] == 0


def test_asking_costs_a_fixed_number_of_queries(django_assert_max_num_queries):
    with django_assert_max_num_queries(10):
        exposition()
