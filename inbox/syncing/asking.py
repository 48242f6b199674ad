"""Asking an account's provider while somebody waits for the answer, who does not wait for long."""

import threading
import time
from datetime import datetime

from django.db import connections
from django.utils import timezone

from inbox.background.jobs import run_now
from inbox.models import Account
from inbox.models.remote import SyncState, SyncStatus
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _
from inbox.syncing.scheduling import JOB, RESTING, make_due

# So long, in seconds, a reading waits for the provider.
PATIENCE = 10.0
_LOOK = 0.05


def bring_up_to_date(account: Account, *, patience: float = PATIENCE) -> datetime:
    """Have an account synced now, and wait for it; return as of when our rows are the provider's.

    Never inside a transaction. Raises StoreError with what is wrong, also where it takes longer:
    the sync then goes on by itself.
    """
    asked_at, end = timezone.now(), time.monotonic() + patience
    before = SyncState.objects.get(account=account)
    _refuse_resting(before, asked_at)
    make_due([account.pk])
    thread: threading.Thread | None = None
    while time.monotonic() < end:
        # Another may hold the account just now; what it began before we asked is not enough.
        if thread is None or not thread.is_alive():
            thread = threading.Thread(target=_sync, args=(account.pk,), daemon=True)
            thread.start()
        thread.join(_LOOK)
        state = SyncState.objects.get(account=account)
        if state.current_at is not None and state.current_at >= asked_at:
            return state.current_at
        if state.failures > before.failures or state.status == SyncStatus.PAUSED:
            raise StoreError("transient", state.words or _("The account is paused."), state.reply)
        if not thread.is_alive():
            time.sleep(_LOOK)
    words = _(
        "The mail server did not answer within %(seconds)s seconds.", seconds=f"{patience:.0f}"
    )
    raise StoreError("transient", words)


def _refuse_resting(state: SyncState, now: datetime) -> None:
    """Raise what is wrong with an account whose provider is left alone for now."""
    is_due = state.next_at is not None and state.next_at <= now
    if state.status in RESTING and not is_due:
        raise StoreError("transient", state.words or _("The account is paused."), state.reply)


def _sync(account_id: int) -> None:
    try:
        run_now(JOB, {"account_id": account_id})
    finally:
        connections.close_all()
