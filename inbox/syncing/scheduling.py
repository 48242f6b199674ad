"""When an account's mail is synced: when somebody asks, by itself, more rarely while it fails."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from inbox.background.periodic import periodic
from inbox.models import Account
from inbox.models.remote import SyncState
from inbox.providers.mail_store import StoreError
from inbox.syncing.turns import SyncLease, Turns

JOB = "account.sync"
# How often an account is looked at by itself; less often while somebody watches its inbox.
UNWATCHED = timedelta(minutes=2)
WATCHED = timedelta(minutes=10)


def _interval(state: Any, now: datetime) -> timedelta:
    watched = state.watched_until is not None and state.watched_until > now
    return WATCHED if watched else UNWATCHED


MAIL = Turns(JOB, SyncState.objects.all, "account_id", "account_id", _interval)


def ask_for_sync(*, account: Account, by_person: bool = False) -> bool:
    """Have an account synced soon, in the caller's transaction; return whether it will be."""
    return MAIL.ask(account.pk, account.pk, account.workspace_id, by_person=by_person)


def ask_for_syncs(accounts: Iterable[tuple[int, int]]) -> None:
    """Have accounts synced soon, each told by its key and its workspace's."""
    MAIL.ask_many((key, key, workspace_id) for key, workspace_id in accounts)


def make_due(account_ids: Iterable[int]) -> None:
    """Have accounts synced with the next round, where they do not rest after trouble."""
    MAIL.make_due(list(account_ids))


@periodic(5)
def enqueue_due(now: datetime | None = None) -> int:
    """Enqueue the syncs that are due, each once however many look; return how many."""
    return MAIL.enqueue_due(now or timezone.now())


def hold(account_id: int) -> SyncLease | None:
    """Take the lease on an account that is due; None where it is not, or another has it."""
    return MAIL.hold(account_id)


def renew(held: SyncLease) -> bool:
    """Hold the lease for longer; False where it was lost."""
    return MAIL.renew(held)


def settle_success(held: SyncLease, *, unfinished: bool, **fields: Any) -> bool:
    """Write down that a sync went well, as `Turns.settle_success` says."""
    return MAIL.settle_success(held, unfinished=unfinished, **fields)


def settle_failure(held: SyncLease, error: StoreError) -> bool:
    """Write down what went wrong, and how long the provider is left alone."""
    return MAIL.settle_failure(held, error)
