"""Python's collector of cycles, held back while many objects without cycles are made."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# The collector runs when so many objects were made since it last did; Python's own figure is 700.
_SELDOM = 50_000
_LOCK = threading.Lock()
# What the figures were before each of those who hold it back now; the first has the real ones.
_BEFORE: list[tuple[int, int, int]] = []


def collect_seldom() -> None:
    """Hold the collector back in this process from now on."""
    gc.freeze()
    gc.set_threshold(_SELDOM, 20, 20)


@contextmanager
def collected_seldom() -> Iterator[None]:
    """Hold the collector back until the block ends, and every other that began meanwhile.

    What is in no cycle is freed at once all the same. Without this, a tenth of the time in which
    mail is stored goes into looking through what is there to stay.
    """
    with _LOCK:
        _BEFORE.append(gc.get_threshold())
        collect_seldom()
    try:
        yield
    finally:
        with _LOCK:
            before = _BEFORE.pop()
            if not _BEFORE:
                gc.set_threshold(*before)
                gc.unfreeze()
