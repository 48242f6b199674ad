"""Watching mail that is followed by change tokens: an event source, which holds a thread each."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial

from django.db import close_old_connections, connections

from inbox.models import Account
from inbox.operations.accounts.connections import with_mail_changes
from inbox.providers.mail_changes import MailChangeStore
from inbox.syncing.scheduling import ask_for_sync

# How long one wait takes, in seconds.
WAIT = 110.0
# A burst of news is one sync.
BREATH = 1.0


def watch_changes(account_id: int, stopping: threading.Event) -> None:
    """Wait for news of an account and ask for syncs until told to stop; raises StoreError."""
    try:
        close_old_connections()
        account = Account.objects.get(pk=account_id)
        with_mail_changes(account, partial(_watch, account, stopping))
    finally:
        connections.close_all()


def _watch(account: Account, stopping: threading.Event, store: MailChangeStore) -> None:
    with store:
        # What came before is found by this one.
        ask_for_sync(account=account)
        while not stopping.is_set():
            # For as long as this waits it needs no connection to the database.
            connections.close_all()
            if store.wait(WAIT) and not stopping.wait(BREATH):
                ask_for_sync(account=account)


async def in_thread(act: Callable[[threading.Event], None], name: str) -> None:
    """Run it in a thread of its own; cancelled, it is told to stop and not waited for."""
    loop, stopping = asyncio.get_running_loop(), threading.Event()
    done: asyncio.Future[None] = loop.create_future()

    def run() -> None:
        trouble: Exception | None = None
        try:
            act(stopping)
        except Exception as error:  # noqa: BLE001
            trouble = error
        if not stopping.is_set():
            loop.call_soon_threadsafe(_settle, done, trouble)

    threading.Thread(target=run, name=name, daemon=True).start()
    try:
        await done
    finally:
        stopping.set()


def _settle(done: asyncio.Future[None], trouble: Exception | None) -> None:
    if done.done():
        return
    if trouble is None:
        done.set_result(None)
    else:
        done.set_exception(trouble)
