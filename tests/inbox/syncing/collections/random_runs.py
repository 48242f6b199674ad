"""Programs and we ourselves change a collection at the same time, and our sync is killed now and then.

`SYNC_ROUNDS=500` has each of them make so many changes; `SYNC_SEED` repeats a run.
"""

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.utils import timezone

from inbox.errors import DomainError
from inbox.models import RemoteSource
from tests.fork_server import start
from tests.inbox.syncing.collections.random_program import RandomProgram
from tests.inbox.syncing.collections.sources import run_jobs_but_syncs
from tests.inbox.syncing.killing import most_kills
from tests.processes import process_environment

ROUNDS = int(os.environ.get("SYNC_ROUNDS", "40"))
SEED = int(os.environ.get("SYNC_SEED", "1"))
_ROUNDS_A_SYNC = 8
_SYNC = """
import django, sys
django.setup()
from django.conf import settings
from inbox.syncing.collections.session import sync_source
settings.MEDIA_ROOT = sys.argv[2]
print("begun", flush=True)
sync_source(int(sys.argv[1]))
"""


class Ourselves:
    """What people and agents do here meanwhile; `made` and `removed` are as those of programs."""

    # What may be refused: it went meanwhile.
    refused = frozenset({"conflict", "not_found"})

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.made: set[Any] = set()
        self.removed: set[Any] = set()

    def acts(self) -> dict[Callable[[], None], int]:
        """Return what they do, and how often."""
        raise NotImplementedError

    def act(self) -> None:
        acts = self.acts()
        try:
            self.chance.choices(list(acts), list(acts.values()))[0]()
        except DomainError as error:
            if error.code not in self.refused:
                raise


def run_together(
    programs: Sequence[RandomProgram], ours: Ourselves, source: int, sync: Callable[[], None]
) -> tuple[set[Any], set[Any]]:
    """Have all of them at it until the programs are done; return what was made, and removed."""
    # Shown where it fails.
    sys.stderr.write(f"SYNC_SEED={SEED}\n")
    chance, kills, syncs = random.Random(SEED), 0, 0
    for program in programs:
        program.pace = threading.Semaphore(0)
        program.start()
    while any(program.is_alive() for program in programs):
        for program in programs:
            # So many while we sync: however quick they are, our side has its part.
            program.pace.release(_ROUNDS_A_SYNC)
        for _ in range(chance.randint(0, 6)):
            ours.act()
        run_jobs_but_syncs()
        if not kills or (kills < most_kills(ROUNDS) and chance.random() < 0.3):
            sync_and_be_killed(source, chance.uniform(0.0, 0.6))
            kills += 1
        sync()
        syncs += 1
    sys.stderr.write(f"{kills} syncs were killed, {syncs} went on\n")
    made = ours.made.union(*(program.made for program in programs))
    return made, ours.removed.union(*(program.removed for program in programs))


def sync_and_be_killed(source: int, after: float) -> None:
    RemoteSource.objects.update(next_at=timezone.now(), leased_until=None)
    worker = start(
        ["-c", _SYNC, source, settings.MEDIA_ROOT],
        env=process_environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    worker.stdout.readline()
    time.sleep(after)
    worker.kill()
    worker.wait()
    worker.stdout.close()
    RemoteSource.objects.update(leased_until=None)
