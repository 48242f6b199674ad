"""Folders of a run's own, which go with the process that made them."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path


def own_folder(prefix: str) -> Path:
    """Make a folder that is removed when this process ends; not when one forked from it does."""
    folder, owner = Path(tempfile.mkdtemp(prefix=prefix)), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
