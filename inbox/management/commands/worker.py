"""`manage.py worker`: run jobs in a process of its own."""

import signal
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from inbox.background.worker import Worker
from inbox.syncing.watching.watchers import Watchers

_STOP = {signal.SIGINT, signal.SIGTERM}


class Command(BaseCommand):
    help = "Run jobs until interrupted: sending, syncing, classifying, what is periodic."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--threads", type=int, default=2, help="for jobs not urgent (2)")
        parser.add_argument("--slow", type=int, default=4, help="for long ones, as syncs are (4)")

    def handle(self, *args: Any, **options: Any) -> None:
        # Waited for, not handled: a handler runs between any two steps of this thread, and an
        # Event set from there can find its own lock taken. The threads inherit the mask.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOP)
        worker = Worker(threads=max(1, options["threads"]), slow=max(1, options["slow"]))
        watchers = Watchers()
        worker.start()
        watchers.start()
        self.stdout.write("The worker runs; Ctrl-C stops it.")
        self.stdout.flush()
        signal.sigwait(_STOP)
        # A second Ctrl-C ends it at once.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP)
        watchers.stop()
        if not worker.stop(timeout=20):
            self.stderr.write("A job had not ended; another worker takes it up.")
