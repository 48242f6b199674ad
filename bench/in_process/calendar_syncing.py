"""Syncs a new calendar for the first time, as the worker does; tells what it took."""

import json
import resource
import time
from typing import Any

from django.utils import timezone

from bench.imports import ADDRESS
from calendar_app.models import Event
from inbox.accounts.credentials import Secret
from inbox.models import RemoteSource
from inbox.operations.accounts.accounts import create_account
from inbox.operations.accounts.sources import connect_source, try_source
from inbox.operations.accounts.workspaces import create_workspace
from inbox.syncing.collections.session import sync_source
from tests.dav_servers import PASSWORD


def sync_first(settings: dict[str, Any]) -> None:
    """Connect a calendar, sync it until its first sync is over, and print what came of it."""
    workspace = create_workspace(name="Bench", slug="bench")
    account = create_account(workspace=workspace, address=ADDRESS)
    secret = Secret(PASSWORD)
    found = try_source(account=account, provider="dav", settings=settings, secret=secret)
    source = connect_source(
        account=account, provider="dav", settings=settings, secret=secret, found=found,
        taken=frozenset(one.key for one in found),
    )  # fmt: skip
    start, used, memory = time.perf_counter(), time.process_time(), _megabytes()
    visits = 0
    while RemoteSource.objects.filter(pk=source.pk, first_done_at=None).exists():
        visits += 1
        RemoteSource.objects.filter(pk=source.pk).update(next_at=timezone.now())
        if not sync_source(source.pk):
            state = RemoteSource.objects.get(pk=source.pk)
            raise SystemExit(f"The sync failed: {state.words} {state.reply}")
    found = {
        "seconds": time.perf_counter() - start, "processor": time.process_time() - used,
        "megabytes": _megabytes() - memory, "events": Event.objects.count(), "visits": visits,
    }  # fmt: skip
    print(json.dumps(found))


def _megabytes() -> float:
    """Return the most memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
