"""Python's collector of cycles, held back while many objects without cycles are made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# The collector runs when so many objects were made since it last did; Python's own figure is 700.
_SELDOM = 50_000


def collect_seldom() -> None:
    """Hold the collector back in this process from now on."""
    gc.freeze()
    gc.set_threshold(_SELDOM, 20, 20)


@contextmanager
def collected_seldom() -> Iterator[None]:
    """Hold the collector back until the block ends.

    What is in no cycle is freed at once all the same. Without this, a tenth of the time in which
    mail is stored goes into looking through what is there to stay.
    """
    before = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
