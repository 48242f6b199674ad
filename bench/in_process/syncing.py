"""Syncs a new account for the first time, by the handler of the worker; prints how long it took."""

import json
import sys
import time

from bench.imports import ADDRESS
from inbox.credentials import Secret
from inbox.models import Message
from inbox.models.remote import SyncState
from inbox.operations.connecting import connect_account
from inbox.operations.syncing.session import sync_account
from inbox.operations.workspaces import create_workspace
from tests.dovecot import PASSWORD

if __name__ == "__main__":
    workspace = create_workspace(name="Bench", slug="bench")
    account = connect_account(
        workspace=workspace, address=ADDRESS, settings=json.loads(sys.argv[1]),
        credential=Secret(PASSWORD),
    )  # fmt: skip
    start = time.perf_counter()
    while SyncState.objects.filter(account=account, first_done_at=None).exists():
        if not sync_account(account.pk):
            state = SyncState.objects.get(account=account)
            raise SystemExit(f"The sync failed: {state.words} {state.reply}")
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "messages": Message.objects.count()}))
