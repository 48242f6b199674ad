"""Sources for tests: connected as a person does, and synced where the test wants it."""

from django.utils import timezone

from inbox.accounts.credentials import Secret
from inbox.background.jobs import run_due
from inbox.models import Job, RemoteSource
from inbox.operations.accounts.sources import connect_source, try_source
from inbox.syncing.collections.session import sync_source


def connect(account, provider, settings, password="", *, only=None, **more):
    """Connect an account to a server and take all that it lists, or those whose ids are `only`."""
    secret = Secret(password)
    found = try_source(account=account, provider=provider, settings=settings, secret=secret)
    taken = frozenset(one.key for one in found if only is None or one.id in only)
    return connect_source(
        account=account, provider=provider, settings=settings, secret=secret, found=found,
        taken=taken, **more,
    )  # fmt: skip


def sync(source):
    """Sync a source now, and again until nothing is left to do; returns its row.

    Each time is in an hour of its own.
    """
    run_jobs_but_syncs()
    for _again in range(20):
        RemoteSource.objects.filter(pk=source.pk).update(next_at=timezone.now(), hour_began_at=None)
        sync_source(source.pk)
        source = RemoteSource.objects.get(pk=source.pk)
        if source.next_at is None or source.next_at > timezone.now() or source.failures:
            break
    run_jobs_but_syncs()
    return source


def run_jobs_but_syncs():
    """Have what was published heard of; the syncs that it asks for are the test's own to run."""
    Job.objects.filter(kind="source.sync").delete()
    run_due()
    Job.objects.filter(kind="source.sync").delete()
