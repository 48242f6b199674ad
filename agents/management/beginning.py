"""How a process of `manage.py up` begins, forked off or, where that is not safe, started anew.

Nothing here needs Django's apps, which a process that is started anew has yet to load.
"""

import os
import shutil
import signal
import socket
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import django
from django.apps import apps
from django.conf import settings
from django.utils.module_loading import import_string


@dataclass(frozen=True, slots=True)
class Shared:
    """What the supervisor and its processes share."""

    listening: socket.socket
    base_url: str
    # For what they keep together, as long as the supervisor lives.
    folder: Path
    web_processes: int
    # Never written to: it can be read once the supervisor has ended, however it did.
    alive: Connection
    # A web process writes its place here once it serves.
    ready: Connection
    # Where the process with the jobs is told that there is one: a byte with its pace.
    bell: Connection
    ringing: Connection


def begin(run: str, shared: Shared, place: int, supervisors: Connection | None) -> None:
    """Run a function by its dotted name, until TERM; end at once when the supervisor has ended.

    `supervisors` is what a forked process must not keep open: the other end of `alive`.
    """
    signal.set_wakeup_fd(-1)
    # Ctrl-C reaches all processes of a terminal; the supervisor ends its own.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if supervisors is not None:
        supervisors.close()
    threading.Thread(target=_end_with, args=(shared,), name="supervisor", daemon=True).start()
    if not apps.ready:
        django.setup()
    settings.BASE_URL = shared.base_url
    import_string(run)(shared, place)


def _end_with(shared: Shared) -> None:
    shared.alive.poll(None)
    shutil.rmtree(shared.folder, ignore_errors=True)
    os._exit(1)
