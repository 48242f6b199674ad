"""How the time that work takes grows with its size, as a ratio within the test.

Seconds say nothing: machines differ, and are busy.
"""

import time
from collections.abc import Callable

# Four times as much takes four times as long, and sixteen where each part looks at all others.
_TIMES, _MOST, _TRIES = 4, 9, 5


def seconds_of(work: Callable[[], object]) -> float:
    """Return how long it takes of the processor's time."""
    began = time.thread_time()
    work()
    return time.thread_time() - began


def assert_linear(work: Callable[[int], object], size: int) -> None:
    """Raise an AssertionError unless work of `size` takes about four times that of a quarter of it.

    What only interrupted it once does not do so each time.
    """
    ratios: list[float] = []
    while len(ratios) < _TRIES:
        small = seconds_of(lambda: work(size // _TIMES))
        ratios.append(seconds_of(lambda: work(size)) / small)
        if ratios[-1] < _MOST:
            return
    raise AssertionError(f"{_TIMES} times as much takes {ratios} times as long")
