"""`python -m tests.machines.wrong_clock SECONDS`: a worker whose clock is wrong, or jumps about.

With several numbers, separated by commas, its clock jumps from one to the next at each look at it.
"""

import itertools
import os
import sys
from datetime import datetime, timedelta

import django
from django.core.management import call_command
from django.utils import timezone


def set_clock(offsets: list[float]) -> None:
    """Have `timezone.now` be off by these seconds, by turns."""
    turns, now = itertools.cycle(offsets), timezone.now

    def wrong_now() -> datetime:
        return now() + timedelta(seconds=next(turns))

    timezone.now = wrong_now


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    set_clock([float(each) for each in sys.argv[1].split(",")])
    django.setup()
    call_command("worker", "--threads", "1")
