"""When an account is synced: who asks, how often by itself, and how long it rests after trouble."""

from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.models import Job, SyncState, SyncStatus
from inbox.providers.mail_store import StoreError
from inbox.syncing import turns
from inbox.syncing.scheduling import (
    JOB,
    ask_for_sync,
    enqueue_due,
    hold,
    renew,
    settle_failure,
    settle_success,
)
from inbox.syncing.turns import pause_after

LATER = timedelta(hours=5)


@pytest.fixture
def account(inbox):
    return inbox.account


@pytest.fixture
def state(account):
    return SyncState.objects.create(
        workspace=account.workspace, account=account, status=SyncStatus.CURRENT,
        next_at=timezone.now() + LATER,
    )  # fmt: skip


def jobs():
    return Job.objects.filter(kind=JOB).count()


def is_due(state):
    return SyncState.objects.filter(turns.due(timezone.now()), pk=state.pk).exists()


def held_by(account):
    ask_for_sync(account=account)
    held = hold(account.pk)
    assert held is not None
    return held


def test_an_account_without_mail_elsewhere_is_never_synced(account):
    assert not ask_for_sync(account=account)
    assert jobs() == 0


def test_asking_ten_times_makes_one_sync(account, state):
    assert all(ask_for_sync(account=account) for _ in range(10))
    assert (jobs(), is_due(state)) == (1, True)


def test_who_is_not_due_is_not_held_and_who_is_only_once(account, state):
    assert hold(account.pk) is None
    assert held_by(account)
    assert hold(account.pk) is None


def test_after_a_sync_the_next_is_some_minutes_off_and_sooner_where_nobody_watches(account, state):
    assert settle_success(held_by(account), unfinished=False, status=SyncStatus.CURRENT)
    state.refresh_from_db()
    unwatched = state.next_at - timezone.now()
    state.watched_until = timezone.now() + timedelta(minutes=5)
    state.save()
    settle_success(held_by(account), unfinished=False)
    state.refresh_from_db()
    assert timedelta(minutes=1) < unwatched < timedelta(minutes=3)
    assert state.next_at - timezone.now() > 2 * unwatched
    assert (state.fence, state.leased_until) == ("", None)


def test_who_asks_while_a_sync_runs_gets_one_of_their_own(account, state):
    held = held_by(account)
    ask_for_sync(account=account)
    assert hold(account.pk) is None
    settle_success(held, unfinished=False)
    assert is_due(state)
    assert hold(account.pk) is not None


def test_a_first_sync_that_made_room_goes_on(account, state):
    held = held_by(account)
    before = jobs()
    settle_success(held, unfinished=True, status=SyncStatus.FIRST)
    assert is_due(state)
    assert jobs() == before + 1


def test_a_worker_that_died_leaves_an_account_that_is_due_again(account, state):
    held_by(account)
    later = timezone.now() + turns.HELD_FOR + timedelta(seconds=1)
    assert SyncState.objects.filter(turns.due(later)).exists()
    assert enqueue_due(later) == 1


def test_who_lost_the_lease_writes_nothing_down(account, state):
    held = held_by(account)
    SyncState.objects.update(fence="another's")
    assert not renew(held)
    assert not settle_success(held, unfinished=False)
    assert not settle_failure(held, StoreError("transient", "gone"))
    state.refresh_from_db()
    assert (state.fence, state.failures) == ("another's", 0)


def test_what_is_due_is_enqueued_once_however_many_look(account, state):
    SyncState.objects.update(next_at=timezone.now() - timedelta(seconds=5))
    for _ in range(3):
        assert enqueue_due() == 1
    assert jobs() == 1
    # Lost on its way, it is enqueued again.
    enqueue_due(timezone.now() + timedelta(seconds=40))
    assert jobs() == 2


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("transient", SyncStatus.WAITING),
        ("throttled", SyncStatus.THROTTLED),
        ("login", SyncStatus.LOGIN_REFUSED),
        ("permanent", SyncStatus.FAILED),
        ("gone", SyncStatus.WAITING),
    ],
)
def test_trouble_is_written_down_and_the_provider_is_left_alone(account, state, kind, status):
    settle_failure(held_by(account), StoreError(kind, "It does not work.", "NO [X] go away"))
    state.refresh_from_db()
    assert (state.status, state.words, state.reply) == (
        status,
        "It does not work.",
        "NO [X] go away",
    )
    assert state.failures == 1
    assert state.next_at > timezone.now() + timedelta(seconds=20)
    # What is changed here meanwhile does not hurry; a person does.
    assert not ask_for_sync(account=account)
    assert not is_due(state)
    assert ask_for_sync(account=account, by_person=True)
    assert is_due(state)


def test_a_success_forgets_the_trouble(account, state):
    settle_failure(held_by(account), StoreError("transient", "It does not work."))
    ask_for_sync(account=account, by_person=True)
    settle_success(hold(account.pk), unfinished=False, status=SyncStatus.CURRENT)
    state.refresh_from_db()
    assert (state.status, state.words, state.failures) == ("current", "", 0)


def test_a_refused_login_is_tried_a_few_times_a_day_at_most():
    refused = StoreError("login", "The password is not accepted.")
    pauses = [pause_after(refused, failures=number) for number in range(10)]
    assert sum(pauses[:4], timedelta()) > timedelta(hours=20)
    assert timedelta(hours=20) < pauses[-1] < timedelta(hours=28)


def test_the_pauses_double_and_have_an_end():
    broken = StoreError("transient", "No connection.")
    first, fourth, last = (pause_after(broken, failures=number) for number in (0, 3, 900))
    assert first < timedelta(seconds=40)
    assert timedelta(minutes=3) < fourth < timedelta(minutes=5)
    assert last < timedelta(minutes=70)


@pytest.mark.parametrize(("wish", "least"), [(7200, 7200), (10**9, 86400), (-5, 200)])
def test_a_server_that_says_how_long_is_heard_but_not_for_ever(wish, least):
    pause = pause_after(StoreError("throttled", "Slow down.", retry_after=wish), failures=0)
    assert least <= pause.total_seconds() <= 86400 * 1.2


def test_a_paused_account_rests_whoever_asks_and_stays_paused_when_its_sync_ends(account, state):
    held = held_by(account)
    SyncState.objects.update(status=SyncStatus.PAUSED)
    assert not settle_success(held, unfinished=True, status=SyncStatus.CURRENT)
    state.refresh_from_db()
    assert (state.status, state.fence, state.next_at) == ("paused", "", None)
    assert not ask_for_sync(account=account, by_person=True)
    assert enqueue_due(timezone.now() + LATER) == 0
