"""Asking providers while somebody waits for the answer, who does not wait for long."""

import threading
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connections
from django.utils import timezone

from inbox.background.jobs import run_now
from inbox.models import Account
from inbox.models.remote import SyncStatus
from inbox.providers.mail_store import StoreError
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _
from inbox.syncing.scheduling import MAIL
from inbox.syncing.turns import RESTING, Turns

# So long, in seconds, a reading waits for the provider.
PATIENCE = 10.0
_LOOK = 0.05


def bring_up_to_date(account: Account, *, patience: float = PATIENCE) -> datetime:
    """Have an account's mail synced now; return as of when our rows are the provider's.

    As `wait_for_syncs`.
    """
    words = _(
        "The mail server did not answer within %(seconds)s seconds.", seconds=f"{patience:.0f}"
    )
    paused = _("The account is paused.")
    return wait_for_syncs(MAIL, [account.pk], late=words, paused=paused, patience=patience)


def wait_for_syncs(
    turns: Turns,
    owners: Sequence[int],
    *,
    late: ReasonText,
    paused: ReasonText,
    patience: float = PATIENCE,
) -> datetime:
    """Have some synced now, and wait for all; return as of when our rows are their providers'.

    Never inside a transaction. Raises StoreError with what is wrong; `late` says that it takes
    longer: the sync then goes on by itself. `paused` says that somebody stopped it.
    """
    asked_at, end = timezone.now(), time.monotonic() + patience
    before = turns.states(owners)
    for state in before.values():
        _refuse_resting(state, asked_at, paused)
    turns.make_due(list(owners))
    threads: dict[int, threading.Thread] = {}
    while time.monotonic() < end:
        states = turns.states(owners)
        waiting = [owner for owner in owners if not _is_current(states[owner], asked_at)]
        if not waiting:
            times: list[datetime] = [state.current_at for state in states.values()]
            return min(times)
        for owner in waiting:
            _refuse_failed(states[owner], before[owner], paused)
            # Another may hold it just now; what that one began before we asked is not enough.
            if owner not in threads or not threads[owner].is_alive():
                threads[owner] = _sync(turns, owner)
        threads[waiting[0]].join(_LOOK)
        if not threads[waiting[0]].is_alive():
            time.sleep(_LOOK)
    raise StoreError("transient", late)


def _is_current(state: Any, asked_at: datetime) -> bool:
    return state.current_at is not None and state.current_at >= asked_at


def _refuse_failed(state: Any, before: Any, paused: ReasonText) -> None:
    if state.failures > before.failures or state.status == SyncStatus.PAUSED:
        raise StoreError("transient", state.words or paused, state.reply)


def _refuse_resting(state: Any, now: datetime, paused: ReasonText) -> None:
    """Raise what is wrong with one whose provider is left alone for now."""
    is_due = state.next_at is not None and state.next_at <= now
    if state.status in RESTING and not is_due:
        raise StoreError("transient", state.words or paused, state.reply)


def _sync(turns: Turns, owner: int) -> threading.Thread:
    def run() -> None:
        try:
            run_now(turns.job, {turns.payload: owner})
        finally:
            connections.close_all()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread
