"""`manage.py watch`: wait at the mail servers for what comes, in a process of its own."""

import signal
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from inbox.syncing.watching.watchers import Watchers

_STOP = {signal.SIGINT, signal.SIGTERM}


class Command(BaseCommand):
    help = (
        "Watch the connected accounts until interrupted. `up` and `worker` do it themselves: this "
        "is for set-ups whose jobs are carried by Celery."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--most", type=int, default=settings.MOST_WATCHED,
            help=f"so many accounts at once ({settings.MOST_WATCHED})",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        if options["most"] < 1:
            raise CommandError("--most is a number from 1 on.")
        # Waited for, not handled, and the threads inherit the mask: see `worker`.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOP)
        watchers = Watchers(most=options["most"])
        watchers.start()
        self.stdout.write("Watching; Ctrl-C stops it.")
        self.stdout.flush()
        signal.sigwait(_STOP)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP)
        watchers.stop()
