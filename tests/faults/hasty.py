"""`python -m tests.faults.hasty worker|beat …`: Celery, whose leases and pauses last seconds.

What follows the death of a worker is then seen as it happens: nobody moves the time in the rows.
"""

import logging
import os
import sys
import warnings
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
django.setup()

from celery.platforms import SecurityWarning  # noqa: E402
from celery.signals import worker_ready  # noqa: E402
from django.conf import settings  # noqa: E402

from inbox.background import jobs  # noqa: E402
from inbox.operations.sending import delivery, filing  # noqa: E402
from project.celery import app  # noqa: E402

# Still several times as long as the look of what renews it.
LEASE = timedelta(seconds=4)
PAUSE = timedelta(seconds=1)
SWEPT_EVERY = 2.0


def hasten() -> None:
    """Shorten what the product waits for; it does not wait for anything else than before."""
    for kind, registered in jobs._HANDLERS.items():
        jobs._HANDLERS[kind] = replace(registered, lease=min(LEASE, registered.lease))
    jobs.LONGEST_PAUSE = jobs.LEASE = LEASE
    delivery.LEASE = filing.LEASE = LEASE
    delivery.FIRST_PAUSE, delivery.LONGEST_PAUSE, delivery.OVERDUE = PAUSE, LEASE, LEASE
    delivery.TURN = PAUSE
    filing.FIRST_PAUSES = dict.fromkeys(filing.FIRST_PAUSES, PAUSE)
    filing.LONGEST_PAUSE, filing.OVERDUE = LEASE, LEASE
    app.conf.beat_schedule["sweep"]["schedule"] = SWEPT_EVERY


def sign_of(pid: int) -> Path:
    """Return the file that is there once the worker of this process id takes work."""
    return Path(settings.VAR_DIR) / f"worker-{pid}-is-ready"


@worker_ready.connect
def _tell(**_: Any) -> None:
    sign_of(os.getpid()).touch()


if __name__ == "__main__":
    # Thousands of failures on order are no news.
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore", SecurityWarning)
    hasten()
    app.start(sys.argv[1:])
