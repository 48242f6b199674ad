"""What the processes of `manage.py up` do: some serve, one carries jobs and watches mail."""

import os
import signal
import threading
from contextlib import suppress
from datetime import datetime
from functools import partial

from django.db import connections
from django.utils import timezone

from agents.dispatching.rate_limit import BUCKETS
from agents.management.accepting import Loads
from agents.management.beginning import Shared
from agents.management.serving import GRACE, serve_beside_others
from inbox.background.jobs import add_waker
from inbox.background.worker import SOON, Worker
from inbox.files.pdf_text import AT_ONCE
from inbox.models import Pace
from inbox.syncing.hits import HITS
from inbox.syncing.watching.watchers import Watchers

LOADS, BUCKETS_FILE, HITS_FILE, PDFS_FILE = "loads", "buckets", "hits", "pdfs"
_READ_AT_ONCE = 4096


def run_web(shared: Shared, place: int) -> None:
    """Answer requests, until SIGTERM."""
    # What the processes must know of each other is in the files; all else is in the database.
    BUCKETS.share(shared.folder / BUCKETS_FILE)
    _share(shared)
    # Where the other one does not listen, it looks by itself.
    os.set_blocking(shared.ringing.fileno(), False)
    add_waker(partial(ring, shared.ringing.fileno()))
    loads = Loads(shared.folder / LOADS, shared.web_processes)
    try:
        serve_beside_others(
            shared.listening, loads, place, on_ready=lambda: shared.ready.send_bytes(bytes([place]))
        )
    finally:
        HITS.write()
        connections.close_all()


def run_jobs(shared: Shared, _: int) -> None:
    """Carry jobs and watch mail, until SIGTERM; a second one does not wait for what is at work."""
    shared.listening.close()
    _share(shared)
    ending = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0) if ending.is_set() else ending.set())
    worker, watchers = Worker(), Watchers()
    worker.start()
    watchers.start()
    heard = (shared.bell.fileno(), worker)
    threading.Thread(target=listen_to_bell, args=heard, name="bell", daemon=True).start()
    ending.wait()
    watchers.stop()
    worker.stop(timeout=GRACE)
    connections.close_all()


def _share(shared: Shared) -> None:
    HITS.share(shared.folder / HITS_FILE)
    AT_ONCE.share(shared.folder / PDFS_FILE)


def ring(descriptor: int, run_at: datetime, pace: Pace) -> None:
    """Tell the process with the jobs of one that is due soon, by a byte with its pace."""
    if run_at <= timezone.now() + SOON:
        with suppress(OSError):
            os.write(descriptor, bytes([pace]))


def listen_to_bell(descriptor: int, worker: Worker) -> None:
    """Have a worker look for what other processes tell of, until none of them is left."""
    while rung := os.read(descriptor, _READ_AT_ONCE):
        for pace in set(rung):
            worker.wake(timezone.now(), Pace(pace))
