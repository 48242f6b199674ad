"""`manage.py worker`: run jobs in a process of its own."""

import signal
import threading
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand

from inbox.worker import Worker


class Command(BaseCommand):
    help = "Run jobs until interrupted: sending, classifying, what is periodic."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--threads", type=int, default=2, help="for jobs not urgent (2)")

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()

        def ask_to_stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
            stop.set()

        signal.signal(signal.SIGINT, ask_to_stop)
        signal.signal(signal.SIGTERM, ask_to_stop)
        worker = Worker(threads=max(1, options["threads"]))
        worker.start()
        self.stdout.write("The worker runs; Ctrl-C stops it.")
        self.stdout.flush()
        stop.wait()
        if not worker.stop(timeout=20):
            self.stderr.write("A job had not ended; another worker takes it up.")
