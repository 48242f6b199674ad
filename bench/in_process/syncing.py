"""Syncs a new account for the first time, by the handler of the worker; tells how long it took.

It is to be called inside a command of manage.py, as the worker is: the processes that read messages
import again what was started as a script.
"""

import json
import time
from typing import Any

from bench.imports import ADDRESS
from inbox.accounts.credentials import Secret, Tokens
from inbox.models import Message
from inbox.models.remote import SyncState
from inbox.operations.accounts.connecting import connect_account
from inbox.operations.accounts.workspaces import create_workspace
from inbox.syncing.session import sync_account
from tests.dovecot import PASSWORD


def sync_first(settings: dict[str, Any], token: str = "") -> None:
    """Connect an account, sync it until its first sync is over, and print what came of it.

    `token` is an access token, in place of the password.
    """
    none = Secret("")
    credential = Tokens(Secret(token), none, none) if token else Secret(PASSWORD)
    workspace = create_workspace(name="Bench", slug="bench")
    account = connect_account(
        workspace=workspace, address=ADDRESS, settings=settings, credential=credential
    )
    start = time.perf_counter()
    visits = 0
    while SyncState.objects.filter(account=account, first_done_at=None).exists():
        visits += 1
        if not sync_account(account.pk):
            state = SyncState.objects.get(account=account)
            raise SystemExit(f"The sync failed: {state.words} {state.reply}")
    found = {
        "seconds": time.perf_counter() - start,
        "messages": Message.objects.count(),
        "visits": visits,
    }
    print(json.dumps(found))
