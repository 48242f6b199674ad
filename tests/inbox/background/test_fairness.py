from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from inbox.background import fairness, jobs
from inbox.models import Job, Pace
from tests.factories import make_inbox, make_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def turn(monkeypatch):
    monkeypatch.setattr(fairness, "_SERVED", {})
    monkeypatch.setattr(
        jobs, "_HANDLERS", {"note": jobs._Registered(lambda payload: None, jobs.LEASE)}
    )


@pytest.fixture
def accounts(workspace) -> list:
    """Three accounts of one workspace."""
    return [make_inbox(workspace, f"{name}@lantern.example").account for name in "abc"]


def enqueue(account=None, times: int = 1, **options) -> None:
    owner = {"account_id": account.pk, "workspace_id": account.workspace_id} if account else {}
    for number in range(times):
        jobs.enqueue("note", {"of": account and account.pk, "n": number}, **owner, **options)


def claimed(count: int, **options) -> list:
    """Claim so many jobs, one after the other; return whose they are."""
    found = [jobs.claim(**options) for _ in range(count)]
    return [job and job.payload["of"] for job in found]


def test_accounts_take_turns_whatever_waits_for_one(accounts):
    busy, quiet, other = accounts
    enqueue(busy, times=50)
    enqueue(quiet)
    enqueue(other)
    assert set(claimed(3)) == {busy.pk, quiet.pk, other.pk}


def test_workspaces_take_turns_with_what_concerns_no_account(accounts):
    busy, quiet = make_workspace(), make_workspace()
    for number in range(20):
        jobs.enqueue("note", {"of": "busy", "n": number}, workspace_id=busy.pk)
    jobs.enqueue("note", {"of": "quiet"}, workspace_id=quiet.pk)
    jobs.enqueue("note", {"of": "nobody"})
    enqueue(accounts[0])
    assert set(claimed(4)) == {"busy", "quiet", "nobody", accounts[0].pk}


def test_who_sends_very_much_lets_others_send_between(accounts):
    enqueue(accounts[0], times=20, priority=jobs.URGENT)
    enqueue(accounts[1], priority=jobs.URGENT)
    assert accounts[1].pk in claimed(2)


def test_of_the_urgent_ones_of_an_account_two_run_at_once(accounts):
    enqueue(accounts[0], times=5, priority=jobs.URGENT)
    enqueue(accounts[1], times=1, priority=jobs.URGENT)
    assert sorted(claimed(3)) == sorted([accounts[0].pk, accounts[0].pk, accounts[1].pk])
    assert claimed(1) == [None]
    # What a dead worker held counts no longer when its lease is over.
    later = timezone.now() + timedelta(minutes=2)
    assert claimed(1, now=later) == [accounts[0].pk]


def test_other_jobs_of_an_account_run_at_once_as_workers_are_free(accounts):
    enqueue(accounts[0], times=5)
    assert claimed(5) == [accounts[0].pk] * 5


def test_what_a_job_causes_waits_in_the_turn_of_its_account(accounts, monkeypatch):
    monkeypatch.setattr(jobs, "_HANDLERS", {})
    jobs.handler("note")(lambda payload: jobs.enqueue("more", {}))
    enqueue(accounts[0])
    jobs.run(jobs.claim())
    jobs.enqueue("more", {})
    assert list(Job.objects.filter(kind="more").values_list("lane", flat=True).order_by("id")) == [
        accounts[0].pk, 0,
    ]  # fmt: skip


def test_slow_jobs_leave_those_workers_alone_that_are_for_others(accounts):
    enqueue(accounts[0], slow=True)
    assert claimed(1, paces=(Pace.URGENT, Pace.QUICK)) == [None]
    assert claimed(1, paces=(Pace.SLOW,)) == [accounts[0].pk]


def test_an_urgent_job_is_urgent_though_it_is_slow(accounts):
    enqueue(accounts[0], slow=True, priority=jobs.URGENT)
    assert claimed(1, paces=(Pace.URGENT,)) == [accounts[0].pk]


def test_what_is_not_due_hides_nothing_that_is(accounts):
    soon = timezone.now() + timedelta(minutes=5)
    for priority in (2, 3, 9):
        enqueue(accounts[0], times=3, priority=priority, run_at=soon)
    enqueue(accounts[0], priority=5)
    enqueue(accounts[2], times=2, run_at=soon)
    assert claimed(2) == [accounts[0].pk, None]


@pytest.mark.parametrize("waiting", ["one account", "many lanes", "not due"])
def test_claiming_takes_the_same_few_queries_whatever_waits(
    waiting, accounts, django_assert_max_num_queries
):
    now = timezone.now()
    Job.objects.bulk_create(
        Job(
            kind="note", lane=number if waiting == "many lanes" else accounts[0].pk,
            run_at=now + timedelta(hours=waiting == "not due"),
        )
        for number in range(2000)
    )  # fmt: skip
    enqueue(accounts[2])
    with django_assert_max_num_queries(8):
        assert jobs.claim() is not None


@pytest.mark.parametrize("priority", [jobs.URGENT, 5])
def test_urgent_work_is_known_while_it_waits_and_for_a_while_after(priority, accounts, monkeypatch):
    monkeypatch.setattr(fairness, "_NOTED", {})
    enqueue(accounts[0], priority=priority)
    matters = priority == jobs.URGENT and connection.vendor == "sqlite"
    assert fairness.has_urgent_work() == matters
    jobs.run(jobs.claim())
    assert fairness.has_urgent_work() == matters
    monkeypatch.setattr(fairness, "LATELY", 0)
    assert not fairness.has_urgent_work()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="others write at once")
def test_while_there_is_urgent_work_much_is_written_in_small_shares(accounts, monkeypatch):
    monkeypatch.setattr(fairness, "_NOTED", {})
    rows = range(24)
    assert [len(share) for share in fairness.in_shares(rows)] == [24]
    enqueue(accounts[0], priority=jobs.URGENT)
    shares = list(fairness.in_shares(rows))
    assert [len(share) for share in shares] == [10, 10, 4]
    assert [row for share in shares for row in share] == list(rows)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="others write at once")
def test_rows_that_weigh_much_are_written_in_smaller_shares(accounts, monkeypatch):
    monkeypatch.setattr(fairness, "_NOTED", {})
    rows = [400_000, 500_000, 200_000, 2_000_000, 1, *[15_000] * 8]
    shares = list(fairness.in_shares(rows, int))
    assert shares == [[400_000, 500_000], [200_000], [2_000_000], [1, *[15_000] * 8]]
    enqueue(accounts[0], priority=jobs.URGENT)
    shares = list(fairness.in_shares(rows[3:], int))
    assert shares == [[2_000_000], [1, *[15_000] * 6], [15_000] * 2]


def test_nothing_is_no_share(accounts):
    assert list(fairness.in_shares([])) == []
