"""A few threads for work that blocks, which end with the process whatever they wait for."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


class DaemonExecutor(Executor):
    """Runs what it is given in at most so many threads, in the order in which it was given.

    Those of `concurrent.futures.ThreadPoolExecutor` hold up the end of the process instead.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._free = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._number = 0

    def submit(
        self, act: Callable[_Given, _Found], /, *args: _Given.args, **kwargs: _Given.kwargs
    ) -> Future[_Found]:
        """Have it run, and return what becomes of it."""
        future: Future[_Found] = Future()
        self._waiting.put((future, lambda: act(*args, **kwargs)))
        if not self._free.acquire(blocking=False):
            self._add_thread()
        return future

    def _add_thread(self) -> None:
        with self._lock:
            if self._number == self._most:
                return
            self._number += 1
            name = f"{self._name}-{self._number}"
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def _run(self) -> None:
        while True:
            future, act = self._waiting.get()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(act())
                except BaseException as error:  # noqa: BLE001
                    future.set_exception(error)
            # What it came to is not kept until there is more to do.
            del future, act
            self._free.release()
