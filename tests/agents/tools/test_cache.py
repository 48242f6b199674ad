"""The tools of the mirror: figures, invalidation, readings in the background, warming."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.contracts import REGISTRY
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import AgentStatus, CacheTask, Grant, Receipt
from agents.operations.cache import tasks
from agents.operations.cache.figures import fits
from inbox.background.jobs import run, run_due
from inbox.models import Import, Job, MirrorEntry, SyncState
from inbox.syncing.hits import HITS
from inbox.syncing.mirror import consult, measure
from tests import factories
from tests.patience import LONG

pytestmark = pytest.mark.django_db
READS = tasks.reading_operations()


@pytest.fixture
def account(inbox):
    return inbox.account


@pytest.fixture
def foreign():
    """An account of another workspace, with an entry and a task."""
    other = factories.make_inbox(factories.make_workspace(), "office@canary.example")
    agent = factories.make_agent(other.workspace, "Spy", (other,))
    read(other.account, "email_list")
    factories_task = CacheTask.objects.create(
        workspace=other.workspace, agent=agent, account=other.account, operation="email_list"
    )
    return other.account, factories_task


def read(account, resource, key="all", times=1, size=100):
    for _ in range(times):
        found = consult(account=account, resource=resource, key=key)
        measure(found, size)
    return found


def error_of(name, arguments, actor):
    with pytest.raises(ToolError) as caught:
        call(name, arguments, actor)
    return caught.value


# -- figures and invalidation ----------------------------------------------------------------------


def test_the_figures_are_what_was_measured(actor, account, foreign):
    read(account, "email_list", times=4, size=250)
    read(account, "email_list", key="other", size=50)
    read(account, "search", times=2, size=10)
    stats = call("cache_get_stats", {}, actor).result
    assert {name: stats[name] for name in ("entries", "bytes", "hits", "misses")} == {
        "entries": 3, "bytes": 310, "hits": 4, "misses": 3,
    }  # fmt: skip
    assert stats["hit_rate"] == round(4 / 7, 4)
    (mine,) = stats["accounts"]
    assert mine["account_id"] == account.public_id
    assert [each["resource"] for each in mine["resources"]] == ["email_list", "search"]
    assert mine["resources"][0]["hit_rate"] == 0.6


def test_before_the_first_reading_there_is_no_rate(actor, account):
    stats = call("cache_get_stats", {}, actor).result
    assert (stats["entries"], "hit_rate" in stats) == (0, False)
    assert stats["accounts"][0]["resources"] == []


def test_what_is_invalidated_is_asked_for_anew_and_keeps_its_counts(actor, account):
    read(account, "email_list", times=3)
    read(account, "contact_list")
    said = call("cache_invalidate", {"pattern": "email_list:*", "reason": "moved"}, actor).result
    assert said == {
        "status": "invalidated", "pattern": "email_list:*", "reason": "moved", "invalidated": 1,
    }  # fmt: skip
    stats = call("cache_get_stats", {}, actor).result
    assert (stats["entries"], stats["hits"]) == (1, 2)
    assert consult(account=account, resource="email_list", key="all").status == "miss"
    assert consult(account=account, resource="contact_list", key="all").status == "fresh"


def test_only_own_entries_are_invalidated(actor, account, foreign):
    read(account, "email_list")
    assert call("cache_invalidate", {"pattern": "*"}, actor).result["invalidated"] == 1
    assert consult(account=foreign[0], resource="email_list", key="all").status == "fresh"
    asked = {"pattern": "*", "account_id": foreign[0].public_id}
    assert error_of("cache_invalidate", asked, actor).code == "not_found"


def test_one_account_of_several_is_invalidated(workspace, account):
    second = factories.make_inbox(workspace)
    both = factories.agent_actor(
        factories.make_agent(workspace, "Both", (account.inboxes.get(), second))
    )
    read(account, "email_list")
    read(second.account, "email_list")
    asked = {"pattern": "email*", "account_id": account.public_id}
    assert call("cache_invalidate", asked, both).result["invalidated"] == 1
    assert consult(account=second.account, resource="email_list", key="all").status == "fresh"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("email:acc_1:msg_2", True),
        ("email:*", True),
        ("*:msg_2", True),
        ("*", True),
        ("**", True),
        ("e*:acc_1:*2", True),
        ("*acc_1*", True),
        ("email", False),
        ("email:acc_1:msg_", False),
        ("EMAIL:*", False),
        ("email.acc_1:*", False),
        ("e?ail:*", False),
        ("[e]mail:*", False),
        ("email:%", False),
        ("*msg_2*msg_2", False),
        ("email:acc_1:msg_2*msg_2", False),
        ("*_1:*acc*", False),
    ],
)
def test_only_the_star_stands_for_anything(pattern, expected):
    assert fits("email:acc_1:msg_2", pattern.split("*")) is expected


def test_no_pattern_takes_long():
    started = time.monotonic()
    fits("a" * 200, ("*a" * 190 + "*b").split("*"))
    assert time.monotonic() - started < LONG


# -- readings in the background --------------------------------------------------------------------

background = pytest.mark.skipif("email_list" not in READS, reason="no operation reads mail yet")


def enqueue(actor, account, operation="email_list", **more):
    asked = {"account_id": account.public_id, "operation": operation, **more}
    return call("cache_task_enqueue", asked, actor).result


def status(task, actor):
    return call("cache_task_get_status", {"task_id": task["task_id"]}, actor).result


@background
def test_a_task_makes_the_call_and_keeps_its_answer(actor, account, inbox):
    message = factories.make_message(inbox, subject="About the boats")
    message.mailboxes.add(inbox.mailboxes.get(role="inbox"))
    task = enqueue(actor, account, parameters={"limit": 5}, priority=3)
    assert (task["status"], task["priority"], task["retry_count"]) == ("queued", 3, 0)
    run_due()
    done = status(task, actor)
    assert done["status"] == "completed"
    assert [mail["subject"] for mail in done["result"]] == ["About the boats"]
    assert done["started_at"] <= done["completed_at"]
    assert Receipt.objects.get(tool="email_list").actor == actor.key


@background
def test_after_a_task_the_reading_itself_is_fresh(actor, account):
    enqueue(actor, account)
    run_due()
    call("email_list", {"account_id": account.public_id}, actor)
    HITS.write()
    entry = MirrorEntry.objects.get(resource="email_list")
    assert (entry.misses, entry.hits) == (1, 1)


@pytest.mark.parametrize(
    "operation", ["email_send", "cache_get_stats", "account_list", "list_threads", "nonsense", "list"]
)  # fmt: skip
def test_what_is_no_reading_operation_is_refused_with_what_is_one(actor, account, operation):
    error = error_of(
        "cache_task_enqueue", {"account_id": account.public_id, "operation": operation}, actor
    )
    (problem,) = error.details["errors"]
    assert problem["pointer"] == "/operation"
    assert all(name in problem["accepted"] for name in READS)
    assert not CacheTask.objects.exists()


@background
@pytest.mark.parametrize(
    ("parameters", "pointer"),
    [
        ({"limit": 0}, "/parameters/limit"),
        ({"colour": "red"}, "/parameters/colour"),
        ({"account_id": "acc_other"}, "/parameters/account_id"),
    ],
)
def test_parameters_that_the_operation_refuses_are_refused_at_once(
    actor, account, parameters, pointer
):
    asked = {
        "account_id": account.public_id, "operation": "email_list", "parameters": parameters,
    }  # fmt: skip
    error = error_of("cache_task_enqueue", asked, actor)
    assert error.details["errors"][0]["pointer"] == pointer


@background
def test_a_task_runs_with_what_its_agent_may_do_by_then(actor, agent, account):
    task = enqueue(actor, account)
    agent.status = AgentStatus.PAUSED
    agent.save()
    run_due()
    done = CacheTask.objects.get()
    assert (done.status, done.error["code"]) == ("failed", "permission_denied")
    assert status_of_paused(task) == "failed"


def status_of_paused(task):
    return CacheTask.objects.with_public_id(task["task_id"]).get().status


@background
def test_after_the_grant_was_taken_a_task_reads_nothing(actor, agent, account):
    enqueue(actor, account)
    Grant.objects.all().delete()
    run_due()
    done = CacheTask.objects.get()
    assert (done.status, done.error["code"], done.result) == ("failed", "not_found", None)


@background
def test_what_fails_for_a_passing_reason_is_tried_again(actor, account):
    account.provider = "carrier_pigeon"
    account.save()
    task = enqueue(actor, account)
    run_due()
    assert status(task, actor)["status"] == "queued"
    assert status(task, actor)["error"]["code"] == "provider_error"
    account.provider = "local"
    account.save()
    Job.objects.update(run_at=timezone.now())
    run_due()
    done = status(task, actor)
    assert (done["status"], done["retry_count"], "error" in done) == ("completed", 1, False)


@background
def test_it_is_given_up_after_a_few_tries(actor, account):
    account.provider = "carrier_pigeon"
    account.save()
    task = enqueue(actor, account)
    for _ in range(tasks.MOST_RETRIES + 2):
        Job.objects.update(run_at=timezone.now())
        run_due()
    done = status(task, actor)
    assert (done["status"], done["retry_count"]) == ("failed", tasks.MOST_RETRIES)


@background
def test_a_task_that_is_delivered_twice_is_done_once(actor, account):
    task = enqueue(actor, account)
    run_due()
    job = Job.objects.get(kind="cache.task")
    run(job)
    run(job)
    assert status(task, actor)["retry_count"] == 0
    assert Receipt.objects.filter(tool="email_list").count() == 1


@background
def test_pressing_tasks_go_first(actor, account):
    late, soon = enqueue(actor, account, priority=10), enqueue(actor, account, priority=1)
    run_due(limit=1)
    assert status(soon, actor)["status"] == "completed"
    assert status(late, actor)["status"] == "queued"


@background
def test_a_very_long_answer_stands_by_its_hash(actor, account, inbox, monkeypatch):
    message = factories.make_message(inbox)
    message.mailboxes.add(inbox.mailboxes.get(role="inbox"))
    monkeypatch.setattr(tasks, "LONGEST_RESULT", 100)
    task = enqueue(actor, account)
    run_due()
    assert set(status(task, actor)["result"]) == {"sha256", "length"}


@background
def test_an_agent_sees_its_own_tasks_newest_first(actor, account, workspace, inbox, foreign):
    other = factories.agent_actor(factories.make_agent(workspace, "Other", (inbox,)))
    theirs = enqueue(other, account)
    mine = [enqueue(actor, account)["task_id"] for _ in range(3)]
    listed = call("cache_task_list", {"limit": 2}, actor).result
    assert [task["task_id"] for task in listed] == mine[:0:-1]
    foreign_error = error_of("cache_task_get_status", {"task_id": theirs["task_id"]}, actor)
    unknown = error_of("cache_task_get_status", {"task_id": "tsk_none"}, actor)
    assert foreign_error.as_json() == unknown.as_json()


@background
def test_tasks_are_listed_by_account_and_status(actor, account, foreign):
    enqueue(actor, account)
    run_due()
    enqueue(actor, account)
    asked = {"account_id": account.public_id, "status": "completed", "limit": 1000}
    (done,) = call("cache_task_list", asked, actor).result
    assert done["status"] == "completed"
    assert "result" not in done
    asked["account_id"] = foreign[0].public_id
    assert error_of("cache_task_list", asked, actor).code == "not_found"


@background
def test_an_agent_has_a_bounded_number_of_tasks_waiting(actor, account, monkeypatch):
    monkeypatch.setattr(tasks, "MOST_WAITING", 2)
    enqueue(actor, account)
    enqueue(actor, account)
    asked = {"account_id": account.public_id, "operation": "email_list"}
    assert error_of("cache_task_enqueue", asked, actor).code == "rate_limited"


@background
def test_old_tasks_are_removed_and_lost_ones_are_failed(actor, account):
    enqueue(actor, account)
    run_due()
    enqueue(actor, account)
    CacheTask.objects.filter(status="queued").update(
        status="running", started_at=timezone.now() - timedelta(hours=3)
    )
    assert tasks.remove_old_tasks() == 0
    assert sorted(CacheTask.objects.values_list("status", flat=True)) == ["completed", "failed"]
    assert tasks.remove_old_tasks(timezone.now() + timedelta(days=8)) == 2


# -- the first sync --------------------------------------------------------------------------------


def test_a_built_in_account_is_complete(actor, inbox, foreign):
    factories.make_message(inbox)
    warm = call("cache_warming_status", {}, actor).result
    assert (warm["status"], warm["percent"], warm["total"]) == ("complete", 100.0, 1)
    (account,) = warm["accounts"]
    assert account["account_id"] == inbox.account.public_id
    assert account["operations"][0] == {
        "operation": "email_list", "total": 1, "done": 1, "percent": 100.0,
    }  # fmt: skip


def test_an_import_under_way_shows_how_far_it_is(actor, inbox):
    for _ in range(3):
        factories.make_message(inbox)
    Import.objects.create(
        workspace=inbox.workspace, inbox=inbox, source="Maildir", total=12, stored=2, known=1
    )
    warm = call("cache_warming_status", {}, actor).result
    assert (warm["status"], warm["done"], warm["total"], warm["percent"]) == (
        "warming", 3, 12, 25.0,
    )  # fmt: skip
    Import.objects.update(finished_at=timezone.now())
    assert call("cache_warming_status", {}, actor).result["status"] == "complete"


def test_a_server_that_is_read_for_the_first_time_is_warming_until_its_end(actor, inbox):
    state = SyncState.objects.create(workspace=inbox.workspace, account=inbox.account)
    warm = call("cache_warming_status", {}, actor).result
    assert (warm["status"], warm["percent"], warm["total"]) == ("warming", 0.0, 0)
    factories.make_message(inbox)
    SyncState.objects.filter(pk=state.pk).update(total=40, done=30)
    warm = call("cache_warming_status", {}, actor).result
    assert (warm["status"], warm["done"], warm["total"]) == ("warming", 1, 11)
    SyncState.objects.update(first_done_at=timezone.now(), total=40, done=40)
    warm = call("cache_warming_status", {}, actor).result
    assert (warm["status"], warm["percent"]) == ("complete", 100.0)


def test_the_verb_cache_has_all_six():
    branches = REGISTRY.find("cache").branches
    assert list(branches) == [
        "get_stats", "invalidate", "task_enqueue", "task_status", "task_list", "warming_status",
    ]  # fmt: skip


def test_a_pattern_that_fits_nothing_is_answered_with_what_there_is(actor):
    answer = call("cache_invalidate", {"pattern": "emails:*"}, actor)
    assert answer.result["invalidated"] == 0
    assert "email_list" in answer.remarks[0]
    assert "contact_list" in answer.remarks[0]
