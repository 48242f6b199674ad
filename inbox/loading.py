"""What apps load beyond their tables: tools, pages, handlers of jobs; two thirds of a start.

A process does so as it starts, but for one that called `begin_light` before: it answers what it can
without, and calls `load_rest` before anything else.
"""

from collections.abc import Callable
from threading import RLock
from typing import TypeAlias

Load: TypeAlias = Callable[[], object]


class Loading:
    """Loads the parts of a process, at once or when they are asked for."""

    def __init__(self) -> None:
        self._postponed: list[Load] = []
        self._is_light = False
        self._lock = RLock()

    def begin_light(self) -> None:
        """Have what comes put off."""
        self._is_light = True

    def load(self, part: Load) -> None:
        """Load a part now, or with the rest where the process began light."""
        if self._is_light:
            self._postponed.append(part)
        else:
            part()

    def load_rest(self) -> None:
        """Load what was put off, in its order; from now on nothing is.

        Raises what a part raises; that part and those behind it can be tried again.
        """
        with self._lock:
            self._is_light = False
            while self._postponed:
                self._postponed[0]()
                del self._postponed[0]


_LOADING = Loading()
begin_light, load, load_rest = _LOADING.begin_light, _LOADING.load, _LOADING.load_rest
