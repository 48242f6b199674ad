"""Folders of a run's own, which go with the process that made them, in memory where there is room."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")
# What tests that install the project, and failed ones, have there at a time, amply.
_MEGABYTES = 2000


def own_folder(prefix: str) -> Path:
    """Make a folder that is removed when this process ends; not when one forked from it does."""
    folder, owner = Path(tempfile.mkdtemp(prefix=prefix)), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def prefer_memory() -> None:
    """Have temporary folders lie in memory from now on, where there is room.

    To make and remove some ten thousand of them is a tenth of a run where they lie on a disk.
    """
    if is_roomy(_MEMORY):
        os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)


def is_roomy(folder: Path, megabytes: int = _MEGABYTES) -> bool:
    """Return True if so much may be put there, programs included."""
    try:
        there = os.statvfs(folder)
    except OSError:
        return False
    return (
        there.f_bavail * there.f_frsize >= megabytes * 2**20
        and not there.f_flag & os.ST_NOEXEC
        and os.access(folder, os.W_OK | os.X_OK)
    )
