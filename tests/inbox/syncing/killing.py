"""Workers that are killed in the middle of a sync of mail."""

import random
import subprocess
import sys
import time

from django.conf import settings

from inbox.models import Account, Message, SyncState
from tests.fork_server import start
from tests.processes import process_environment

_SYNC = """
import django, sys
django.setup()
from django.conf import settings
from inbox.syncing.session import sync_account
settings.MEDIA_ROOT = sys.argv[2]
print("begun", flush=True)
sync_account(int(sys.argv[1]))
"""


def sync_and_be_killed(account: Account, after: float) -> None:
    """Begin a sync in a process of its own, and kill that so many seconds later."""
    SyncState.objects.update(next_at="2026-01-01T00:00Z", leased_until=None)
    worker = start(
        ["-c", _SYNC, account.pk, settings.MEDIA_ROOT],
        env=process_environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    worker.stdout.readline()
    time.sleep(after)
    worker.kill()
    worker.wait()
    worker.stdout.close()


def most_kills(rounds: int) -> int:
    """Return how often a run of so many rounds is killed at most."""
    return 3 + max(0, rounds - 40) // 10


class Kills:
    """Has syncs of an account begun and killed now and then while programs change its mail."""

    def __init__(self, account: Account, chance: random.Random, rounds: int) -> None:
        self._account, self._chance = account, chance
        self._most, self.count = most_kills(rounds), 0

    def now_and_then(self) -> None:
        """Have a sync killed, or not; whoever syncs next need not wait for its lease."""
        if not self.count or (self.count < self._most and self._chance.random() < 0.3):
            self.count += 1
            sync_and_be_killed(self._account, self._chance.uniform(0.0, 0.4))
            SyncState.objects.update(leased_until=None)

    def assert_read(self) -> None:
        """Hold what of messages is kept here against what a killed process may have left undone."""
        sys.stderr.write(f"{self.count} syncs were killed\n")
        for message in Message.objects.kept().select_related("blob"):
            assert message.blob.read()
